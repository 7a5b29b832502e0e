// Stems of languages whose words change at their edges: Russian and its kin by case, Arabic and Hebrew by article and
// particles. Light: only what is nearly always an edge is cut, after Savoy's and Larkey's light stemmers. Pure.

const CYRILLIC = /^[\u0430-\u045f\u0491]{4,30}$/;
/** Endings of case and number, longest first; at least three letters stay. */
const CASE =
  /^(.{3,}?)(?:иями|ями|ами|ией|иям|иях|его|ого|ему|ому|ыми|ими|ах|ях|ам|ям|ом|ем|ов|ев|ий|ый|ой|ей|ая|яя|ое|ее|ые|ие|ую|юю|ия|ию|ии|ья|ью|а|я|о|е|у|ю|ы|и|ь|й)$/;

const ARABIC = /^\p{Script=Arabic}{3,30}$/u;
/** Particles with the article, and the article; two letters or more stay, three without the article. */
const ARTICLE = /^[وف]?(?:ال|بال|كال|لل)(?=.{2})/;
const AND = /^[وف](?=.{4})/;
const ENDING = /(?<=.{2})(?:ها|ان|ات|ون|ين|يه|ه|ي)$/;

const HEBREW = /^\p{Script=Hebrew}{4,30}$/u;
/** The article, prepositions and "and", one or two of them; three letters or more stay. */
const PARTICLES = /^(?:[והבלכמש](?=.{3}))/;

/** The stems of a folded word in lower case, each once and none that is the word itself; empty for other languages. */
export function lightStems(word: string): readonly string[] {
  const first = word.charCodeAt(0);
  if (first < 0x0400 || first > 0x06ff) return NONE;
  const stems = new Set<string>();
  if (CYRILLIC.test(word)) stems.add(CASE.exec(word)?.[1] ?? word);
  else if (ARABIC.test(word)) {
    const bare = word.replace(ARTICLE, '').replace(AND, '');
    stems.add(bare);
    stems.add(bare.replace(ENDING, ''));
  } else if (HEBREW.test(word)) {
    const once = word.replace(PARTICLES, '');
    stems.add(once);
    if (once.length >= 4) stems.add(once.replace(PARTICLES, ''));
  }
  stems.delete(word);
  return [...stems];
}
const NONE: readonly string[] = [];
