// 出了什么事，用句子说清：发生了什么、留下了什么、该做什么。PROBLEM_CODES 的每个代码一条。
export const problems = {
  'storage-full': {
    what: '浏览器没有空间留给 Recollect 了。',
    kept: '此前保存的内容都在。刚写的内容会留在屏幕上，直到能够保存。',
    do: '请到“设置 › 存储”腾出空间：清空回收站，或先导出再彻底删除旧对话，然后重新保存。',
    what_start: '浏览器已没有空间，连你的对话也无法打开。',
    kept_start: '没有改动任何内容，已保存的都还在这台设备上。',
    do_start: '请在这台设备上腾出空间，然后刷新页面。请不要清除本站的数据：你的对话就在其中。',
  },
  'storage-unavailable': {
    what: '浏览器不允许 Recollect 在这台设备上保存内容。',
    kept: '可以随意看看、照常对话，但标签页一关就什么都不剩。',
    do: '请退出无痕模式，或允许本站存储数据，然后刷新页面。',
  },
  'storage-held': {
    what: '你的对话正被另一个标签页或浏览器占用，一直没有放开。',
    kept: '此前保存的内容都在。最后一次改动留在屏幕上，会自动重试。',
    kept_start: '没有改动任何内容，所有对话都在原处。',
    do: '请关闭 Recollect 的其他标签页，并保持此标签页打开。',
    do_start: '请关闭 Recollect 的其他标签页，然后刷新此页面。若仍然如此，请关闭浏览器再重新打开。',
  },
  'storage-failed': {
    what: '浏览器在保存时出错了。',
    kept: '此前保存的内容都在。最后一次改动留在屏幕上，会自动重试。',
    do: '请先不要关闭此标签页。若一直失败，请复制最后一条消息，再刷新页面。',
    what_start: '浏览器未能打开你的对话。',
    kept_start: 'Recollect 没有改动或删除任何内容。',
    do_start: '请刷新页面。若仍然如此，请关闭浏览器再重新打开。请不要清除本站的数据：你的对话就在其中。',
  },
  'storage-lost': {
    what: '浏览器发现自己的数据库已损坏，并将其连同其中的对话一起删除了。',
    kept: '这个浏览器里没有留下原来的内容。从现在起写的内容会照常保存。',
    do: '请到“设置 › 存储”导入最近一次导出的文件。其他设备上的副本不受影响。',
  },
  'newer-log': {
    what: '这些对话由更新版本的 Recollect 写入。',
    kept: '没有改动任何内容，所有对话都在原处。',
    do: '请刷新页面，换用新版本。',
  },
  'newer-index': {
    what: '记忆索引由更新版本的 Recollect 建立。',
    kept: '没有改动任何内容。对话照常可读，只是暂时不能搜索。',
    do: '请刷新页面换用新版本，或在“记忆”中重建索引。',
  },
  'newer-conversation': {
    what: '这个对话由更新版本的 Recollect 写成。',
    kept: '在这里可以读到此版本能理解的部分，其中内容没有任何改动。',
    do: '请刷新页面换用新版本。',
  },
  'damaged-entry': {
    what: '某个对话有一部分无法读取。',
    kept: '损坏的部分原样保留，前后的内容照常显示。',
    do: '请立即导出此对话。若有以前的导出文件，重新导入即可，只会补上缺失的部分。',
  },
  'index-unavailable': {
    what: '记忆索引打不开。',
    kept: '所有对话都在，也能阅读，只是搜索和回忆暂时停用。',
    do: '请关闭其他 Recollect 标签页并刷新。若仍不行，请在“记忆”中重建索引。',
  },
  'index-damaged': {
    what: '记忆索引损坏了。',
    kept: '所有对话都在：索引只是由它们生成的，现在正自动重建。',
    do: '不需要做什么。重建完成之前，搜索和回忆只能找到已重新读过的内容。',
  },
  'index-crashed': {
    what: '记忆索引在工作途中停了下来。',
    kept: '所有对话都在，索引已有的内容也在：正在重新打开它。',
    do: '不需要做什么。若反复出现，请在“记忆”中重建索引。',
  },
  'memory-behind': {
    what: '记忆还在准备：并非所有内容都能按意思比较。',
    kept: '说过的话都可以按词语找到。',
    do: '请稍后再问一次。侧栏底部的“活动”会显示进度。',
  },
  'no-model': {
    what: '还没有连接模型。',
    kept: '消息已保存，记忆仍会作答。',
    kept_temporary: '消息会留到这个临时对话结束，记忆仍会作答。',
    do: '请到“设置 › 模型”连接一个模型。',
  },
  'model-key': {
    what: '服务端不认可这个密钥（401）。',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-key.why.{{reason}}, {"defaultValue":"请检查密钥是否复制完整、是否属于这个服务、是否已被撤销。"})',
    why: {
      characters: '密钥里有不该出现的字符：请重新复制，不要带上前后的文字。',
    },
  },
  'model-forbidden': {
    what: '密钥有效，但无权使用这项服务。',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-forbidden.why.{{reason}}, {"defaultValue":"请查看你在该服务的账户：模型可能需要开通、付费，或不对你所在的地区开放。"})',
    why: {
      balance: '账户余额已用完：请充值，或换用其他模型。',
    },
  },
  'model-not-found': {
    what: '$t(problems:model-not-found.whatOf.{{reason}}, {"defaultValue":"这个地址上什么都没有，或服务端不认识这个模型（404）。"})',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-not-found.why.{{reason}}, {"defaultValue":"请检查基础地址，通常以 /v1 结尾，并从列表中选择模型。"})',
    whatOf: { address: '这不是网址。' },
    why: {
      address: '网址以 https:// 开头（本机可用 http://）。',
      redirect: '这个地址指向别处，请填写它指向的地址。',
      model: '服务端不认识 {{model}}，请从它的列表中选择模型。',
      path: '请检查基础地址：通常以 /v1 结尾。',
      versioned: '这个基础地址上没有接口：请检查主机、端口和路径。',
    },
  },
  'model-rate': {
    what: '$t(problems:model-rate.whatOf.{{reason}}, {"defaultValue":"服务端要求稍等（{{status}}）。"})',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-rate.why.{{reason}}, {"defaultValue":"请稍后重试，或查看账户的限额。"})',
    whatOf: { quota: '账户的额度已用完（429）。' },
    why: {
      quota: '请充值或等到下一个计费周期，或换用其他模型。',
      seconds: '请于{{seconds, relativetime(range: second)}}重试。',
      minutes: '请于{{minutes, relativetime(range: minute)}}重试。',
      hours: '请于{{hours, relativetime(range: hour)}}重试。',
      soon: '请稍后重试。',
    },
  },
  'model-network': {
    what: '连不上服务端。',
    kept: '消息已保存。没有网络也能阅读、搜索和回忆。',
    kept_temporary: '消息会留到这个临时对话结束。没有网络也能阅读、搜索和回忆。',
    do: '$t(problems:model-network.why.{{reason}}, {"defaultValue":"请检查网络和地址。如果模型在本机，请确认它正在运行。"})',
    why: {
      offline: '这台设备没有联网，网络恢复后即可使用。',
      'mixed-content':
        '本页通过 https 打开，浏览器不允许再用 http 访问其他机器。请为对方启用 https，或在那台机器上打开 Recollect。',
      policy: '本页还不能访问 {{endpoint}}。请先保存这个服务，再刷新页面。',
      silent: '{{endpoint}} 没有及时回应，可能正忙或正在加载模型，请重试。',
    },
  },
  'model-cors': {
    what: '服务端在运行，但不允许网页访问（CORS）。',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-cors.why.{{reason}}, {"defaultValue":"请在服务端放行本页面，或改用允许浏览器访问的服务，例如 OpenRouter。"})',
    why: {
      local:
        '请在服务端放行本页面。Ollama：启动时把 OLLAMA_ORIGINS 设为本页地址；LM Studio：在服务器设置中打开 CORS。',
      remote: '需要 {{endpoint}} 放行。若你无法更改，请改用允许浏览器访问的服务，例如 OpenRouter。',
    },
  },
  'model-server': {
    what: '$t(problems:model-server.whatOf.{{reason}}, {"defaultValue":"服务端出了故障。"})',
    whatOf: { request: '服务端没有接受这次请求。', input: '服务端没有接受这次请求。' },
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '$t(problems:model-server.why.{{reason}}, {"defaultValue":"请稍后重试。若一直如此，请查看服务商的状态页。"})',
    why: {
      request: '不带工具或不带思考过程发送也许可行。',
      input:
        '服务端不接受请求中的这一项：{{input}}。去掉后重发仍被拒绝。不带工具或不带思考过程发送也许可行。',
    },
  },
  'model-format': {
    what: '返回的内容不是 OpenAI 兼容接口的格式。',
    kept: '能读出的部分都已保留。',
    do: '$t(problems:model-format.why.{{reason}}, {"defaultValue":"请确认基础地址指向 API。"})',
    why: {
      'web-page': '返回的是网页。请确认基础地址指向 API：通常以 /v1 结尾。',
      'not-a-list': '这个地址有回应，但不是模型列表。请检查基础地址。',
      pieces: '这个回答有几处读不出来，可能缺了字。重新回答一次即可得到完整内容。',
    },
  },
  'model-cut': {
    what: '回答没有说完就断了。',
    kept: '已收到的部分已保留并标出。',
    do: '请重试，或让模型继续。',
  },
  'model-context': {
    what: '对话太长，这个模型一次读不完。',
    kept: '消息和整个对话都已保存。',
    kept_temporary: '消息和整个对话会留到这个临时对话结束。',
    do: '请换用上下文更大的模型，或新开一个对话：记忆会带回要紧的内容。',
    do_temporary: '请换用上下文更大的模型，或新开一个对话。',
  },
  'model-refused': {
    what: '服务端拒绝了这次请求。',
    kept: '消息已保存。',
    kept_temporary: '消息会留到这个临时对话结束。',
    do: '换个模型或换种说法也许可行。',
  },
  'embedding-missing': {
    what: '向量模型的文件不在这里。',
    kept: '对话和关键词索引都是完整的。按词回忆照常，按意思回忆暂停。',
    do: '请联网一次后重试，或在“设置 › 记忆与回忆”中另选模型。',
  },
  'embedding-broken': {
    what: '$t(problems:embedding-broken.whatOf.{{reason}}, {"defaultValue":"向量模型无法在这个浏览器里运行。"})',
    kept: '对话和关键词索引都是完整的。按词回忆照常，按意思回忆暂停。',
    do: '$t(problems:embedding-broken.doOf.{{reason}}, {"defaultValue":"请在“设置 › 记忆与回忆”中把运行设备改为 WASM，或另选模型。"})',
    whatOf: { file: '向量模型的文件损坏或不完整。' },
    doOf: { file: '请联网后重试以重新获取，或在“设置 › 记忆与回忆”中另选模型。' },
  },
  'embedding-remote': {
    what: '向量服务没有正常回应。',
    kept: '对话和关键词索引都是完整的。按词回忆照常，服务恢复后会补上向量。',
    do: '请在“设置 › 记忆与回忆”中检查密钥、地址和模型，或改用本地模型。',
  },
  'import-kimi-code': {
    what: '这是 kimi-code 的会话。Recollect 目前能读取 kimi-cli 的会话，还不能读取 kimi-code 的。',
    kept: '您的对话没有任何改动，这个会话也没有损坏。',
    do: '请保留会话文件夹：以后的版本也许能读取它。',
  },
  'import-unknown': {
    what: '这不是 Recollect 认识的导出文件。',
    kept: '你的对话没有任何改动。',
    do: '请选择 kimi-cli 会话文件夹或其 ZIP、ChatGPT 或 Claude.ai 的导出文件，或 Recollect 自己的导出文件。',
  },
  'import-binary': {
    what: '这个文件既不是文本也不是 ZIP，里面没有可读的对话。',
    kept: '你的对话没有任何改动。',
    do: '请选择导出文件本身：.zip、.json、.jsonl，或会话文件夹。',
  },
  'import-broken': {
    what: '文件已损坏或不完整，其中的内容不可信。',
    kept: '没有导入其中任何内容，你的对话没有改动。',
    do: '请重新下载导出文件，再导入一次。',
  },
  'import-too-large': {
    what: '文件太大，无法一次导入。',
    kept: '没有导入其中任何内容，你的对话没有改动。',
    do: '请先解压，再分批导入。',
  },
  'import-bomb': {
    what: '这个 ZIP 解压后的体积远超正常的导出文件，因此没有解压。',
    kept: '你的对话没有任何改动。',
    do: '如果你信任它，请自行解压，再导入需要的文件。',
  },
  'import-nested': {
    what: '这个 ZIP 里没有对话，只有另一个 ZIP。',
    kept: '你的对话没有任何改动。',
    do: '请先解压，再导入其中的 ZIP。',
  },
  'import-encrypted': {
    what: '这个 ZIP 有密码保护。',
    kept: '你的对话没有任何改动。',
    do: '请先用密码解压，再导入其中的文件夹或文件。',
  },
  'import-newer': {
    what: '这份导出来自更新版本的 Recollect。',
    kept: '没有导入其中任何内容，你的对话没有改动。',
    do: '请刷新页面换用新版本，再导入一次。',
  },
  'import-empty': {
    what: '这个文件里没有对话，也没有备忘。',
    kept: '你的对话没有任何改动。',
    do: '请确认这是完整的导出文件。有些服务发来的第一封邮件并不带数据。',
  },
  'import-storage': {
    what: '没有空间导入这些内容。',
    kept: '没有导入其中任何内容，你的对话没有改动。',
    do: '请到“设置 › 存储”腾出空间或调高上限，再导入一次。',
  },
  'import-limit': {
    what: '这次导入约需 {{needed, number}} MB，而上限 {{limit, number}} MB 已用去 {{used, number}} MB。',
    kept: '没有导入其中任何内容，你的对话没有改动。',
    do: '请到“设置 › 存储”调高上限，或彻底删除不需要的内容，再导入一次。',
  },
  'import-cut-off': {
    what: '标签页关闭时，“{{name}}”的导入中断了。',
    kept: '在那之前导入的内容都在你的资料库里。',
    do: '请再次导入同一个文件：已有的会被识别，其余的会补上。',
  },
  'export-too-large': {
    what: '对话“{{title}}”太大，导出后将无法读回。',
    kept: '没有写出任何文件，你的对话没有改动。',
    do: '请移除该对话中的文件，或把它导出为 Markdown，并单独导出其他对话。',
  },
  'command-unknown': {
    what: '没有 /{{name}} 这个命令。',
    kept: '你写的内容还在输入框里。',
    do: '$t(problems:command-unknown.near_{{nearest}}, {"defaultValue":"是不是想用 /{{nearest}}？输入 / 可查看全部命令。"})',
    near_: '输入 / 可查看全部命令。',
  },
  'command-argument': {
    what: '/{{command}}：“{{value}}”不能用作 {{argument}}。',
    what_missing: '/{{command}} 缺少 {{argument}}。',
    what_surplus: '/{{command}} 不需要更多内容，“{{value}}”是多余的。',
    kept: '你写的内容还在输入框里。',
    do: '$t(problems:command-argument.allowed_{{allowed}}, {"defaultValue":"允许的值：{{allowed}}。"})',
    allowed_: '输入 /help 查看每个命令的用法。',
  },
  'command-scopes': {
    what: '/{{command}}：“{{value}}”中的条件互相矛盾。',
    kept: '你写的内容还在输入框里。',
    do: '请去掉其中一个：逗号表示同时满足，不是任选其一。',
  },
  'command-here': {
    what: '/{{command}}：此对话没有工作目录，无法使用“here”。',
    kept: '你写的内容还在输入框里。',
    do: '请去掉“here”，或在有工作目录的对话中使用，例如导入的 kimi-cli 会话。',
  },
  'command-flag': {
    what: '/{{command}} 没有 {{flag}} 选项。',
    kept: '你写的内容还在输入框里。',
    do: '$t(problems:command-flag.allowed_{{allowed}}, {"defaultValue":"可用的选项：{{allowed}}。"})',
    allowed_: '它没有选项。',
  },
  'command-conversation': {
    what: '这里还没有对话。',
    kept: '你写的内容还在输入框里。',
    do: '这个命令要用在对话里：请先说点什么，或打开一个对话。',
  },
  'setting-invalid': {
    what: '{{key}} 不能设为 {{value}}。',
    kept: '原来的值继续有效。',
    do: '允许的值：{{allowed}}。',
  },
  'setting-unknown': {
    what: '没有 {{key}} 这项设置。',
    kept: '所有设置都保持原样。',
    do: '可用的有：{{allowed}}。',
  },
  'setting-encryption': {
    what: 'privacy.encrypt_local 不能设为 true：Recollect 不加密这台设备上的对话。',
    kept: '原来的值继续有效。API 密钥始终封存在本机，同步送出的内容始终加密。',
    do: '请保持 false。本机上的内容由你的系统账户和磁盘加密来保护。',
  },
  'settings-file': {
    what: '这不是 Recollect 的配置文件。',
    kept: '没有改动任何设置。',
    do: '请选择由 Recollect 导出的 YAML 文件。',
  },
  'settings-line': {
    what: '文件从第 {{line, number}} 行起无法读取。',
    kept: '没有改动任何设置。',
    do: '请修改这一行，或选择由 Recollect 导出的 YAML 文件。',
  },
  'settings-nested': {
    what: '这个文件的嵌套层数远超 Recollect 的任何配置。',
    kept: '没有改动任何设置。',
    do: '请选择由 Recollect 导出的 YAML 文件。',
  },
  'settings-twice': {
    what: '{{key}} 在文件中出现了两次：第 {{first, number}} 行和第 {{line, number}} 行。',
    kept: '没有改动任何设置。',
    do: '请删去其中一处，再重新导入。',
  },
  'sync-unpaired': {
    what: '这台设备还没有加入任何账户。',
    kept: '所有内容都保存在这台设备上。',
    do: '在“设置 › 同步”中设置同步，或与另一台设备配对。',
  },
  'sync-endpoint': {
    what: '{{endpoint}} 不是中继的地址。',
    kept: '没有任何改动。',
    do: '请输入以 wss:// 开头的地址（在自己的网络中可用 ws://）。',
  },
  'sync-link': {
    what: '这个配对链接不完整。',
    kept: '没有任何改动。',
    do: '请在另一台设备上复制完整的链接，或扫描它的二维码。',
  },
  'sync-phrase': {
    what: '这不是账户的 24 个单词。',
    kept: '没有任何改动。',
    do: '请与另一台设备逐个核对单词和顺序。共输入 {{count, number}} 个单词；不认识的：{{words}}',
  },
  'sync-no-account': {
    what: '中继上没有这把密钥能打开的内容。',
    kept: '这里和那里都没有写入或删除任何内容。',
    do: '请与另一台设备核对单词和中继地址，并等它完成第一次上传。',
  },
  'sync-offline': {
    what: '中继没有回应。',
    kept: '所有内容都保存在这台设备上。',
    do: '请检查网络和中继的地址。',
  },
  'sync-refused': {
    what: '中继听不懂这台设备的话。',
    kept: '所有内容都保存在这台设备上。',
    do: '请刷新页面以获得最新版本；如果仍然如此，请询问中继的管理者。',
  },
  'sync-auth': {
    what: '中继不允许这台设备进入。',
    kept: '所有内容都保存在这台设备上。',
    do: '请与中继的管理者核对地址和账户。',
  },
  'sync-quota': {
    what: '中继不再接收：账户空间已满，或某个对话超过了允许的大小。',
    kept: '所有内容都保存在这台设备上；中继上已有的也保留着。',
    do: '“设置 → 同步”的日志会指出是哪个对话。请申请更多空间，或在所有设备上忘掉较大的对话，然后再同步。',
  },
  'sync-deleted': {
    what: '这个账户在中继上已被清除。',
    kept: '所有内容都保存在这台设备上。',
    do: '请先在“设置 › 同步”中选择“重新设置”，对话会留在这里。如果这台设备是被关在门外的，之后请重新配对。',
  },
  'sync-upgrade': {
    what: '中继需要更新版本的 Recollect。',
    kept: '所有内容都保存在这台设备上。',
    do: '请刷新页面以获得新版本。',
  },
  'sync-rate': {
    what: '请求过于频繁，中继暂时关上了门。',
    kept: '所有内容都保存在这台设备上。',
    do: '请等几分钟，然后再同步。',
  },
  'sync-thread': {
    what: '同步目前无法在这个浏览器中运行。',
    kept: '所有内容都保存在这台设备上。',
    do: '每分钟会重试一次。如果仍然如此，请刷新页面，或关闭 Recollect 的其他标签页。',
  },
  'sync-unfetched': {
    what: '账户中的内容还没有全部到这台设备上。',
    kept: '没有任何改动，也没有设备被关在门外。',
    do: '请等同步取回全部内容，然后再试。',
  },
  'sync-older': {
    what: '这台设备加入时，中继给出的账户比另一台设备上的旧。',
    kept: '这台设备已加入。中继给出的内容都在这里。',
    do: '请在另一台设备上打开 Recollect，直到同步完成：它会补上中继缺少的内容。如果中继不是你自己的，请询问运营者。',
  },
  'conversation-missing': {
    what: '这个对话已经不在了。',
    kept: '其他内容没有受到影响。',
    do: '它可能已在这里或其他设备上被彻底删除。请到“设置 › 存储”的回收站看看。',
  },
  'conversation-ended': {
    what: '这是一个临时对话。',
    kept: '它已结束；除非你选择了保留，否则没有留下任何内容。',
    do: '请新建一个对话。值得留下的临时对话，在它结束之前可以保留。',
  },
  'tool-limit': {
    what: '模型一直调用工具而没有作答，已在 {{limit}} 步后停下。',
    kept: '它的全部调用和结果都在对话里。',
    do: '请把问题问得更具体，或在“设置 › 上下文”里允许更多步数。',
  },
  'checkpoint-unknown': {
    what: '没有名为“{{name}}”的检查点。',
    kept: '对话停在原处。',
    do: '相近的名称：{{nearest}}。/checkpoints 会列出全部检查点。',
  },
  'checkpoint-none': {
    what: '还没有可以回去的检查点。',
    kept: '对话停在原处。',
    do: '用 /checkpoint 给这里命名，或者继续提问：从第二个问题起，每个问题之前都可以回去。',
  },
  'compaction-failed': {
    what: '较早的消息没能精简：{{detail}}',
    kept: '没有任何改动，所有消息都在原处。',
    do: '请重试，或换一种策略：/compact --strategy session-memory 不需要模型。',
  },
  'compaction-fallback': {
    what: '{{wanted}} 的摘要没有成功（{{detail}}），已由 {{strategy}} 代替。',
    kept: '没有丢失任何消息，对话继续进行。',
    do: '请在分隔线处查看摘要。可以撤销，也可以给出要求后重新生成。',
  },
  'message-missing': {
    what: '这条消息已经不在了。',
    kept: '对话的其余部分是完整的。',
    do: '它可能已被遗忘。打开对话可以阅读前后的内容。',
  },
  'message-too-large': {
    what: '这条消息太大，无法保存。',
    kept: '它还在输入框里。',
    do: '请缩短内容，或把长的部分作为文件添加。',
  },
  'note-empty': {
    what: '备忘不能是空的。',
    kept: '没有任何改动。',
    do: '写下要记住的内容，或者删掉这条备忘。',
  },
  'note-too-long': {
    what: '这条备忘有 {{length}} 个字符，一条最多 {{limit}} 个。',
    kept: '没有任何改动，你写的内容还在输入框里。',
    do: '写短一些，或者拆成两条。',
  },
  'vault-unavailable': {
    what: '浏览器无法在这台设备上封存密钥。',
    kept: '所有对话都在。密钥没有保存。',
    do: '请通过 https 或 localhost 打开页面，并退出无痕模式。',
  },
  'part-missing': {
    what: '应用的这一部分无法加载。',
    kept: '已保存的内容都在，正在写的也在。',
    do: '请重新加载页面：可能另一个标签页已换成新版本。如果没有用，请检查是否联网。',
  },
  unexpected: {
    what: '发生了 Recollect 没有预料到的情况。',
    kept: '已保存的内容都在。',
    do: '请重试。若再次出现，请复制详细信息并反馈。',
  },
};
