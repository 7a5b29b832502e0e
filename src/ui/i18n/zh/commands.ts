// 斜杠命令。每个命令有一行简介，每个参数和选项有一行说明。
export const commands = {
  recall: {
    summary: '在其他对话中查找片段',
    query: '要找的内容；不写则用最后一条消息',
    limit: '最多返回几个片段',
    'with-context': '连同前后的消息',
    'jump-to': '打开此编号的片段',
    explain: '预演：列出全部分数和将要发送的内容',
    scope: 'here（当前目录）、pinned、archived、日期或 2025-01..2025-03 这样的范围',
  },
  compact: {
    summary: '把较早的消息折叠成摘要，让对话放得进模型',
    text: '摘要必须保留的内容',
    preview: '先显示保留什么、折叠什么，等您确认',
    strategy: '用哪种策略',
  },
  checkpoint: {
    summary: '给对话的这个位置命名',
    name: '名称；不写则用编号',
  },
  checkpoints: {
    summary: '列出可以回到的位置',
    diff: '要比较的检查点',
    with: '与哪个检查点比较；不写则与当前位置比较',
  },
  restore: {
    summary: '回到一个检查点；之后的内容保留在自己的分支上',
    checkpoint: '检查点名称，或消息的 id',
  },
  dmail: {
    summary: '把一条留言送回检查点，并从那里继续',
    note: '要让过去知道的事',
    to: '检查点；不写则用最近的一个',
  },
  memory: {
    summary: '管理记住的内容',
    action: '要做的事',
    list: '列出最近的对话',
    search: '查找对话',
    archive: '归档一个对话',
    delete: '把一个对话移到回收站',
    export: '把对话存为文件',
    status: '查看索引进度',
    config: '打开记忆设置',
    query: '标题或正文中的词；归档、删除和导出时为标题或编号',
    limit: '最多几个',
    format: 'json（完整）或 markdown',
    all: '全部对话',
    archived: '包括已归档的',
  },
  new: {
    summary: '开始新对话',
    text: '第一条消息',
  },
  title: {
    summary: '给当前对话改名',
    text: '新标题',
  },
  help: {
    summary: '显示全部命令',
    command: '要说明的命令',
  },
  done: {
    archived_other: '已归档 {{count, number}} 个对话',
    unarchived_other: '已将 {{count, number}} 个对话移出归档',
    deleted_other: '已将 {{count, number}} 个对话移到回收站',
    titled: '已改名为“{{title}}”',
    checkpointed: '已设置检查点“{{name}}”',
    restored: '已回到“{{name}}”。之后的内容在它自己的分支上。',
    dmailed: '已送回“{{name}}”。离开的分支仍然保留。',
    exported_other: '已导出 {{count, number}} 个对话',
  },
};
