// 斜杠命令。每个命令有一行简介，每个参数和选项有一行说明。
export const commands = {
  recall: {
    summary: '在其他对话中查找片段',
    query: '要找的内容；不写则用最后一条消息',
    limit: '最多返回几个片段',
    'with-context': '连同前后的消息',
    'jump-to': '打开此编号的片段',
    explain: '显示排序背后的每个数字',
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
    exported_other: '已导出 {{count, number}} 个对话',
  },
};
