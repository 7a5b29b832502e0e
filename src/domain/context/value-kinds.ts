// Recognises kinds of values in a text, and the kinds that a question expects, by their form.
import type { Unit } from './units.ts';

/** Kinds of thing that answer questions. */
export type ValueKind =
  | 'number'
  | 'money'
  | 'date'
  | 'path'
  | 'url'
  | 'version'
  | 'command'
  | 'code'
  | 'name'
  | 'quoted'
  | 'duration'
  | 'email';

/** Facts about a text, found once: most kinds need some of them, which costs less than their patterns. */
interface Glance {
  readonly digit: boolean;
  /** Has characters beyond ASCII. */
  readonly wide: boolean;
  /** Has a capital after the first character. */
  readonly capital: boolean;
}

function glance(text: string): Glance {
  let [digit, wide, capital] = [false, false, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digit = true;
    else if (code > 0x7f) wide = true;
    else if (at > 0 && code >= 65 && code <= 90) capital = true;
  }
  return { digit, wide, capital };
}

const WEEKDAY = /day\b/i;
const QUOTES = /["“「『`']/;

/** Kind, pattern, and the facts without which it is impossible. */
const VALUES: readonly (readonly [ValueKind, RegExp, (text: string, has: Glance) => boolean])[] = [
  [
    'money',
    /[$€£¥￥]\s?\d|\d[,.]{0,2}\s?(?:USD|EUR|GBP|CNY|RMB|dollars?|euros?|pounds?|bucks|元|块钱?|万元?|美元|欧元|人民币)/i,
    (_, { digit }) => digit,
  ],
  [
    'date',
    /\b\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?\b|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?\s+\d|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b\d{1,2}(?::\d{2})?\s?(?:am|pm)\b|\b\d{1,2}:\d{2}\b|\d\s?[年月日号点]|(?:周|星期|礼拜)[一二三四五六日天]|(?:上|下|中)午|[一二三四五六七八九十](?:月|点|号)/i,
    (text, { digit, wide }) => digit || wide || WEEKDAY.test(text),
  ],
  [
    'duration',
    /\d\s?(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|hrs?|days?|weeks?|months?|years?)\b|\d\s?(?:毫秒|秒|分钟|小时|天|周|个月|年)|[一二两三四五六七八九十半](?:秒|分钟|小时|天|周|个月|年)/i,
    (_, { digit, wide }) => digit || wide,
  ],
  [
    'url',
    /\bhttps?:\/\/\S|[\w-]\.(?:com|org|net|io|dev|cn|internal|local|app|ai)\b/i,
    (text) => text.includes('.') || text.includes('://'),
  ],
  ['email', /[\w.+-]@[\w-]{1,63}\.[\w.-]/u, (text) => text.includes('@')],
  [
    'path',
    /(?:^|[\s"'`(（：:])(?:~|\.{1,2})?\/[\w.@-]|\w[@-]{0,8}\/[\w.@-]|[\w-]\.(?:tsx?|jsx?|mjs|py|rs|go|java|kt|rb|php|c|h|cpp|cs|swift|sh|sql|ya?ml|toml|json|md|txt|csv|env|conf|cfg|ini|lock|xml|html|css|log|pdf|xlsx?|docx?|png|jpe?g|zip|gz|db|sqlite)\b|[A-Z]:\\\S/u,
    (text) => text.includes('/') || text.includes('.') || text.includes('\\'),
  ],
  [
    'version',
    /\bv?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?\b(?!\s?(?:[KMGT]i?B\b|ms\b|s\b|%|毫米|厘米|公里|米|元|块|万|度|秒|分|小时))/i,
    (_, { digit }) => digit,
  ],
  [
    'command',
    /`[^`][^`\s]*\s[^`]*`|\b(?:npm|npx|yarn|pnpm|git|docker|kubectl|pip|cargo|go|make|python3?|node|curl|ssh|sudo|psql|helm|terraform|brew|apt|systemctl)\s+[\w./-]|(?:^|\s)--?[a-z][\w-]/u,
    () => true,
  ],
  ['quoted', /["“「『][^"”」』]{1,60}["”」』]|`[^`]+`|'[^']{2,60}'/u, (text) => QUOTES.test(text)],
  [
    'code',
    /\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b[a-z]+(?:_[a-z0-9]+)+\b|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b|\b(?=[a-f0-9]*\d)(?=[a-f0-9]*[a-f])[a-f0-9]{7,40}\b|\b[A-Z]{2,6}-\d+\b/u,
    () => true,
  ],
  [
    'name',
    /(?<=[\p{L}\d,;:'"’)]\s)\p{Lu}[\p{L}'’-]+|\b(?:Mr|Mrs|Ms|Dr|Prof)\.?\s\p{Lu}|[\p{Script=Han}]{2,8}(?:公司|银行|大学|学院|医院|路|街|区|市|县|村|镇|楼|号楼|酒店|小院|餐厅|物流|科技|集团)|[\p{Script=Han}](?:老师|师傅|医生|经理|教授|先生|女士|小姐|总监|阿姨|叔叔|姐|哥|姨|叔)|(?:叫做?|名叫|名字是|店名|名为|姓)[\p{Script=Han}\w]|(?<![\p{Script=Han}]|在|去|是|由|找|给|跟|让|叫|的)[小老阿][\p{Script=Han}](?![\p{Script=Han}]{3})|(?<=[在去是由找给跟让叫的])[小老阿](?!时|学|区|组|是|师|板|家|里|爷|婆|公)[\p{Script=Han}]|在[\p{Script=Han}]{2,4}(?:考|住|工作|上班|读|开|见|办|举行|出发|出差)|(?:由|找|给|跟|让|是|叫|，|。|、|：|“|^)(?:欧阳|司马|上官|诸葛|[赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵汪祁毛禹狄米贝明臧戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季贾路江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万柯管卢莫房裘缪解应宗丁宣邓郁单杭洪包左石崔吉龚程邢裴陆荣翁荀甄曲封段侯武刘龙叶司黎乔闻党翟谭姬申冉宿柴瞿阎连习艾向古易廖庾]) ?[\p{Script=Han}]{1,2}(?=[负说来是的在和把，。、；：”）]|$)/u,
    (_, { wide, capital }) => wide || capital,
  ],
  [
    'number',
    /\d|[零一二两三四五六七八九十百千万亿]{2,}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million|dozen)\b/i,
    () => true,
  ],
];

const kindsCache = new WeakMap<Unit, ReadonlySet<ValueKind>>();

/** Lists the kinds of values in a text. */
function valuesIn(text: string): Set<ValueKind> {
  const kinds = new Set<ValueKind>();
  const has = glance(text);
  for (const [kind, pattern, possible] of VALUES)
    if (possible(text, has) && pattern.test(text)) kinds.add(kind);
  return kinds;
}

/** Kinds of values in the unit's text, cached for the unit's life. */
export function valuesOf(unit: Unit): ReadonlySet<ValueKind> {
  let kinds = kindsCache.get(unit);
  if (!kinds) {
    kinds = valuesIn(unit.text);
    kindsCache.set(unit, kinds);
  }
  return kinds;
}

/** Patterns of a question's wording, each with the kinds of its answer. */
const EXPECTED: readonly (readonly [RegExp, readonly ValueKind[]])[] = [
  [
    /\bhow (?:much|expensive)\b|\b(?:price|cost|budget|fee|rent|salary|deposit|spend|pay)\b|多少钱|价格|费用|预算|租金|工资|押金|花(?:了|费)/i,
    ['money', 'number'],
  ],
  [
    /\bwhen\b|\bwhat (?:date|day|time)\b|\bwhich (?:date|day|month|week)\b|\b(?:deadline|birthday|schedule|appointment)\b|什么时候|何时|哪(?:天|一天|月|年)|几(?:点|月|号|日)|星期几|周几|日期|截止|时间/i,
    ['date', 'duration', 'number'],
  ],
  [
    /\bhow (?:long|often|soon|old)\b|\b(?:timeout|interval|duration|ttl|delay|expiry|retention)\b|多久|多长时间|超时|间隔|时长|有效期/i,
    ['duration', 'number', 'date'],
  ],
  [
    /\bhow (?:many|big|large|far|tall|heavy|fast|high)\b|\b(?:number|count|limit|size|port|threshold|id|code|ratio|percent\w*|score|version|pin|phone)\b|多少|几(?:个|次|人|台|条|位|页|章|本)|数量|上限|大小|端口|阈值|比例|编号|号码|次数|容量/i,
    ['number', 'money', 'duration', 'version', 'code'],
  ],
  [/\bversions?\b|版本/i, ['version', 'number']],
  [
    /\bwhich (?:file|folder|directory|path|branch|table|module)\b|\b(?:path|file ?name|file|directory|folder|located)\b|路径|哪个(?:文件|目录|分支|表|模块)|文件名|目录/i,
    ['path', 'url', 'code', 'name', 'quoted'],
  ],
  [
    /\b(?:url|link|endpoint|address|domain|host(?:name)?|website|site|bucket|region)\b|网址|链接|地址|域名|接口|主机/i,
    ['url', 'path', 'code', 'quoted', 'name'],
  ],
  [/\b(?:e-?mail)\b|邮箱|邮件地址/i, ['email']],
  [
    /\b(?:command|flag|option|run|script|switch)\b|命令|参数|选项|脚本/i,
    ['command', 'code', 'quoted', 'path'],
  ],
  [
    /\bwho(?:m|se)?\b|\b(?:name|called|person|contact|owner|author|reviewer|city|town|country|hotel|restaurant|company|school|brand|street)\b|谁|城市|哪(?:家|里|儿|座|所)|品牌|学校|公司|叫什么|名字|姓名|负责人|联系人/i,
    ['name', 'quoted', 'code'],
  ],
  [
    /\b(?:function|variable|class|method|column|field|key|library|package|table|database|branch|flag|algorithm|header|module|constant|tests?|service|job|pod|container|unit|bucket|queue|topic)\b|函数|变量|类名|方法|字段|[数仓]据?库|[表库]名|哪[个张]表|分支|算法|常量|测试|用例|服务|容器|任务|队列|(?:依赖|软件|安装)包/i,
    ['code', 'quoted', 'command', 'path', 'name', 'version'],
  ],
];

/**
 * Lists the kinds of values that would answer a question, the likeliest first; empty if its wording does not show any.
 */
export function expectedIn(question: string): ValueKind[] {
  const kinds = new Set<ValueKind>();
  for (const [pattern, expected] of EXPECTED)
    if (pattern.test(question)) for (const kind of expected) kinds.add(kind);
  return [...kinds];
}
