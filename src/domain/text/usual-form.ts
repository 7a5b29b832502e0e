// English words in one form: irregular plurals and verbs, and British spellings as
// American ones. Stems do the rest. Pure.

const pairs = (list: string): [string, string][] =>
  list.split(',').map((pair) => pair.split(' ') as [string, string]);

/** Irregular forms: `form base`. Forms with a meaning of their own (left, saw, found, led) are not here. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  pairs(
    'children child,men man,women woman,feet foot,teeth tooth,geese goose,mice mouse,oxen ox,wolves wolf,knives knife,wives wife,' +
      'halves half,shelves shelf,loaves loaf,thieves thief,calves calf,scarves scarf,buses bus,indices index,' +
      'vertices vertex,matrices matrix,appendices appendix,analyses analysis,crises crisis,hypotheses hypothesis,' +
      'diagnoses diagnosis,criteria criterion,phenomena phenomenon,cacti cactus,fungi fungus,nuclei nucleus,theses thesis,' +
      'parentheses parenthesis,dying die,lying lie,tying tie,bought buy,brought bring,caught catch,taught teach,sought seek,' +
      'fought fight,wrote write,written write,drove drive,driven drive,ate eat,eaten eat,drank drink,sang sing,sung sing,' +
      'swam swim,swum swim,ran run,began begin,begun begin,broke break,broken break,chose choose,chosen choose,spoke speak,' +
      'spoken speak,stole steal,stolen steal,froze freeze,frozen freeze,woke wake,woken wake,flew fly,flown fly,grew grow,' +
      'grown grow,threw throw,thrown throw,drew draw,drawn draw,blew blow,blown blow,forgot forget,forgotten forget,hid hide,' +
      'hidden hide,rode ride,ridden ride,took take,taken take,shook shake,shaken shake,won win,lost lose,sold sell,built build,' +
      'sent send,spent spend,kept keep,slept sleep,swept sweep,dealt deal,met meet,held hold,stood stand,understood understand,' +
      'sat sit,dug dig,hung hang,swung swing,wore wear,worn wear,tore tear,torn tear,paid pay,heard hear,slid slide,spun spin,' +
      'gave give,given give,knew know,known know,told tell,thought think,felt feel,fell fall,fallen fall,lent lend,became become,' +
      'swore swear,sworn swear,sank sink,sunk sink,shrank shrink,shrunk shrink,sprang spring,sprung spring,strung string,stuck stick,' +
      'struck strike,wept weep,fed feed,bred breed,bled bleed,bent bend,shone shine,beaten beat,bitten bite,mistook mistake,' +
      'mistaken mistake,undertook undertake,undertaken undertake,overcame overcome,rewrote rewrite,rewritten rewrite,rebuilt rebuild,' +
      'outgrew outgrow,withdrew withdraw,withdrawn withdraw,forgave forgive,forgiven forgive,laid lay,flung fling,clung cling,' +
      'alumni alumnus,syllabi syllabus,bacteria bacterium,curricula curriculum,memoranda memorandum,radii radius,lice louse,' +
      'elves elf,oases oasis,lenses lens,gases gas,quizzes quiz,schemata schema,foci focus,ties tie,dies die,lies lie,pies pie',
  ),
);

/** British spellings that follow no rule: `British American`. */
const BRITISH: ReadonlyMap<string, string> = new Map(
  pairs(
    'defence defense,offence offense,licence license,licences licenses,pretence pretense,grey gray,catalogue catalog,' +
      'catalogues catalogs,dialogue dialog,dialogues dialogs,analogue analog,programme program,programmes programs,' +
      'aluminium aluminum,tyre tire,tyres tires,judgement judgment,jewellery jewelry,artefact artifact,artefacts artifacts,' +
      'sceptical skeptical,ageing aging,pyjamas pajamas,moustache mustache,plough plow,mould mold,sulphur sulfur,cosy cozy,' +
      'enrol enroll,fulfil fulfill,enrolment enrollment,fulfilment fulfillment,instalment installment,aeroplane airplane,' +
      'doughnut donut,doughnuts donuts,omelette omelet,yoghurt yogurt,cheque check,cheques checks,mum mom,mums moms,' +
      'learnt learn,burnt burn,dreamt dream,leapt leap,spelt spell,spoilt spoil,practise practice,practised practiced,' +
      'practising practicing,whisky whiskey,whiskies whiskeys,disc disk,discs disks,kerb curb,kerbs curbs,foetus fetus,' +
      'diarrhoea diarrhea,skilful skillful,wilful willful,draught draft,draughts drafts,tonne ton,tonnes tons,woollen woolen,amongst among,towards toward,fuelled fueled,fuelling fueling,dialled dialed,dialling dialing,manoeuvre maneuver,manoeuvres maneuvers,oestrogen estrogen,oesophagus esophagus',
  ),
);

/** Spellings that follow a rule: colour, centre, organise, analyse. */
const RULES: readonly (readonly [pattern: RegExp, to: string])[] = [
  [
    /^(behavi|col|fav|flav|harb|hon|hum|lab|neighb|od|rum|savi|splend|vap|vig|arm|parl|endeav|tum|cand|clam)our/,
    '$1or',
  ],
  [/^(cent|met|kilomet|centimet|millimet|lit|millilit|theat|fib|calib|lust|sab|spect|somb)re(s?)$/, '$1er$2'],
  [
    /^(?!promis|premis|compromis|demis|treatis)([a-z]{2,20}(?:al|ar|er|or|an|gn|im|om|on|en|il|it|ic|og|in|ol|rd|at|ot|em|as|th))is(e|es|ed|er|ers|ing|ation|ations)$/,
    '$1iz$2',
  ],
  [/^(anal|paral|catal)ys(e|ed|er|ers|ing)$/, '$1yz$2'],
  // The stemmer takes the s of the singular for a plural: `status`, but `focused`.
  [
    /^(stat|vir|bon|camp|foc|cens|consens|corp|chor|circ|surpl|min|pl|geni|cact|lot|fet|sin|octop|prospect|nex|termin|minib|walr|croc|abac|syllab|radi|apparat|stimul|nucle)us(?:s?es|s?ed|s?ing)$/,
    '$1us',
  ],
  [/^(ali|bi|canv|atl|pancre)as(?:s?es|s?ed|s?ing)$/, '$1as'],
  [/^(h|an|leuk|p|orthop|gyn|encyclop|an(?=aesth)|arch)ae(?=m|d|sth|col|ol)/, '$1e'],
];
const MAY_FOLLOW = /our|re|is|ys|ae|[au]s/;

/** The usual form of an English word in lower case. */
export function usualForm(word: string): string {
  const known = IRREGULAR.get(word) ?? BRITISH.get(word);
  if (known !== undefined) return known;
  if (!MAY_FOLLOW.test(word)) return word;
  for (const [pattern, to] of RULES) if (pattern.test(word)) return word.replace(pattern, to);
  return word;
}
