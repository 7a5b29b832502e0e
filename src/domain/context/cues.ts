// What kind of thing a sentence says, read from its wording, in English and Chinese. Rules, not a model: they can miss, but they cost
// nothing and give the same answer every time.
import type { Message } from '../chat/message.ts';
import { sentencesOf } from '../text/sentences.ts';
import { ABBREVIATED, MAX_SENTENCE, type Unit, unitsOf } from './units.ts';

const QUESTION = /[?？][\s"'”’」』)）]*$|(?:吗|呢|么)[。.]?\s*$/;
export const isQuestion = (text: string): boolean => QUESTION.test(text);

// ---------------------------------------------------------------------------------------- constraints
/** Sets a rule wherever it stands in the sentence. */
const RULE_EN =
  /\b(?:(?:must|shall)(?:\s+not|n['’]t)?|mustn['’]t|may not|under no circumstances|from now on|going forward|at all times|without exception|not allowed|(?:is|are) (?:forbidden|off[- ]limits|mandatory|required)|(?:hard|strict) (?:limit|rule|requirement|constraint)|no (?:more|less|fewer|later|earlier|longer) than|at (?:most|least)|non-negotiable|make (?:absolutely )?sure|keep in mind|bear in mind|I (?:do not|don['’]t|never) want|I (?:require|insist)|(?:stick|keep) to)\b/i;
/** Sets a rule where a clause begins. */
const COMMAND_EN =
  /(?:^|[,;:.—–\-(]\s*|\b(?:please|and|but|so|also|then|just)\s+)(?:please\s+)?(?:(?:never|always)(?!\s+(?:on|in|at|for|been|a|an|the|had|has|have|seen|once|really|quite|again|saw|got|was|were|is|works?|worked|happens?|fails?|gets?)\b)|do not|don['’]t|avoid|only (?:use|ever|write|change|touch|answer|reply|run|edit|add)|remember (?:that|to|:|,|never|not)|(?:important|constraint|requirement|rule|reminder|note)s?\s*[:：])/i;
const NOT_RULE_EN =
  /\b(?:must (?:be|have) (?:been|a (?:bug|typo|mistake)|because|due|wrong|missing)|must['’]ve|I must (?:have|say|admit)|(?:don['’]t|do not) (?:know|think|believe|remember|recall|see|understand|get|mind|worry|have|care|like|feel|really|quite|even))\b/i;
const RULE_ZH =
  /必须|务必|一定(?:要|得|不)|不要|不能|不许|不准|不可以|不得|禁止|严禁|别再|别用|别动|别改|别碰|别把|别忘|(?<![一二三四五六七八九十百几数\d])千万|只能|只允许|只准|只用|始终|永远(?:不|别|用|保持)|以后(?:都|不|请)|从现在(?:起|开始)|今后|最多|至多|至少|不超过|不少于|不晚于|不早于|避免|记住|(?:硬性)?要求[:：是]|规则[:：]|约束[:：]|注意[:：]|请(?:保持|只|不要|勿|用中文|使用|统一|严格)/u;
const NOT_RULE_ZH = /是不是|能不能|要不要|可不可以|会不会|不要紧|不能说|不得不|不一定|至少我|说不定|不要钱/u;

/** Texts longer than this may be pasted rather than said: a page of somebody's rules is not carried from one request to the next. */
const SAID = 1_500;
/** So many rules of such a text are carried, and of what is neither in its first nor in its last sentences no more than these characters. */
const MOST_RULES = 16;
const MOST_BETWEEN = 2_000;
/** First and last sentences of a text, where a person says what the rest is for. */
const EDGE = 6;
const constraintCache = new WeakMap<Message, readonly string[]>();

/** True for a sentence with which a person sets a rule. */
export function setsRule(text: string): boolean {
  if (text.length > MAX_SENTENCE || isQuestion(text)) return false;
  if ((RULE_EN.test(text) || COMMAND_EN.test(text)) && !NOT_RULE_EN.test(text)) return true;
  return RULE_ZH.test(text) && !NOT_RULE_ZH.test(text);
}

const sentences = (text: string): string[] => {
  const cut = sentencesOf(text);
  return cut.some((sentence) => ABBREVIATED.test(sentence)) ? [text] : cut;
};

/** Of many rules those at the edges, and of the others the first, in order. `rules`: with whether they stand at an edge. */
function foremost(rules: ReadonlyMap<string, boolean>): string[] {
  let between = MOST_RULES - [...rules.values()].filter(Boolean).length;
  let charactersLeft = MOST_BETWEEN;
  return [...rules].flatMap(([text, edge]) => {
    if (edge) return [text];
    if (between <= 0 || text.length > charactersLeft) return [];
    between -= 1;
    charactersLeft -= text.length;
    return [text];
  });
}

/** The sentences of a message with which the person sets rules, verbatim and in order. Empty for everyone else's messages. */
export function constraintsOf(message: Message): readonly string[] {
  if (message.role !== 'user' || message.kind !== 'message') return [];
  const known = constraintCache.get(message);
  if (known) return known;
  const prose = unitsOf(message).filter(({ kind, quoted }) => kind === 'prose' && !quoted);
  const length = prose.reduce((sum, { text }) => sum + text.length, 0);
  const rules = new Map<string, boolean>();
  for (const [at, { text, sentence = text }] of prose.entries()) {
    const edge = length <= SAID || at < EDGE || at >= prose.length - EDGE;
    // Of several sentences that stand in one unit only those that set a rule have to be carried.
    for (const said of setsRule(sentence) || sentence.length > 40 ? sentences(sentence) : [])
      if (setsRule(said)) rules.set(said, (rules.get(said) ?? false) || edge);
  }
  const found = length <= SAID ? [...rules.keys()] : foremost(rules);
  constraintCache.set(message, found);
  return found;
}

// ---------------------------------------------------------------------------------------- limits
/** What is so and is to be reckoned with, though nobody says "must": what somebody can, may, has, or is not to touch. */
const LIMIT_EN =
  /\b(?:(?:who|what|which|that|it|he|she|they|this|everything|anything|\w+s?) (?:has|have) to (?!write|do|say|ask|get|go)|had better|only (?:one|two|with|when|after|before|copy|in|on|at|for)|nothing (?:is|else|may|leaves?|that|new|more|gets?)|nobody|no one|nowhere|cannot|can['’]t (?!be right|say|see|find|get)|(?:is|are|was|were) (?:not|over|out|frozen|closed|signed|taken|reserved|busy|off)\b(?! sure)|isn['’]t ours|not (?:permitted|allowed|possible)|hands off|stays? (?:out|off|at|in|with|below|above|under|as)|beforehand|in advance|up front|before that|belongs? to (?:another|some|the|him|her|them)|ha(?:s|ve) asked (?:for|that|us)|not a (?:cent|single|minute)|and that is all|that is the law|the law|allergic|whoever|whatever|gets? (?:no|none|dizzy|sick|seasick)|there is no|has no|within \S+ (?:\S+ )?(?:days?|weeks?|hours?)|my (?:own )?former|(?:our|my) \w+ (?:takes?|accepts?|lags?|bills?|pays?|carries|carry)|carries \S+ \w+|(?:ahead|latest|earliest|maximum|minimum|approved|permitted|forbidden)|until (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight|the|sunset))\b/i;
const LIMIT_ZH =
  /不(?:能|得|让|许|准|收|归|想|给|做|可以|会再|允许)|只(?:有|看|收|能|在|允许|剩)|(?:没|无)法|碰不得|封顶|批死|一概|到此为止|才行|不了|不掉|拿不出|看不到|就这(?:一|么)|都(?:算|是).{0,6}(?:事故|法律|违规)|得(?:空|随时|先|就着|去|在|合|提前|避开|问)|之前(?:要|得|完成|弄|交)|以(?:内|前|后)要|要在.{1,8}(?:之前|以前|以内)|空出来|禁|封(?:版|网)|没(?:有)?做过/u;

const SUGGESTS_EN =
  /\bI(?:['’]d| would)(?: not)? [a-z]+|\b(?:I|we)(?:['’](?:d|ll|ve)| would| will| have| had)?(?: \w+)? (?:suggest|recommend|propose|advise|decide|settle|name|call|estimate|expect|guess|plan|put|set|choose|chose|count|find|found|measure|pick|take|use|split|schedule|leave|left|keep|kept|book|open|go|assume|suspect|replace|confine|read|create|let|ask|offer|type|make|bet)(?:e?d|s)?\b|\bmy (?:reading|guess|suggestion|recommendation|favou?rite|proposal|estimate|chain|advice|plan|count|choice)\b|\b(?:first|second|third|one more) finding\b|\bis what (?:usually|carries|broke)\b/i;
const SUGGESTS_ZH =
  /我(?:\p{Script=Han}{0,3})?(?:建议|推荐|打算|倾向|估计|算了|定了|选|会|把|请|叫它|叫|放|排|拆|改|给|想用|保持|设|分)|建议|推荐|估计|预计|多半|倾向|任务名|取名|片名|提案|还发现|顺便/u;

/** True for a sentence of an assistant with which it suggests, decides, estimates or names something. */
export const suggests = (text: string): boolean =>
  text.length <= MAX_SENTENCE && !isQuestion(text) && (SUGGESTS_EN.test(text) || SUGGESTS_ZH.test(text));

/** True for a sentence of a person that tells what has to be reckoned with, though it sets no rule in so many words. */
export const limits = (text: string): boolean =>
  text.length <= MAX_SENTENCE && !isQuestion(text) && (LIMIT_EN.test(text) || LIMIT_ZH.test(text));

// ---------------------------------------------------------------------------------------- corrections
const CORRECTS_EN =
  /^\W*(?:no\b(?!\s+(?:problem|worries|need|idea|rush|one|more))|nope\b|actually\b|wait\b|hold on\b|oops\b|sorry,|my mistake|my bad|correction\b|scratch that|strike that|I (?:meant|misspoke|mis-?typed|was wrong)|on second thought|let me correct|change of plan|small correction|quick correction|update\s*[:：-])|\b(?:that['’]?s|it['’]?s|was|is) (?:wrong|incorrect|outdated|not right)\b|\bshould (?:actually )?(?:be|read|have been|say)\b|\b(?:changed|moved|bumped|switched|raised|lowered|updated|pushed|renamed|shifted|extended) (?:\S+ ){0,4}?(?:to|from)\b|\b(?:make (?:it|that)|it['’]?s now|is now|are now|now it['’]?s|instead of|rather than|no longer|not\s+\S{1,40}\s*(?:,|but)\s)|\d\S{0,20}\s+now\b/i;
const CORRECTS_ZH =
  /^\W*(?:不对|不是[,，]|不[,，]|错了|等等|等一下|更正|纠正|订正|其实|抱歉|我说错|说错|记错|刚才(?:说|写|打)错|改一下|更新一下)|应该是|应为|改成|改为|改到|改用|换成|调整为|调到|推迟到|提前到|搞错|弄错|写错|不再是|而不是|不是.{1,30}[,，]?\s*(?:是|而是)|现在是|变成了/u;

/** True for words with which something said before is set right. */
export const corrects = (text: string): boolean =>
  text.length <= 400 && !isQuestion(text) && (CORRECTS_EN.test(text) || CORRECTS_ZH.test(text));

// ---------------------------------------------------------------------------------------- the rest
const DECIDES =
  /\b(?:decided|decision|agreed|settled on|(?:let['’]s|we['’]?(?:ll| will)?|I['’]?(?:ll| will)?) (?:go|use|pick|choose|stick|switch|move|adopt|take|keep|ship|call)|going with|go with|went with|we (?:chose|picked|use)|approved|signed off|final (?:choice|answer|version)|confirmed)\b|决定|就用|采用|选择了?|选定|选了|定下|定为|敲定|同意|改用|最终|确定(?:用|为|了|是)|确认|拍板|方案是|就这么/i;
const LEFT_TO_DO =
  /\b(?:TODO|FIXME|to-?do|next steps?|still (?:need|have|must)|remaining|left to do|follow[- ]?up|needs? to be|have yet to|not yet|later (?:we|I)|deadline|due (?:on|by|date)|action items?|remind me|open (?:question|issue))\b|待办|还(?:需要|要|得|没)|接下来|下一步|剩下|之后(?:要|再)|截止|到期|待(?:处理|解决|确认)|未完成|别忘|记得/i;
const GOES_WRONG =
  /\b(?:error|exception|fail(?:s|ed|ing|ure)?|traceback|crash(?:es|ed|ing)?|panic|bug|broken|timed? ?out|timeout|cannot|could not|couldn['’]t|refused|denied|undefined|segfault|exit (?:code|status) [1-9])\b|错误|报错|异常|失败|崩溃|超时|拒绝|找不到|出错|不工作|挂了/i;
/** `ECONNRESET`; in small letters it would be every word like "every". */
const ERROR_CODE = /\bE[A-Z]{4,}\b/u;
const GETS_FIXED =
  /\b(?:fix(?:ed|es|ing)?|resolved?|solved|root cause|turned out|caused by|because of|the (?:problem|issue|culprit|reason|cause) (?:was|is)|workaround|works now|by (?:adding|setting|changing|removing))\b|修复|修好|解决|原因是|根因|问题出在|是因为|罪魁|导致|绕过/i;
const ABOUT_PERSON =
  /\b(?:my (?:name|wife|husband|partner|son|daughter|dog|cat|team|boss|manager|birthday|address|email|phone|budget|favou?rite|allerg\w*|flight|landlord|doctor)|I['’]?m (?:allergic|from|based|vegetarian|vegan|a \w+)|I (?:live|work|prefer|like|love|hate|use|own|have|drive|speak)|we (?:live|have|use|run|are based))\b|我(?:叫|姓|住|喜欢|讨厌|对.{1,8}过敏|是|在.{1,10}工作|用的|有)|我的|我们(?:公司|团队|用|有|在)|我(?:老婆|老公|女儿|儿子|妈|爸)/i;
const STATES =
  /\b(?:is|are|was|were|will be|costs?|runs?|lives?|located|called|named|means|equals|set to|takes|starts?|ends?|uses?|weighs|measures|arrives?|leaves?|listens?|expires?|belongs?|has|have)\b|[:=：]|是|为|叫|在|位于|设置?为|等于|需要|用的是|有|花了|共/i;

const ACK_EN =
  /^\W*(?:ok(?:ay)?|sure|great|thanks?(?: you)?|got it|sounds good|perfect|yes|yep|yeah|alright|right|cool|nice|done|go ahead|do it|please (?:do|continue|go ahead)|continue|exactly|agreed|understood|will do|of course|certainly|no problem|you['’]?re welcome|makes sense)\b/i;
const ACK_ZH =
  /^\s*(?:好的?|好呀|行|可以|没问题|收到|明白|了解|嗯+|对|是的|谢谢|继续|就这样|按你说的|辛苦|不客气|当然|没错|同意)/u;

/** True for words that only agree, thank or say "go on": nothing is lost without them. */
export const isAcknowledgement = (text: string): boolean =>
  text.length <= 60 && !/\d/.test(text) && !/[`/\\]/.test(text) && (ACK_EN.test(text) || ACK_ZH.test(text));

export const decides = (text: string): boolean => DECIDES.test(text);
export const leavesToDo = (text: string): boolean => LEFT_TO_DO.test(text);
export const goesWrong = (text: string): boolean => GOES_WRONG.test(text) || ERROR_CODE.test(text);
export const getsFixed = (text: string): boolean => GETS_FIXED.test(text);
export const isAboutPerson = (text: string): boolean => ABOUT_PERSON.test(text);
export const states = (text: string): boolean => STATES.test(text);

// ---------------------------------------------------------------------------------------- values
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

/** What a text has in it, seen at one glance: most kinds need some of it, and a glance costs less than their patterns. */
interface Glance {
  readonly digit: boolean;
  /** Anything beyond ASCII. */
  readonly wide: boolean;
  /** Behind the first character. */
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

/** Kind, what it looks like, and what a text must have for it to be possible. */
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

/** The kinds of values a text holds. */
function valuesIn(text: string): Set<ValueKind> {
  const kinds = new Set<ValueKind>();
  const has = glance(text);
  for (const [kind, pattern, possible] of VALUES)
    if (possible(text, has) && pattern.test(text)) kinds.add(kind);
  return kinds;
}

export function valuesOf(unit: Unit): ReadonlySet<ValueKind> {
  let kinds = kindsCache.get(unit);
  if (!kinds) {
    kinds = valuesIn(unit.text);
    kindsCache.set(unit, kinds);
  }
  return kinds;
}

/** What a question's wording lets one expect of its answer. */
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

/** The kinds of values that would answer a question, the likeliest first; empty where its wording does not tell. */
export function expectedIn(question: string): ValueKind[] {
  const kinds = new Set<ValueKind>();
  for (const [pattern, expected] of EXPECTED)
    if (pattern.test(question)) for (const kind of expected) kinds.add(kind);
  return [...kinds];
}
