// Words and names that people write as one and as two: `healthcare` and `health care`. A pair that means another thing
// than the one word is not here: `every day`, `may be`, `on line`, `linked in`.

/** A first part, and the parts that follow it. */
const PARTED = `
air bag bnb brush craft drop fare field flow line mail plane play pod port ship space strip tag time
arm chair rest|back bone drop end fill ground light log pack packer port room space stage story track up yard
bar code tender|base ball line|basket ball|bath robe room tub|bed rock room side time|bench mark|birth day mark place
bit bucket coin|black berry board jack list mail out smith|block chain|blood stream|blue berry print sky tooth
book case keeper keeping mark shop store|boot camp loader strap|box plot|boy friend|brain storm storming
bread crumb|break down fast point through|broad band cast|butter fly milk|buzz word|car park play pool port wash
card board holder|cart wheel|case load|cash back flow|chat bot gpt|check box in list mark out point sum
cheese burger cake|child birth care hood|class mate room|click bait house|clip board|clock wise|cloud flare front watch
co pilot worker working|code base|cook book ware|copy right writer writing|counter part|country side|court house yard
cow boy|craft beer|cross over road walk word|cup board cake|data base center centre dog frame point set sheet store type
day break care dream light time|dead line lock|deal breaker|deep fake seek|dish cloth washer|down grade load side stream time town|draw back|drive way|drop box down out|duck db|dust bin|dynamo db|e bay
ear ache bud drum phone plug ring|earth quake|egg plant|elastic search|end point user|eye brow glass lash lid sight
face book time|fall back out|farm house land|feed back|field work|file name path system|finger nail print tip
fire base fighter fly fox place proof store wall wood work|flash back card light|flow chart|flower pot|follow up
foot ball note path print step wear|fork lift|frame rate work|free lance lancer ware|friend ship|front end|fund raiser raising
game play|girl friend|git hub lab ignore|god father mother|gold fish smith|good bye will
grand child children dad daughter father ma mother pa parent son|grape fruit|graph ql|grass hopper land|grave yard
green house|ground water work|guide book line|gum tree|hair brush cut dresser line style
hand bag book made over shake stand writing|hard copy cover disk drive ware wood
head ache band board count hunter line light phone quarter room set stone way|health care|heart beat break burn
heat map wave|hen house|high land light way|hip hop|home brew kit owner page school schooling sick town work
honey comb moon|horse back power shoe|house hold keeper keeping mate plant warming wife work|hugging face
i cloud mac message pad phone pod tunes|ice berg cream|insta gram|java script|jelly fish|jet lag|jump suit
key board cloak chain note pad ring stroke word|kick off start|lady bird|land lady lord mark scape slide
lang chain graph|lap top|law maker suit|lay out over off|letter box head|libre office|life boat cycle guard long span style time
light house weight|line up|lip stick|live stock stream streaming|lm studio|load balancer|lock down screen|log book in out
loop hole|lunch box break time|mac book os|mail box|main board frame land stream|make over up|maria db|market place
meat ball|meta data|micro chip phone scope service wave|mid day night week|milk shake|mind map set|mine craft
mongo db|moon light|motor bike cycle home way|mouse pad|my sql|net flix work|news feed letter paper room|next cloud
night club life mare shift stand|note book pad taking|num py|oat meal|on boarding board going site|open ai office router search shift source stack
out line put right source sourcing|over head lap load night time view write|own cloud|pan cake|paper back clip weight work
pass code phrase port word|pay back check day load pal pass roll slip wall|pea nut|pepper mint|phone book|photo copy graph shop
pick up|pine apple|pipe line|place holder|play back book ground list mate off room station time|plug in|pop corn up
post card code graduate man|postgre sql|pot hole luck|power point|print out|proof read reading reader|push up
py charm torch|quick sand|rabbit mq|rail road way|rain bow coat drop fall forest storm water|read me|real time
ring tone|road block map side trip|roll back out over|roof top|room mate|round about trip|run book time way|safe guard
sales force man person|salt water|sand box paper stone|sauce pan|save point|school work|score board card|screen cast play saver shot
script kiddie|scroll bar|sea food shell shore side weed|set back list up|share holder point|ship yard|shoe box lace
shop keeper lifter|short bread cut hand list|show case down room|shut down|side bar car kick line step walk|sign in off post up
skate board|ski boot|skin care|sky line scraper|sleep over walking|slide show|smart phone watch|snap chat shot
snow ball board boarding drop fall flake man shoe storm|soft ware|sound bar bite check cloud track|space craft ship suit
spell check checker|spot light|spread sheet|spring time board|stack overflow|staff room|stair case way well|stake holder
stand alone by off point still up|star bucks fish|start up|steam boat|stock pile room|store front keeper room|straw berry
street car light|style sheet|sub domain folder system task title way|suit case|summer time|sun burn flower glass light rise roof screen set shine
supa base|super man market store|surf board|sweat pant shirt|sweet corn heart|swim suit wear|table cloth spoon top ware
tail gate scale wind|take away off out over|task bar|tax payer|tea bag cup pot spoon time|team mate work|tear drop
tensor flow|test bed suite|text area book box|thread pool|thumb nail tack|thunder bird bolt storm|tick box tok|tik tok
time box frame lapse line out sheet slot stamp table zone|tip toe|tomb stone|tool bar belt box chain kit set tip
tooth ache brush paste pick|top soil|touch down pad point screen|town hall house ship|trade mark off|tread mill
trouble maker shoot shooting shooter|turn around key out over table|type face script writer|under cover ground line wear
up date grade hill load side stream time|user base name|vs code|video game tape|voice mail over|waist coat|walk over through way
wall paper|ward robe|wash room|waste basket water|watch dog list tower|water color colour fall fowl front mark melon proof
way back point side|web cam cast gl gpu hook hosting master pack page rtc site socket storm store view|week day end night
whats app|wheel barrow chair|whip lash|white board list paper space wash|wild card fire flower life
wind mill screen shield storm|wine glass|wire frame guard tap|wood land pecker work|word play press
work around bench book day flow force load mate out place sheet shop space station top week|world view wide|wrist band watch
write off up|yard stick|year book|you tube`;

const seconds: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  PARTED.trim()
    .split(/[|\n]/)
    .map((line) => line.split(' '))
    .map(([first = '', ...others]) => [first, new Set(others)]),
);
const WORD = /[\p{L}\p{N}']+/gu;

/** Finds two words that are also written as one, the second also in the plural or with a possessive ending. */
export function* partedIn(
  text: string,
): Generator<{ readonly start: number; readonly end: number; readonly word: string }> {
  let [first, end]: [string, number] = ['', -1];
  for (const { 0: written, index } of text.matchAll(WORD)) {
    const known = index === end + 1 && text[end] === ' ' ? seconds.get(first) : undefined;
    const before = { first, start: end - first.length };
    [first, end] = [written.toLowerCase(), index + written.length];
    if (known === undefined) continue;
    const [second = ''] = first.split("'", 1);
    if (known.has(second) || (second.endsWith('s') && known.has(second.slice(0, -1))))
      yield { start: before.start, end: index + second.length, word: before.first + second };
  }
}
