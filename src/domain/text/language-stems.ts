// Stems of languages whose endings say what English says by words of their own. Light, after Savoy's stemmers. A word
// alone shows no language, so its text does; words of English and of other languages get no stem. Pure.

export type TextLanguage = 'fr' | 'de' | 'es' | 'it' | 'pt' | 'pl' | 'tr' | 'fi' | 'nl' | 'sv';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Small words that only this language has, and not English either, beside letters that only it has. */
const SMALL_WORDS: Readonly<Record<TextLanguage, ReadonlySet<string>>> = {
  fr: setOf(
    'est sont dans avec vous nous une les mes ses quand qui cette ont je où été être très même mais quel quelle quels quelles aux pas leur notre votre avons avez fait faire peut dois était chez sur',
  ),
  de: setOf(
    'ich und der das ist nicht für meine mein meinen meiner eine einen einem auf von wie habe zu dem wann welche welcher sind wir haben im wo wurde werden auch aber oder bei nach noch über kann hat',
  ),
  es: setOf(
    'el los las una para cómo dónde cuándo mis está están fue muy pero también qué del cuál cuánto tengo hay nos esta este porque sobre',
  ),
  it: setOf(
    'il gli che della delle del nel nella è sono dove quando mio mia miei perché anche ho hai quale quali degli dello alla questo questa quanto',
  ),
  pt: setOf(
    'não você está são meu minha meus minhas onde uma com para dos das nos também pelo pela foi muito quando qual quais isso este esta tem quanto',
  ),
  pl: setOf(
    'jest nie się sie gdzie czy kiedy jak jaki jaka jakie jakim moje moja mój mojej mojego dla przez który która które co już tylko są ile był była było tego tym ich oraz więc jego jej',
  ),
  tr: setOf(
    've bir bu için ne nerede nereden nasıl değil yok benim hangi daha çok kadar olan olarak ama gibi kaç neden zaman ile mı mü bana beni senin onun sonra önce',
  ),
  fi: setOf(
    'ja ei että mikä missä milloin kuinka minun olen oli kanssa mutta kun niin ovat tämä sen mitä minä sinä meidän olla voi vain myös jos kuin koska onko mistä mihin olen ovatko paljonko minulla hänen',
  ),
  nl: setOf(
    'het een niet voor waar wanneer mijn hoe heb ik ook maar zijn wordt naar bij deze dit welke kunnen moet moeten onze jouw hebben wij jij geen nog dat aan uit mij van op met',
  ),
  sv: setOf(
    'och att är inte jag för när hur på och från också eller mycket vad vilken vilket vilka mitt mina har hade som med det ska efter vårt våra',
  ),
};
const LETTERS: Readonly<Record<TextLanguage, RegExp>> = {
  fr: /[œÿ]|^(?:[jlnmsdc]|qu)'(?=.{3})/u,
  de: /ß/u,
  es: /ñ|(?:ción|ciones)$/u,
  it: /(?:zion[ei]|ità)$/u,
  pt: /[ãõ]/u,
  pl: /[łąężź]|[ćńś](?=[^čšž]*$)/u,
  tr: /[ğış]/u,
  fi: /ää|yö|äy|öy|(?:ss|ll|st|lt)ä$/u,
  nl: /[vmzwklrt]ij[knlstvzd]|heid$/u,
  sv: /å(?:r|rs|t|n|nd|ng|tt|de|lla|sta)$|^[dpså]å$/u,
};
const LANGUAGES = Object.keys(LETTERS) as TextLanguage[];

/** Words that are looked at. */
const MOST_WORDS = 200;
const WORD = /[\p{L}\p{M}']+/gu;
/** Texts that hold none of these are of another language. */
const MAYBE =
  /[œłąężźćńśğışäöüßéèêàáíóúñãõçùå]|\b(?:ich|und|der|ist|el|los|las|una|il|gli|che|sono|dove|mis|meu|minha|uma|est|sont|dans|avec|vous|nous|les|je|qui|mes|jest|nie|gdzie|kiedy|jak|moje|czy|bir|ve|bu|ne|benim|ja|ei|minun|kuinka|milloin|onko|het|een|niet|mijn|ik|wij|welke|waar|wanneer|hebben|onze|och|att|inte|jag)\b|\b(?:[jlnmsdc]|qu)'/iu;

/** The language of a text, by small words and letters; undefined if none of these shows. */
export function languageOf(text: string): TextLanguage | undefined {
  if (!MAYBE.test(text) || /\p{Script=Han}/u.test(text)) return undefined;
  const hits: Record<TextLanguage, number> = {
    fr: 0,
    de: 0,
    es: 0,
    it: 0,
    pt: 0,
    pl: 0,
    tr: 0,
    fi: 0,
    nl: 0,
    sv: 0,
  };
  let count = 0;
  for (const [said] of text.matchAll(WORD)) {
    count += 1;
    if (count > MOST_WORDS) break;
    const word = said.toLowerCase();
    // With a capital it is part of a name: Los Angeles, Der Spiegel.
    const isSmall = count === 1 || said === word;
    for (const language of LANGUAGES)
      hits[language] += LETTERS[language].test(word) ? 2 : isSmall && SMALL_WORDS[language].has(word) ? 1 : 0;
  }
  const best = LANGUAGES.reduce((one, other) => (hits[other] > hits[one] ? other : one));
  // One foreign name makes no text foreign.
  const enough = Math.max(Math.min(3, Math.ceil(count / 3)), Math.ceil(Math.min(count, MOST_WORDS) / 7));
  return hits[best] >= enough ? best : undefined;
}

/** Cuts one ending, the longest that fits; at least as many letters stay as its pattern says. */
const without = (word: string, ending: RegExp): string => word.replace(ending, '');

const FRENCH_PLURAL = /(?<=.{3})(?:s|x)$/;
const FRENCH =
  /(?<=.{4})(?:issements?|ements?|eraient|erions|erait|erons|eront|eriez|aient|erai|eras|erez|antes?|ants?|(?<=[^ts])ions|ees|era|ait|ais|ent|ons|iez|ee|ez|er|es|ai|e)$/;

function frenchStem(word: string): string {
  const person = without(word, /(?<=.{3}[^ts]|.{4}[^i])ons$/);
  const one = /aux$/.test(person)
    ? person.replace(/eaux$/, 'eau').replace(/aux$/, 'al')
    : without(person, FRENCH_PLURAL);
  const adjective = one.replace(/(?<=.{2})euse$/, 'eux').replace(/(?<=.{2})ive$/, 'if');
  const stem = without(adjective === one ? one : without(adjective, FRENCH_PLURAL), FRENCH);
  return without(stem, /(?<=.{3})[ei]$/).replace(/(.)\1$/, '$1');
}

const GERMAN = /(?<=.{3})(?:ern|em|er|en|es|st|te|e|s|n|t)$/;

/** Endings stand behind one another, and a participle has a beginning as well: `gekauften`, `kaufte`, `kaufen`. */
function germanStem(word: string): string {
  let stem = word;
  for (let last = ''; last !== stem; ) {
    last = stem;
    stem = without(last, GERMAN);
  }
  return stem.replace(/^ge(?=.{4})/, '');
}

const SPANISH =
  /(?<=.{3})(?:abamos|[aei]remos|[aei]mos|aron|ieron|iendo|ando|abas?|aban|ad[oa]|id[oa]|aste|iste|ara|[aei]r|an|en|io|[aeio])$/;
const spanishStem = (word: string): string => without(without(word, /(?<=.{3})(?:es|s)$/), SPANISH);

const ITALIAN = /(?<=.{3})(?:iamo|iate|avano|ando|endo|[aei]re|[aiu]t[oaie]|av[oai]|[aeiou]{1,2})$/;
const italianStem = (word: string): string => without(word, ITALIAN).replace(/([cg])h$/, '$1');

const PORTUGUESE =
  /(?<=.{3})(?:avamos|[aei]remos|[aei]mos|[aei]ram|[aei]ndo|avam?|ad[oa]|id[oa]|[aei]r|ei|ou|am|em|[aeo])$/;
const portugueseStem = (word: string): string =>
  without(
    word
      .replace(/[oa]es$/, 'ao')
      .replace(/(?<=.{2}[ae])is$/, 'l')
      .replace(/ns$/, 'm')
      .replace(/(?<=.{3})s$/, ''),
    PORTUGUESE,
  );

const PL_VERB =
  /(?<=.{3})(?:[iay]l(?:ismy|ysmy|em|am|es|as|a|i|y|o)?|aj(?:acy|aca|ace|esz|emy|ecie|a|e)|uj(?:esz|emy|ecie|a|e)|owac|[aeiy]c)$/;
const PL_CASE =
  /(?<=.{3})(?:iami|iach|owie|iego|iemu|ami|ach|owi|iom|ego|emu|iej|ymi|imi|iem|om|ow|em|ej|ym|im|ych|ich|ie|ia|iu|ii|io|[aeiouy])$/;

function stemOfPl(word: string): string {
  const verb = without(word, PL_VERB);
  const stem = verb === word ? without(word, PL_CASE) : verb;
  // `książek` and `książka` are one word, as are `okien` and `okno`.
  return stem.replace(/(?<=.{2}[^aeiouy])e([kcn])$/, '$1').replace(/(?<=.{3})i$/, '');
}

const TURKISH_CASE = /(?<=.{3})(?:n?d[ae]n?|t[ae]n?|n[iu]n|[yn][iuae]|yl[ae]|l[ae]|ki)$/;
const TURKISH_OWNER = /(?<=.{3})(?:l[ae]ri|[iu]?m[iu]z|[iu]?n[iu]z|s[iu]|[iu]m|[iu]n|(?<=[aeiou])[mn])$/;
/** The vowel of a case behind the ending of an owner or of several. */
const TURKISH_VOWEL = /(?<=l[ae]r|[iu][mn])[aeiu]$/;
const TURKISH_PLURAL = /(?<=.{2})l[ae]r$/;
const SOFT: Readonly<Record<string, string>> = { b: 'p', d: 't', g: 'k', c: 'c' };

function turkishStem(word: string): string {
  const owned = without(without(without(word, TURKISH_CASE), TURKISH_VOWEL), TURKISH_OWNER);
  const bare = without(owned, TURKISH_PLURAL);
  const stem = without(bare, /(?<=.{3})[aeiou]$/);
  return stem.replace(/[bdgc]$/, (letter) => SOFT[letter] as string);
}

const FINNISH_CLITIC = /(?<=.{4})(?:k[oa]|kin|kaan|han)$/;
const FINNISH_OWNER = /(?<=.{4})(?:nsa|mme|nne|ni|si)$/;
const FINNISH_CASE =
  /(?<=.{3})(?:iss|ist|ill|ilt)a$|(?<=.{3})(?:ssa|sta|lla|lta|lle|ille|ksi|iksi|tta|ita|ina|na|iden|(?<=.{4})(?:jen|ja)|ien|iin|een|aan|oon|uun|yyn|ta|in|en|t|n|a)$/;

function finnishStem(word: string): string {
  const bare = without(without(word, FINNISH_CLITIC), FINNISH_OWNER);
  const stem = without(without(bare, FINNISH_CASE), /(?<=.{3})[aeiouy]{1,2}$/);
  // Consonants grow weak before an ending: `kauppa`, `kaupan`.
  return stem.replace(/(.)\1$/, '$1').replace(/d$/, 't');
}

const DUTCH = /(?<=.{3})(?:heden|tjes?|jes?|ing|en|te|de|e|s|t|d)$/;

/** A vowel is written twice and a consonant once where a syllable is closed: `betaald`, `betalen`; `huis`, `huizen`. */
function dutchStem(word: string): string {
  let stem = word.replace(/heid$/, 'hed');
  for (let last = ''; last !== stem; ) {
    last = stem;
    stem = without(last, DUTCH)
      .replace(/(?<=.{2})z$/, 's')
      .replace(/(?<=.{2})v$/, 'f');
  }
  return stem
    .replace(/([^aeiou])\1$/, '$1')
    .replace(/([aeou])\1(?=[^aeiou]$)/, '$1')
    .replace(/^ge(?=.{4})/, '');
}

const SWEDISH = /(?<=.{3})(?:[aeo]rna|ande|ade|ar|er|or|en|et|at|na|de|te|a|e|n|t|s)$/;

function swedishStem(word: string): string {
  let stem = word;
  for (let last = ''; last !== stem; ) {
    last = stem;
    stem = without(last, SWEDISH);
  }
  // `nyckel` and `nycklar` are one word.
  return stem.replace(/(?<=.{2}[^aeiouy])e([lr])$/, '$1').replace(/([^aeiou])\1$/, '$1');
}

const STEMMERS: Readonly<Record<TextLanguage, (word: string) => string>> = {
  fr: frenchStem,
  de: germanStem,
  es: spanishStem,
  it: italianStem,
  pt: portugueseStem,
  pl: stemOfPl,
  tr: turkishStem,
  fi: finnishStem,
  nl: dutchStem,
  sv: swedishStem,
};

/** The stem of a folded word of Latin letters in lower case; undefined if it has none, or is one of the small words. */
export function stemIn(language: TextLanguage, word: string): string | undefined {
  if (!/^[a-z]{4,30}$/.test(word) || SMALL_WORDS[language].has(word)) return undefined;
  const stem = STEMMERS[language](word);
  return stem.length >= 3 ? stem : undefined;
}
