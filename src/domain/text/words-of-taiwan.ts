// Words that Taiwan has otherwise than China, most of them of computers: `軟體` is `软件`. Written down from everyday use
// in both places, as their public documentation has it. Words that China has as well, in another sense, are left out.
import { once } from '../base/once.ts';

/** In pairs: of Taiwan in its own characters, of China in simplified ones; a word that only holds one is itself. */
const PAIRS =
  '軟體:软件 硬體:硬件 韌體:固件 資料庫:数据库 資料夾:文件夹 資料表:数据表 資料結構:数据结构 資料型別:数据类型 資料來源:数据源 資料中心:数据中心 大數據:大数据 檔案:文件 檔名:文件名 程式:程序 方程式:方程式 程式碼:代码 程式設計:编程 程式語言:编程语言 程式庫:程序库 函式庫:函数库 函式:函数 原始碼:源代码 開源碼:开源代码 演算法:算法 變數:变量 陣列:数组 字串:字符串 迴圈:循环 執行緒:线程 多執行緒:多线程 行程間:进程间 佇列:队列 堆疊:堆栈 遞迴:递归 列舉:枚举 字元:字符 位元組:字节 位元:比特 字型:字体 型別:类型 物件導向:面向对象 建構函式:构造函数 指令碼:脚本 後設資料:元数据 模組:模块 外掛:插件 擴充功能:扩展 相容:兼容 專案:项目 排程:调度 憑證:证书 金鑰:密钥 快取:缓存 除錯:调试 偵錯:调试 最佳化:优化 預設:默认 設定:设置 介面:界面 使用者:用户 用戶端:客户端 伺服器:服务器 網路:网络 網際網路:互联网 區域網路:局域网 無線網路:无线网络 網咖:网吧 部落格:博客 登入:登录 帳號:账号 帳戶:账户 連結:链接 連線:连接 線上:在线 頻寬:带宽 寬頻:宽带 通訊協定:通信协议 協定:协议 封包:数据包 閘道:网关 交換器:交换机 雲端:云端 虛擬機器:虚拟机 作業系統:操作系统 應用程式:应用程序 瀏覽器:浏览器 搜尋:搜索 滑鼠:鼠标 游標:光标 螢幕:屏幕 解析度:分辨率 畫素:像素 圖示:图标 影像:图像 影片:视频 視訊:视频 音訊:音频 簡訊:短信 訊息:消息 資訊:信息 訊號:信号 記憶體:内存 硬碟:硬盘 磁碟:磁盘 光碟:光盘 印表機:打印机 列印:打印 剪貼簿:剪贴板 快速鍵:快捷键 點選:点击 拖曳:拖动 試算表:电子表格 範本:模板 回饋:反馈 智慧型手機:智能手机 人工智慧:人工智能 行動電話:移动电话 行動裝置:移动设备 行動支付:移动支付 數位:数字 奈米:纳米 雷射:激光 矽谷:硅谷 半導體:半导体 品質:质量 計畫:计划 計程車:出租车 公車:公交车 捷運:地铁 腳踏車:自行车 機車:摩托车 飯店:酒店 冷氣:空调 馬鈴薯:土豆 鳳梨:菠萝 優格:酸奶 起司:奶酪 速食麵:方便面 泡麵:方便面 幼稚園:幼儿园 身分證:身份证 提款機:取款机 紐西蘭:新西兰 義大利:意大利 寮國:老挝 川普:特朗普 四川普:四川普 普丁:普京 杜拜:迪拜 歐巴馬:奥巴马';

const ofChina = once(() => new Map(PAIRS.split(' ').map((pair) => pair.split(':') as [string, string])));
/** The longest first: `程式碼` is no `程式`. */
const OF_TAIWAN = once(
  () => new RegExp([...ofChina().keys()].sort((one, other) => other.length - one.length).join('|'), 'g'),
);
const KANA = /[\u3041-\u30ff]/;

/**
 * The words of China for those of Taiwan in a run of characters, simplified; none of Japanese, which has some of the
 * same words.
 */
export function inWordsOfChina(run: string): readonly string[] {
  if (KANA.test(run)) return [];
  return [...run.matchAll(OF_TAIWAN())].map(([word]) => ofChina().get(word) as string);
}
