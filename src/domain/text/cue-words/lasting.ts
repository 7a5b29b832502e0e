// Shows the kind and the topic of a memory note, and what makes a sentence none.
export const REQUESTS =
  /^(?:please |can you |could you )?(?:write|give|make|set|find|draft|translate|explain|summari[sz]e|suggest|plan|fix|show|tell|create|add|convert|compare|correct)\b|^(?:请|帮我|给我|把|写|给|再)/iu;
export const OWN = /\b(?:i|i['’]m|i['’]ve|my|me|we|our|us)\b|[我咱]/iu;

/** "…, okay?" asks for no more than a nod. */
export const NODDING = /[,，]\s?(?:ok|okay|right|please|alright|好吗|行吗|好不好|可以吗)\s?[?？]\s*$/iu;
/** Hearsay, and what a sign, a log or an output says. */
export const REPORTED =
  /\b(?:the|a|this|that) (?:sign|label|poster|log|log line|output|console|terminal|error|message|warning)(?: \p{L}+){0,4} (?:reads?|says?|prints?|shows?|is|was)\b|\bused to say\b|(?:牌子|标签|海报|报错|日志|输出|短信|便条)(?:里|上|中)?(?:都)?(?:写着?|是|为|说|显示|打印)|\b(?:according to|apparently|allegedly)\b|\b(?:the|a|this|that) (?:\w+ )?(?:docs?|documentation|manual|article|report|paper|study|studies|website|site|law|recipe|author|review|book|film|movie|story) (?:says?|claims?|states?|tells?|recommends?|suggests?)\b|据说|听说|据报道|(?:说明书|文档|文章|手册|菜谱|报告|网站|网上|书|新闻|论文)(?:里|上|中)?(?:都)?(?:写着?|说|讲|建议|要求|提到)/iu;
/** Suppositions, and roles that are played. */
export const IMAGINED =
  /^(?:suppose|imagine|pretend|picture|what if|if i were|let['’]?s (?:say|assume|imagine|suppose)|say (?:i|we|you)|assume|假如|假设|要是|想象|比方说|比如说)\b|^(?:假如|假设|要是|想象|比方说|比如说)|^(?:(?:from now on|now|ok|okay|today),? ){0,2}you(?:['’]re| are)(?: now)? (?:an?|my|the|\p{L}+ (?:holmes|and i(?:['’]m| am)))\b|\b(?:in an? (?:perfect|ideal|dream) world)\b|^(?:你|从现在起你|现在你|你现在)(?:就)?是(?:一?[个名位]|我(?:的)?|\p{Script=Han}{2,6}[，,]\s?我(?:是|当|演))|理想情况|\bi['’]d (?:be|make) an? (?:terrible|bad|poor|good|great|perfect)\b|\bif (?:i|we|it) (?:were|was|had|lived)\b|^如果[我咱]/iu;

/** Begins a play: whatever the message says is said in a role. */
export const PLAYED =
  /\b(?:pretend (?:to be|we|you|i)|role-?play|act as (?:if|an?|my|the)|let['’]?s (?:play|pretend)|play(?:ing)? the (?:role|part))\b|扮演|假装|玩(?:一)?个?游戏|一起演/iu;
/** From here on a message holds a text to work on, or one that is made up. */
export const MATERIAL =
  /\b(?:translate|proofread|rewrite|rephrase|reword|paraphrase|shorten|polish|summari[sz]e|(?:correct|check|edit|fix|improve|analy[sz]e) (?:this|these|the|my|our) (?:\w+ )?(?:grammar|spelling|english|german|french|spanish|italian|chinese|sentences?|texts?|paragraphs?|letters?|e-?mails?|mails?|wording|style|essay|mistakes?|errors?)|(?:in|into) (?:english|german|french|spanish|italian|chinese|japanese|portuguese))\b[^:\n]{0,60}:|\b(?:write|compose|invent|make up)\b[^:\n]{0,40}\b(?:monologue|story|tale|poem|song|lyrics|dialogue|dialog|scene|script|sketch|joke|novel|speech)\b[^:\n]{0,60}:|(?:翻译|译成|润色|改写|校对|改病?句|改错|总结|概括|(?:修改|改一?下|检查一?下|看看).{0,6}(?:作文|句|文章?|信|邮件|语法|段落?)).{0,20}[：:]|写.{0,12}(?:独白|诗|歌词?|故事|小说|对话|剧本|段子|台词|作文).{0,12}[：:]/iu;
/** Words of others between marks, from three words or six characters on; a shorter one is a name. */
export const QUOTATION =
  /"[^"\n]{0,400}"|“[^“”\n]{0,400}”|「[^「」\n]{0,400}」|『[^『』\n]{0,400}』|«[^«»\n]{0,400}»/gu;

/** Statements of others about others, without a word about the person. */
export const OF_OTHERS =
  /^(?:he|she|they|his|her|their|some people|most people|many people)\b|,? (?:he|she|they) (?:said|says)\W*$|^[他她](?:们|说|的)?|^(?:有些|有的|很多|不少|大多数|一般)人|的人(?:都|要|应该|会|得|可以|不能)/iu;
/** Contents of a picture or a story. */
export const SHOWN =
  /\b(?:the|a|my|our) (?:\w+ )?(?:characters?|hero(?:ine)?|protagonist|narrator|villain)\b|\bin (?:the|this|my|that) (?:photo|image|screenshot|diagram|story|novel|scene|poem|film|movie)\b|(?:故事|小说|剧本|图|图片|照片|截图|电影)(?:里|中|上)|主角|女主|男主/iu;
/** Passing matters: a step of the work at hand, an hour, a wish for this answer. */
export const PASSING =
  /\bi(?:['’]?ve| have)? just (?:opened|read|copied|ran|run|tried|saw|seen|got|noticed|pasted|installed|clicked|finished reading|checked)\b|\bi(?:['’]m| am) (?:\w+ )?(?:trying|getting|reading|looking|seeing|running|opening|copying|waiting|testing)\b.{0,40}\b(?:right now|your|error|(?:the|a|an|this|that) (?:pdf|file|code|link|page|script|output|logs?|answer|attachment))\b|\bin (?:a|one|two|five|ten|fifteen|twenty|thirty|an|half an|\d+) (?:minutes?|hours?)\b|\bon (?:the|my|our) way (?:home|to)\b|\bi['’]?d like (?:an?|some|the|\d+|two|three) (?!\w+ (?:of mine|every|each))(?:\w+ ){0,2}(?:list|example|title|summary|table|draft|version|outline|overview|name|idea|suggestion|explanation|translation|script|function)s?\b|我(?:刚|刚刚|刚才|正在|正)(?:打开|看|读|跑|运行|试|复制|下载|安装|点|收到|查|装)|(?:分钟|小时)(?:后|之后)(?:要|得|就)|(?:昨晚|今晚|刚才)(?:没|遇|看|下|睡)|下午遇/iu;
/** Names a thing that a body does not bear: a fact, no matter of taste. */
export const NOT_BORNE =
  /\b(?:allergic|allerg(?:y|ies)|intolerant|intolerance|coeliac|celiac)\b|过敏|不耐受|乳糜泻/iu;
/** Opens a sentence that asks to remember what follows, or names it a rule: a note needs the rest alone. */
export const ASKED_TO_KEEP = new RegExp(
  [
    "^(?:(?:please|and|also|so|oh|ok|okay|by the way|one more thing)[,:]? )*(?:(?:remember|don['’]t forget) to(?= \\p{L})|(?:remember|don['’]t forget|keep in mind|bear in mind|note|for (?:the record|future reference)|fyi)(?:\\s?[:：,—–-]| that(?= [\\p{L}\\p{N}])|(?= (?:i|i['’]\\p{L}+|my|we|we['’]\\p{L}+|our) ))|(?:note to self|(?:important |general |house )?(?:rule|reminder))\\s?[:：])\\s?",
    '^(?:(?:另外|还有|对了|顺便|以后)[,，]?)?(?:请|麻烦|劳烦)?(?:帮我|替我|给我)?你?(?:一定|千万|务必)?要?(?:记住|记得|记好|记牢|牢记|记下来?|记一下|(?:别|不要)忘[了记]?)(?:一下|这一?点|[哦啊了])?(?:\\s?[:：,，、]\\s?|(?=[^\\s\\p{P}]))',
    '^(?:规则|提醒|备忘|注意)\\s?[:：]\\s?',
  ].join('|'),
  'iu',
);
export const ITS_PERSON = /\b(?:i|i['’](?:m|ve|d|ll)|my|me|mine|we|we['’](?:re|ve)|our|us)\b|[我咱]/iu;

export const BY_WORDS = [
  [
    'decision',
    /\b(?:we|i)(?:['’]ve| have)? (?:finally )?(?:decided|chose|chosen|settled on|agreed (?:on|to|that)|picked|made up (?:my|our) minds?)\b|\b(?:it['’]s|that['’]s) (?:final|settled|decided)\b|(?:我|我们|咱们?|大家)(?:最后|最终|已经)?(?:决定|敲定|选定|商量好|说好|定下)|(?:说定|定了|敲定|改成|改为|换成)/iu,
  ],
  [
    'person',
    /\bmy (?:\w+ )?(?:wife|husband|partner|boyfriend|girlfriend|son|daughter|kids?|children|mother|mum|mom|father|dad|parents?|brother|sister|boss|manager|colleague|friend|neighbou?r|landlord|doctor|dentist)(?:['’]s)?\b|我(?:的)?(?:老婆|媳妇|妻子|太太|老公|丈夫|先生|儿子|女儿|孩子|妈妈?|爸爸?|父亲|母亲|哥哥?|姐姐?|弟弟?|妹妹?|老板|领导|同事|朋友|室友|房东|男朋友|女朋友|爷爷|奶奶|外公|外婆)/iu,
  ],
  [
    'project',
    /\b(?:i['’]?m|we['’]?re|i am|we are) (?:currently |also )?(?:building|writing|working on|developing|renovating|restoring|planning|organi[sz]ing|preparing|training for|migrating|setting up|launching)\b|\b(?:the|our|my) (?:project|thesis|dissertation|start-?up|side project)\b|(?:我|我们|公司|团队)(?:正|正在|在|最近在)(?:做|写|开发|筹备|准备|装修|策划|搭建|研究|维护)|项目(?:叫|名)/iu,
  ],
  [
    'preference',
    /\bi(?:['’]d| would)? (?:really |much |usually |always )?(?:prefer|rather|like|love|hate|enjoy|dislike|favou?r)\b|\bi (?:do not|don['’]t|can['’]?t|cannot) (?:like|stand|bear|care for)\b|\bmy fav(?:ou)?rite\b|\bnot a fan of\b|我(?:们)?(?:就|更|最|比较|很|不太?|一直|特别|平时|宁可|宁愿)?(?:喜欢|爱吃|爱喝|爱看|偏爱|讨厌|习惯|倾向|受不了|愿意)/iu,
  ],
  [
    'fact',
    /\b(?:i['’]?m|i am|we['’]?re|we are) (?:allergic|vegan|vegetarian|diabetic|pregnant|married|divorced|retired|left-handed|colou?r-?blind|from|based|\d+ years old)\b|\bi (?:live|work|was born|grew up|own|speak|study|can['’]?t eat|cannot eat|don['’]t (?:eat|drink|drive))\b|\b(?:my name is|i have (?:a|an|two|three|no|asthma|diabetes))\b|我(?:叫|姓|住|是|有|在\S{1,10}(?:工作|上班)|今年|不吃|不喝|不会|对\S{1,8}过敏)|我家|我们家/iu,
  ],
] as const;

export const TOPIC_WORDS = [
  [
    'code',
    /\b(?:code|function|script|tests?|class|api|bug|deploy\w*|commit\w*|repo\w*|database|sql|typescript|javascript|python|rust|java|server|docker|git|npm|compil\w*|refactor\w*|endpoint|regex|variable|library)\b|代码|函数|脚本|测试|接口|数据库|部署|上线|提交|仓库|变量|服务器|报错|程序/iu,
  ],
  [
    'food',
    /\b(?:eat\w*|food|cook\w*|recipe|dinner|lunch|breakfast|meal|restaurant|cake|vegan|vegetarian|allergic|allergy|nuts?|meat|dish|menu)\b|吃|菜|做饭|餐|过敏|食|蛋糕|素|喝/iu,
  ],
  [
    'writing',
    /\b(?:e-?mails?|mail|letter|article|essay|headline|invitation|newsletter|paragraph|spelling|draft|text|blog)\b|邮件|信|文章|标题|邀请|公众号|起草|段落|写一[封篇]/iu,
  ],
  [
    'health',
    /\b(?:pain|headache|doctor|medicine|medication|allerg\w*|exercise|training|workout|sleep|surgery|asthma|knee)\b|疼|药|医生|锻炼|健身|睡眠|手术|过敏|跑步/iu,
  ],
  [
    'travel',
    /\b(?:trip|travel\w*|flight|fly|hotel|train|holiday|vacation|visit|airport)\b|旅行|旅游|机票|酒店|火车|出差|景点|航班/iu,
  ],
  [
    'time',
    /\b(?:meeting|schedule|calendar|appointment|slot|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|weekends?)\b|开会|会议|日程|安排|周[一二三四五六日末]/iu,
  ],
  [
    'money',
    /\b(?:buy|price|budget|cost|euros?|dollars?|rent|loan|afford|cheap\w*|insurance)\b|买|价格|预算|花费|房租|贷款|元|块钱/iu,
  ],
  [
    'people',
    /\b(?:birthday|present|gift|wife|husband|son|daughter|friend|wedding)\b|生日|礼物|老婆|老公|儿子|女儿|朋友|婚礼/iu,
  ],
  [
    'home',
    /\b(?:flat|apartment|kitchen|bedroom|bathroom|wall|furniture|garden|paint)\b|房子|厨房|卧室|墙|家具|院子|装修/iu,
  ],
  [
    'answers',
    /\b(?:answers?|repl(?:y|ies)|respond|explain|call me|be (?:brief|concise|short)|bullet points)\b|回答|回复|叫我|称呼|解释/iu,
  ],
] as const;
