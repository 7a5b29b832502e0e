// 框架的文字：侧栏、面板、快捷键、提示。
export const shell = {
  close: '关闭',
  cancel: '取消',
  copyDetails: '复制详情',
  copied: '已复制',
};
