// Values after one of the person's sensitive keywords: "password: hunter2", `DB_PASSWORD=…`, 密码是…
import { type Detector, masked, type TextSpan } from '../detector.ts';

/** Names for the same thing in other languages: a person who lists "password" also means its Chinese name. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  password: [
    ...[
      'passwd',
      'passphrase',
      'passcode',
      'pwd',
      '密码',
      '密碼',
      '口令',
      'パスワード',
      '暗証番号',
      '비밀번호',
      '암호',
    ],
    ...[
      'Passwort',
      'Kennwort',
      'mot de passe',
      'contraseña',
      'senha',
      'пароль',
      'wachtwoord',
      'hasło',
      'lösenord',
    ],
    ...['adgangskode', 'passord', 'salasana', 'heslo', 'jelszó', 'parolă', 'şifre', 'mật khẩu'],
  ],
  secret: ['密钥', '密鑰', '秘钥'],
  apikey: ['密钥', '密鑰', '秘钥'],
};

/**
 * Words between a name and its value in a sentence: "is", "was changed to", 改成了. Between letters, a space is needed.
 */
const BECOMES = [
  String.raw`(?:\s{1,4}|(?<=\p{Script=Han})|(?<=["'\x60*_]))(?:${[
    String.raw`(?:(?:is|was|got|ha[sd] been)\s{1,4})?(?:now\s{1,4})?(?:changed|set|reset|updated)\s{1,4}to`,
    String.raw`(?:is|was|are)\s{1,4}now|is|was|are|to|ist|lautet|est|es|é|è`,
  ].join('|')})`,
  String.raw`\s{0,4}` +
    '(?:(?:已经?|被)?(?:改|换|換|更改|修改|更新|设|設|设置|重置)(?:成|为|為)(?:了|(?!了))|就?是|为|為)',
  String.raw`\s{0,2}(?:は|[은는])`,
].join('|');
/**
 * A value that is likely by itself because it contains a digit or a mark. Lengths ("12 characters", 8位) and ways of
 * storing it (SHA-256, varchar(255)) do not count.
 */
const LIKELY = [
  String.raw`(?!\d{1,3}\+?(?:[\s-]?(?:char|digit|letter|symbol|bit|byte|day)|\s?[位个個次天年月日种種]))`,
  String.raw`(?!(?:sha|md|base|u?int|aes|rsa|utf|argon|pbkdf|n?varchar|char)[-_]?\d[\w-]{0,6}(?![^\s|(.,;，；。]))`,
  String.raw`(?!n?(?:var)?char\d?\()`,
  String.raw`(?=\S{0,60}(?:[\d@#$%^&*_+=~]|[!?]\w))`,
].join('');

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Builds a pattern in which `api_key` also matches apiKey, api-key and "API key". */
function keywordPattern(keyword: string): string {
  return keyword
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map(literal)
    .join(String.raw`[\s_-]?`);
}

interface NamedSecrets {
  /** Matches if the text mentions any name, since the other patterns are slow and most texts name no secret. */
  readonly mentioned: RegExp;
  readonly patterns: readonly RegExp[];
}
const patterns = new Map<string, NamedSecrets | null>();

/** Builds the patterns for values of these names; null without keywords. */
export function keywordPatterns(keywords: readonly string[]): NamedSecrets | null {
  const key = keywords.join('\n');
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const all = keywords.flatMap((word) => [
    word,
    ...(ALIASES[word.toLowerCase().replace(/[\s_-]/g, '')] ?? []),
  ]);
  const names = [...new Set(all.map(keywordPattern).filter(Boolean))].join('|');
  const made: RegExp[] = [];
  if (names) {
    // api_keys, "client_secret": the keyword and the rest of a longer name, in quotes or Markdown marks
    const tail = String.raw`(?<!/etc/)(?:${names})[\w-]{0,32}["'\x60*_]{0,3}`;
    // DB_PASSWORD: includes the start of the name if something must precede it. Elsewhere it would be tried at each
    // letter of a long word.
    const name = String.raw`[\w.-]{0,64}?${tail}`;
    made.push(
      // name = "quoted", name: 'quoted'
      new RegExp(
        String.raw`(${tail}\s{0,4}(?:[:=：→]|=>|->|:=)\s{0,40})("(?:[^"\\\n]|\\.){1,500}"|'(?:[^'\\\n]|\\.){1,500}'|\x60[^\x60\n]{1,500}\x60|“[^”\n]{1,500}”)`,
        'giu',
      ),
      // a value on the next lines, as YAML writes it
      new RegExp(
        String.raw`(${tail}[ \t]{0,4}:[ \t]{0,4}[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,40})(\S[^\n]{0,500})`,
        'giu',
      ),
      // a line that is only "name: value"; the value may have spaces
      new RegExp(
        String.raw`(^[ \t>*#-]*${name}(?:[ \t]{0,4}[:：]|[ \t]{1,4}=)[ \t]{0,4})([^\s,;，；。"'•][^\n,;，；。•]{0,200})`,
        'gimu',
      ),
      // name: value, --name=value
      new RegExp(String.raw`(${tail}\s{0,4}(?:[:=：→]|=>|->|:=)\s{0,4})([^\s"'\x60,;，；。•]{1,500})`, 'giu'),
      // --name value
      new RegExp(String.raw`(--?${name}\s{1,4})([^\s"'\x60,;•-]\S{0,500})`, 'giu'),
      // the password is hunter2: only values that are likely by themselves
      new RegExp(
        String.raw`(${tail}(?:${BECOMES})[\s:：]{0,4})(["'\x60“]?${LIKELY}[^\s"'\x60”,;，；。•]{4,500}["'\x60”]?)`,
        'giu',
      ),
      // | password | hunter2 |: table rows
      new RegExp(
        String.raw`(\|[ \t]{0,20}["'\x60*_]{0,3}${name}[ \t]{0,20}\|[ \t]{0,20})(["'\x60]?${LIKELY}[^\s"'\x60|•]{4,500}["'\x60]?)(?=[ \t]{0,20}\|)`,
        'giu',
      ),
      // <password>hunter2</password>
      new RegExp(
        String.raw`(<(?:\w{1,20}:)?${name}(?:\s[^<>]{0,200})?>\s{0,20})([^\s<•][^<•]{0,500})(?=<\/)`,
        'giu',
      ),
    );
  }
  if (patterns.size > 32) patterns.clear();
  const named = names ? { mentioned: new RegExp(names, 'iu'), patterns: made } : null;
  patterns.set(key, named);
  return named;
}

/** Masks of earlier finds, quotes and Markdown marks. */
const NOTHING = /^[\s•"'\x60“”*_]*$/;

/** Values that say there is none, or that one is needed. */
const OPEN = /^(?:none|null|nil|undefined|n\/a|required|optional|not set)(?: \w{1,10}){0,2}\.?$/i;

/** Returns the value without its quotes and trailing spaces; null if only masks of earlier finds remain. */
function valueIn(written: string, from: number): TextSpan | null {
  const value = written.trimEnd();
  const quoted = /^(["'\x60“])[\s\S]*(["'\x60”])$/.test(value) && value.length > 2;
  const words = quoted
    ? value.slice(1, -1)
    : value.replace(/(?<=[^"'\x60”])["'\x60”]$/, '').replace(/^["'\x60“](?=[^"'\x60“])/, '');
  if (NOTHING.test(words) || OPEN.test(words)) return null;
  const start = from + value.indexOf(words);
  return { from: start, to: start + words.length };
}

export const keywords: Detector = {
  category: 'keywords',
  find(text, { sensitive_keywords: listed }) {
    const named = keywordPatterns(listed);
    if (!named?.mentioned.test(text)) return [];
    const all: TextSpan[] = [];
    let left = text;
    for (const pattern of named.patterns) {
      const spans: TextSpan[] = [];
      for (const { 0: whole, 1: kept = '', index } of left.matchAll(pattern)) {
        const value = valueIn(whole.slice(kept.length), index + kept.length);
        if (value) spans.push(value);
      }
      all.push(...spans);
      left = masked(left, spans);
    }
    return all.sort((one, other) => one.from - other.from || other.to - one.to);
  },
};
