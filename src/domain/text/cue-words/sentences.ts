// Cue words in English and Chinese: a set for each purpose. Data only; `cues.ts` applies them.

/** A text shows the cue if one of `shows` matches and none of the exceptions does. */
export interface CueSet {
  readonly shows: readonly (readonly [pattern: RegExp, unless?: RegExp])[];
  /** Longest text that is read, characters. */
  readonly longest?: number;
  /** False: questions never show this cue. */
  readonly asked?: false;
}

/** Longest sentence, characters: anything longer is a page without full stops. */
const SENTENCE = 600;

const NOT_RULE_EN =
  /\b(?:must (?:be|have) (?:been|a (?:bug|typo|mistake)|because|due|wrong|missing)|must['’]ve|I must (?:have|say|admit)|(?:don['’]t|do not) (?:know|think|believe|remember|recall|see|understand|get|mind|worry|have|care|like|feel|really|quite|even))\b/i;
const NOT_RULE_ZH = /是不是|能不能|要不要|可不可以|会不会|不要紧|不能说|不得不|不一定|至少我|说不定|不要钱/u;
const OPEN =
  /^(?:if|should|whenever|once|feel free)\b|\b(?:what|which|how|when|where)(?: \p{L}+){0,2}? (?:you['’]d|you['’]re|you (?:would|are|think|want|like|prefer|find|see|need|feel|decide|get)|(?:i|we) (?:can|could|should|may)|(?:it|this|that) (?:goes|works|went|looks|feels|prints|shows|says))|\byour (?:thoughts|opinion|feedback|questions|preferences?|decision|choice|ideas?)\b|\bthe (?:results?|outcome|output)\b|^(?:如果|如有|若|要是|有(?:任何|什么)?(?:问题|需要|疑问))|[你您]还?(?:需要|想|希望|觉得)|更多|[你您]的(?:想法|看法|意见|反馈|感受|建议|选择|决定)/iu;
const SAYS_MORE = /[\d`/\\]/;

/** Words that say nothing beside an agreement. */
export const COURTEOUS =
  /^(?:a|ahead|again|all|also|an|and|are|as|at|be|both|can|continue|do|does|done|fine|for|from|go|going|good|great|have|help(?:s|ed|ful)?|i|in|is|it|its|just|keep|let|like|looks?|lot|me|much|my|next|nice|no|now|of|ok|okay|on|one|ones|perfect|please|really|right|same|say|see|so|sounds?|sure|thank|thanks|that|the|them|then|there|these|this|those|to|too|us|very|was|way|we|well|will|with|works?|yes|you|your)$/i;

export const CUES = {
  /** Sets a rule: anywhere in the sentence, or at the start of a clause. */
  rule: {
    shows: [
      [
        /\b(?:(?:must|shall)(?:\s+not|n['’]t)?|mustn['’]t|may not|under no circumstances|from now on|going forward|at all times|without exception|not allowed|(?:is|are) (?:forbidden|off[- ]limits|mandatory|required)|(?:hard|strict) (?:limit|rule|requirement|constraint)|no (?:more|less|fewer|later|earlier|longer) than|at (?:most|least)|non-negotiable|make (?:absolutely )?sure|keep in mind|bear in mind|I (?:do not|don['’]t|never) want|I (?:require|insist)|(?:stick|keep) to)\b/i,
        NOT_RULE_EN,
      ],
      [
        /(?:^|[,;:.—–\-(]\s*|\b(?:please|and|but|so|also|then|just)\s+)(?:please\s+)?(?:(?:never|always)(?!\s+(?:on|in|at|for|been|a|an|the|had|has|have|seen|once|really|quite|again|saw|got|was|were|is|works?|worked|happens?|fails?|gets?)\b)|do not|don['’]t|avoid|only (?:use|ever|write|change|touch|answer|reply|run|edit|add)|remember (?:that|to|:|,|never|not)|(?:important|constraint|requirement|rule|reminder|note)s?\s*[:：])/i,
        NOT_RULE_EN,
      ],
      [
        /必须|务必|一定(?:要|得|不)|不要|不能|不许|不准|不可以|不得|禁止|严禁|别再|别用|别动|别改|别碰|别把|别忘|(?<![一二三四五六七八九十百几数\d])千万|只能|只允许|只准|只用|始终|永远(?:不|别|用|保持)|以后(?:都|不|请)|从现在(?:起|开始)|今后|最多|至多|至少|不超过|不少于|不晚于|不早于|避免|记住|(?:硬性)?要求[:：是]|规则[:：]|约束[:：]|注意[:：]|请(?:保持|只|不要|勿|用中文|使用|统一|严格)/u,
        NOT_RULE_ZH,
      ],
    ],
    longest: SENTENCE,
    asked: false,
  },
  /** States a limit without the word "must": a person can, may, has, or is not to touch something. */
  limit: {
    shows: [
      [
        /\b(?:(?:who|what|which|that|it|he|she|they|this|everything|anything|\w+s?) (?:has|have) to (?!write|do|say|ask|get|go)|had better|only (?:one|two|with|when|after|before|copy|in|on|at|for)|nothing (?:is|else|may|leaves?|that|new|more|gets?)|nobody|no one|nowhere|cannot|can['’]t (?!be right|say|see|find|get)|(?:is|are|was|were) (?:not|over|out|frozen|closed|signed|taken|reserved|busy|off)\b(?! sure)|isn['’]t ours|not (?:permitted|allowed|possible)|hands off|stays? (?:out|off|at|in|with|below|above|under|as)|beforehand|in advance|up front|before that|belongs? to (?:another|some|the|him|her|them)|ha(?:s|ve) asked (?:for|that|us)|not a (?:cent|single|minute)|and that is all|that is the law|the law|allergic|whoever|whatever|gets? (?:no|none|dizzy|sick|seasick)|there is no|has no|within \S+ (?:\S+ )?(?:days?|weeks?|hours?)|my (?:own )?former|(?:our|my) \w+ (?:takes?|accepts?|lags?|bills?|pays?|carries|carry)|carries \S+ \w+|(?:ahead|latest|earliest|maximum|minimum|approved|permitted|forbidden)|until (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight|the|sunset))\b/i,
      ],
      [
        /不(?:能|得|让|许|准|收|归|想|给|做|可以|会再|允许)|只(?:有|看|收|能|在|允许|剩)|(?:没|无)法|碰不得|封顶|批死|一概|到此为止|才行|不了|不掉|拿不出|看不到|就这(?:一|么)|都(?:算|是).{0,6}(?:事故|法律|违规)|得(?:空|随时|先|就着|去|在|合|提前|避开|问)|之前(?:要|得|完成|弄|交)|以(?:内|前|后)要|要在.{1,8}(?:之前|以前|以内)|空出来|禁|封(?:版|网)|没(?:有)?做过/u,
      ],
    ],
    longest: SENTENCE,
    asked: false,
  },
  /** An assistant suggests, decides, estimates or names something. */
  suggestion: {
    shows: [
      [
        /\bI(?:['’]d| would)(?: not)? [a-z]+|\b(?:I|we)(?:['’](?:d|ll|ve)| would| will| have| had)?(?: \w+)? (?:suggest|recommend|propose|advise|decide|settle|name|call|estimate|expect|guess|plan|put|set|choose|chose|count|find|found|measure|pick|take|use|split|schedule|leave|left|keep|kept|book|open|go|assume|suspect|replace|confine|read|create|let|ask|offer|type|make|bet)(?:e?d|s)?\b|\bmy (?:reading|guess|suggestion|recommendation|favou?rite|proposal|estimate|chain|advice|plan|count|choice)\b|\b(?:first|second|third|one more) finding\b|\bis what (?:usually|carries|broke)\b/i,
      ],
      [
        /我(?:\p{Script=Han}{0,3})?(?:建议|推荐|打算|倾向|估计|算了|定了|选|会|把|请|叫它|叫|放|排|拆|改|给|想用|保持|设|分)|建议|推荐|估计|预计|多半|倾向|任务名|取名|片名|提案|还发现|顺便/u,
      ],
    ],
    longest: SENTENCE,
    asked: false,
  },
  /** Corrects something said before. */
  correction: {
    shows: [
      [
        /^\W*(?:no\b(?!\s+(?:problem|worries|need|idea|rush|one|more))|nope\b|actually\b|wait\b|hold on\b|oops\b|sorry,|my mistake|my bad|correction\b|scratch that|strike that|I (?:meant|misspoke|mis-?typed|was wrong)|on second thought|let me correct|change of plan|small correction|quick correction|update\s*[:：-])|\b(?:that['’]?s|it['’]?s|was|is) (?:wrong|incorrect|outdated|not right)\b|\bshould (?:actually )?(?:be|read|have been|say)\b|\b(?:changed|moved|bumped|switched|raised|lowered|updated|pushed|renamed|shifted|extended) (?:\S+ ){0,4}?(?:to|from)\b|\b(?:make (?:it|that)|it['’]?s now|is now|are now|now it['’]?s|instead of|rather than|no longer|not\s+\S{1,40}\s*(?:,|but)\s)|\d\S{0,20}\s+now\b/i,
      ],
      [
        /^\W*(?:不对|不是[,，]|不[,，]|错了|等等|等一下|更正|纠正|订正|其实|抱歉|我说错|说错|记错|刚才(?:说|写|打)错|改一下|更新一下)|应该是|应为|改成|改为|改到|改用|换成|调整为|调到|推迟到|提前到|搞错|弄错|写错|不再是|而不是|不是.{1,30}[,，]?\s*(?:是|而是)|现在是|变成了/u,
      ],
    ],
    longest: 400,
    asked: false,
  },
  decision: {
    shows: [
      [
        /\b(?:decided|decision|agreed|settled on|(?:let['’]s|we['’]?(?:ll| will)?|I['’]?(?:ll| will)?) (?:go|use|pick|choose|stick|switch|move|adopt|take|keep|ship|call)|going with|go with|went with|we (?:chose|picked|use)|approved|signed off|final (?:choice|answer|version)|confirmed)\b|决定|就用|采用|选择了?|选定|选了|定下|定为|敲定|同意|改用|最终|确定(?:用|为|了|是)|确认|拍板|方案是|就这么/i,
      ],
    ],
  },
  /** Something is left to do. */
  task: {
    shows: [
      [
        /\b(?:TODO|FIXME|to-?do|next steps?|still (?:need|have|must)|remaining|left to do|follow[- ]?up|needs? to be|have yet to|not yet|later (?:we|I)|deadline|due (?:on|by|date)|action items?|remind me|open (?:question|issue))\b|待办|还(?:需要|要|得|没)|接下来|下一步|剩下|之后(?:要|再)|截止|到期|待(?:处理|解决|确认)|未完成|别忘|记得/i,
      ],
    ],
  },
  /** Includes error codes, in capitals: in small letters they would match ordinary words. */
  failure: {
    shows: [
      [
        /\b(?:error|exception|fail(?:s|ed|ing|ure)?|traceback|crash(?:es|ed|ing)?|panic|bug|broken|timed? ?out|timeout|cannot|could not|couldn['’]t|refused|denied|undefined|segfault|exit (?:code|status) [1-9])\b|错误|报错|异常|失败|崩溃|超时|拒绝|找不到|出错|不工作|挂了/i,
      ],
      [/\bE[A-Z]{4,}\b/u],
    ],
  },
  repair: {
    shows: [
      [
        /\b(?:fix(?:ed|es|ing)?|resolved?|solved|root cause|turned out|caused by|because of|the (?:problem|issue|culprit|reason|cause) (?:was|is)|workaround|works now|by (?:adding|setting|changing|removing))\b|修复|修好|解决|原因是|根因|问题出在|是因为|罪魁|导致|绕过/i,
      ],
    ],
  },
  person: {
    shows: [
      [
        /\b(?:my (?:name|wife|husband|partner|son|daughter|dog|cat|team|boss|manager|birthday|address|email|phone|budget|favou?rite|allerg\w*|flight|landlord|doctor)|I['’]?m (?:allergic|from|based|vegetarian|vegan|a \w+)|I (?:live|work|prefer|like|love|hate|use|own|have|drive|speak)|we (?:live|have|use|run|are based))\b|我(?:叫|姓|住|喜欢|讨厌|对.{1,8}过敏|是|在.{1,10}工作|用的|有)|我的|我们(?:公司|团队|用|有|在)|我(?:老婆|老公|女儿|儿子|妈|爸)/i,
      ],
    ],
  },
  statement: {
    shows: [
      [
        /\b(?:is|are|was|were|will be|costs?|runs?|lives?|located|called|named|means|equals|set to|takes|starts?|ends?|uses?|weighs|measures|arrives?|leaves?|listens?|expires?|belongs?|has|have)\b|[:=：]|是|为|叫|在|位于|设置?为|等于|需要|用的是|有|花了|共/i,
      ],
    ],
  },
  /** Only agrees, thanks or says "go on"; a figure, code or a path in the text says more. */
  acknowledgement: {
    shows: [
      [
        /^\W*(?:ok(?:ay)?|sure|great|thanks?(?: you)?|got it|sounds good|perfect|yes|yep|yeah|alright|right|cool|nice|done|go ahead|do it|please (?:do|continue|go ahead)|continue|exactly|agreed|understood|will do|of course|certainly|no problem|you['’]?re welcome|makes sense)\b/i,
        SAYS_MORE,
      ],
      [
        /^\s*(?:好的?|好呀|行|可以|没问题|收到|明白|了解|嗯+|对|是的|谢谢|继续|就这样|按你说的|辛苦|不客气|当然|没错|同意)/u,
        SAYS_MORE,
      ],
    ],
    longest: 60,
  },
  /** Asks for a time. */
  when: {
    shows: [
      [
        /^\W*(?:when|since when|what (?:date|day|month|year|time)|how long|which (?:day|month|year|date))\b|什么时候|哪天|哪一天|几号|几月|何时|多久|哪年/iu,
      ],
    ],
  },
  time: {
    shows: [
      [
        /\b(?:yesterday|today|tonight|tomorrow|recently|ago|since|weekend|(?:last|next|this) (?:night|week|weekend|month|year|morning|evening|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:in|on|since|until|by) (?:january|february|march|april|may|june|july|august|september|october|november|december)|\d{4}|\d{1,2}(?:st|nd|rd|th))\b|昨天|今天|明天|前天|后天|昨晚|今晚|上周|下周|这周|本周|上个?月|下个?月|这个月|去年|今年|明年|最近|周末|\d\s?[年月日号天]/iu,
      ],
    ],
  },
  /** A model asks for what it should know, or admits that it does not know it. */
  'asked back': {
    shows: [
      [
        /\b(?:(?:could|can|would|will) you (?:please )?(?:remind|tell|share|provide|give|paste|send|specify|confirm|clarify|repeat)|(?:please|kindly) (?:share|provide|remind|tell|paste|specify|confirm|clarify|repeat)|remind me|what (?:was|were|is|are) (?:the|your)\b[^.?!]{0,80}\?|which (?:one|file|port|version|name|branch|database|table)[^.?!]{0,80}\?|I (?:do not|don['’]?t|no longer|didn['’]?t|did not) (?:have|know|see|recall|remember|find|get)|I (?:have no|am missing|['’]m missing|lack|cannot see|can['’]?t see|couldn['’]?t find)|(?:you|it) (?:have(?:n['’]t| not)|has(?:n['’]t| not)|did(?:n['’]t| not)) (?:mentioned?|told|tell|said|say|specif(?:y|ied)|shared?|provided?)|(?:not|n['’]t) (?:mentioned|specified|provided|given|stated) (?:in|so far|earlier|here|anywhere)|no (?:mention|record|information) of|without (?:knowing|more (?:information|context|details)))\b/iu,
      ],
      [
        /(?:请|麻烦|能否|能不能|可以|可否)[^。？！]{0,8}(?:再|告诉|提供|说明|提醒|补充|确认|发我|发一下|贴)|(?:我|目前|这里|对话中|上文)[^。？！]{0,10}(?:没有|不|未|找不到|看不到|无法)[^。？！]{0,8}(?:看到|知道|记得|找到|提到|说明|提供|信息|记录|确定|得知)|(?:您|你)(?:还)?(?:没有?|未)(?:提到|提供|说明|告诉|说过)|(?:是|叫|用的是)(?:什么|哪个|多少)[^。！]{0,20}[？?]|不清楚|缺少(?:信息|上下文|相关)/u,
      ],
    ],
  },
  /** A model says that it never received the requested information: it answered nothing. */
  'knows nothing': {
    shows: [
      [
        /\b(?:I (?:(?:really|actually|currently|simply|just|honestly|also|sadly) )?(?:do not|don['’]t|did not|didn['’]t|no longer) (?:(?:really|actually|currently|yet|seem to) )?(?:know|remember|recall|retain|possess|(?:have|see|find|hold|keep|store)\b[^.!?,;]{0,50}\b(?:information|info|details?|records?|memory|memories|knowledge|context|data|notes?|mention|history|idea|conversations?|chats?|access|ability|way|anything|any|that|it))\b|(?:I|we) (?:have no|lack|(?:am|are) missing|see no|find no|(?:have|see|find) nothing)\b|I['’]m missing\b|I(?: am|['’]m) (?:(?:afraid|sorry),? )?(?:not (?:aware|sure|able|certain|familiar)|unable|unaware)\b|I (?:cannot|can['’]t|could not|couldn['’]t|am not able to|wouldn['’]t) (?:(?:really|actually) )?(?:recall|remember|know|access|look|find|see|tell|say|answer|retrieve|determine)\b|I(?:['’]d| would) need (?:more|some|further|additional|you to)\b|you(?:['’]ve| have)? never (?:told|mentioned|shared|said|given|provided)\b|you(?: have(?: not|n['’]t)|['’]ve not| did(?: not|n['’]t)) (?:(?:yet|ever|actually|previously) )?(?:told|tell|mentioned?|shared?|said|say|specif(?:y|ied)|provided?|given|give)\b|(?:don['’]t|do not) (?:think|believe) (?:you|we)(?:['’]ve| have)?(?: ever)? (?:told|mentioned|shared|said|given|provided|specified|talked|discussed|spoken|covered)\b|we (?:haven['’]t|have not|never|didn['’]t) (?:(?:yet|ever|actually) )?(?:talked|discussed|spoken|spoke|covered|gone|talk|discuss|mentioned)\b|(?:has(?:n['’]t| not)|was(?:n['’]t| not)|is(?:n['’]t| not)|not|never|were(?:n['’]t| not)) (?:(?:yet|been|ever|actually) )?(?:mentioned|specified|provided|given|stated|shared|told|available|come up|included)\b|(?:is(?:n['’]t| not)) (?:clear to me|something I|in (?:our|this) (?:chat|conversation))\b|not something I\b|mystery to me\b|beyond what I\b|(?:there is|there['’]s|there are) (?:no|nothing)\b[^.!?]{0,60}\b(?:mention|record|information|info|note|trace|about|context|conversation|chat)\b|nothing (?:about|on|in) (?:that|this|it|your|our)\b[^.!?]{0,40}\b(?:here|chat|conversation)\b|nothing in (?:this|our) (?:chat|conversation)\b|no (?:idea|clue|record|memory|mention) (?:what|which|who|when|where|how|of|about|on|regarding|in (?:this|our))\b|no (?:idea|clue)(?=\s*[,.;!—–-])|unknown(?=\s*[.;!,—–]))/iu,
        /(?<!\b(?:think|believe|sure) )\b(?:you|he|she|they|we|I)(?: once|['’]ve| have| had)? (?:said|told|mentioned|wrote|remember)\b|\bI remember you\b/iu,
      ],
      [
        /(?:(?:^|[，,。：:；;！!？?\s])(?:根据[^，。？！]{0,14}[，,])?(?:这|那|目前|暂时|确实|其实|真的|实在|并|也|还|都|因此|所以|抱歉|嗯|哦|前面|之前|上文|对话|记录|聊天|当前|中|里|由于|因为|很|遗憾|可惜|关于|您|你|用户|从|来|似乎|好像|本次|在){0,5}|(?:我|小助手)[^，。？！我]{0,8})(?:(?:不知道|不清楚|不了解|不记得|不晓得|不(?:太)?确定|不太(?:清楚|了解)|不认识[你您]|不掌握|记不住|记不得|想不起来|没有?印象|无从得知|无从知道|答不上来|说不上来|未知(?=[。，,.！!；]|$))|(?:无法|没法|没有?办法|不能|未能|不可能|没能|无权|没有权限)(?:直接|准确|为您|帮[你您]|替[你您])?(?:得知|知道|获知|获取|获得|了解|确定|确认|判断|访问|查看|查到|查询|看到|读取|记住|回答|告诉|告知|保留|提供|回忆|记得)|(?:看不到|查不到|查询不到|找不到|获取不到|访问不了|看不见|翻不到|搜不到)|(?:没有|没|暂无|未见|缺少|缺乏|没存|没有存|没有保存)[^，。？！；]{0,24}(?:信息|记录|记忆|资料|数据|历史|内容|细节|情况|线索|权限|安排|印象|上下文|保存)|(?:没有|没|未|从未|尚未|还未|未曾|从没|从来没|从来没有|并未)(?:跟我|和我|向我|对我|给我|在[^，。？！]{0,8}|在[^，。？！]{0,8}中)?(?:提到|提过|提及|提供|说过|说明|告诉|分享|透露|讲过|聊到|聊过|谈到|谈过|出现|保存|提起)|没听(?:[你您])?(?:说|提)|怎么(?:会|可能)知道)/u,
        /\d[^\d。]{0,30}(?:没|未|不)|[你您](?:之前|上次|曾经)?说(?!过|明)/u,
      ],
    ],
    longest: SENTENCE,
  },
  'done by person': {
    shows: [
      [
        /^\W*(?:(?:many )?thanks|thank you|thx|perfect|excellent|great|wonderful|brilliant|nice|done\b|merged|shipped|that['’]s (?:it|all|that)|that (?:works|did it|fixed it|settles)|it works|works (?:now|fine|great|perfectly)|all (?:good|done|set|green)|looks? good|good[,.!])|\b(?:is|are|that['’]s) (?:done|finished|merged|shipped|settled|solved|off the table)\b|^\s*(?:谢谢|多谢|感谢|太好了|很好|好了|搞定|完成|可以了|行了|没问题|解决了|辛苦)|(?:搞定|弄好|做完|完成|解决|修好|合并|上线|结束)了/iu,
      ],
    ],
  },
  'done by assistant': {
    shows: [
      [
        /^\W*(?:done|finished|fixed|completed|implemented|merged|deployed|all set|ready)\b|\b(?:is|are) (?:now )?(?:done|finished|fixed|merged|in place|complete|deployed|green|ready)\b|\ball (?:\w+ ){0,3}(?:pass|passed|green)\b|\bI(?:['’]ve| have)(?: now| also)? (?:added|updated|fixed|written|moved|renamed|removed|finished|changed|created|merged|deployed|sent|booked|put|saved|replaced)\b|(?:已(?:经)?|都|全部)(?:修|改|加|写|移|删|建|更新|合并|部署|发|完成|替换|保存|订|通过|处理|弄)|完成了|修好了|搞定|弄好了|改好了/iu,
      ],
    ],
  },
  'another subject': {
    shows: [
      [
        /\b(?:(?:new|next|different|other|another|separate|unrelated) (?:topic|task|subject|thing|question|issue|project|matter)|something (?:else|different|completely different|new)|(?:let['’]s )?mov(?:e|ing) on|on to the next|change of (?:topic|subject)|switching (?:topics?|to))\b|(?:换个|另一个|另外一个|下一个|新的?)(?:话题|任务|问题|事情|项目|主题)|另外一件事|说点别的|换件事|接下来做/iu,
      ],
    ],
  },
  /** Offers and courtesies do not ask about what was said: "Would you like me to …?", "需要我…吗？" */
  offer: {
    shows: [
      [
        /^(?:(?:so|and|also|ok(?:ay)?|great)[,，]?\s+)?(?:would you (?:like|prefer|rather)|do you (?:want|need) (?:me|help|more|any)|shall (?:i|we)|should (?:i|we)|can i|may i|(?:is there )?anything else|want me|need (?:me|any|more)|how (?:can|may) i help|does (?:this|that) (?:help|make sense|answer|work|sound)|make sense|sound good|any (?:other )?questions)\b|^(?:要不要|需不需要|(?:您|你)?(?:还)?需要我|(?:您|你)?想(?:要)?我|是否需要|要我|我(?:可以|能|要不要|来)|还有(?:什么|别的|其他)|这样(?:可以|行|好)|可以吗|好吗|对吗|明白了吗)/iu,
      ],
    ],
  },
  /** Requests without a question mark, apart from offers and from requests for new things. */
  request: {
    shows: [
      [
        /(?:^|[,，:：–—-]\s*)(?:(?:please|kindly)\s+)?(?:(?:tell|remind) me|let me know)(?: again)?,? (?:which|what|when|where|who|whose|how|your|the)\b|^(?:(?:so|and|also|but)[,，]? )?i(?: (?:still|also|would|will|first))*(?:['’](?:d|ll)(?: (?:still|also|first))*)? need to know (?:which|what|when|where|who|whose|how|your|the)\b|(?:^|[,，:：–—-]\s*)(?:please|kindly) (?:specify|provide|share|give me|send me) (?:which|what|when|where|who|whose|how|your)\b|(?:^|[,，:：])\s*(?:(?:请|麻烦|烦请)(?:您|你)?(?:先|再|也)?(?:告诉我|提醒我|告知我?|提供|说明)|(?:告诉|提醒)我)(?:一下)?.*(?:哪|什么|几|谁|多少|何|[你您]的)/iu,
        OPEN,
      ],
    ],
  },
} as const satisfies Record<string, CueSet>;
