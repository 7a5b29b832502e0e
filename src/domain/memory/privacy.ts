// What must not be remembered: secrets are taken out before anything is indexed, embedded, titled or summarised;
// conversations from excluded folders are not indexed at all. The log keeps what was said.
import picomatch from 'picomatch/posix';
import { textOfFile } from '../chat/files.ts';
import type { Message } from '../chat/message.ts';

/** Stands where a secret was. No letter in it, so it is no search word either. */
export const REDACTED = '•••';

/** Shapes that are secrets whatever stands around them. The first group, where there is one, is kept. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, // JWT
  /\b(?:sk|rk|pk)[-_][\w-]{0,60}?[A-Za-z0-9]{16,200}[\w-]{0,200}/g, // OpenAI, Anthropic, Stripe and their kin
  /\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/g,
  /\bxox[abeprs]-[\w-]{10,}|\bxapp-[\w-]{10,}/g,
  /\b(?:npm|hf|dop_v1|shpat|pypi)[_-][A-Za-z0-9_-]{24,}/g,
  // scheme://user:password@host; the last of several @ parts it from the host
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,200}:)[^\s@/]{1,200}(?:@[^\s@/"'`<>()[\],;，；。]{1,200}){0,4}(?=@)/gi,
  /(\b(?:bearer|basic)\s+)[\w.~+/=-]{16,}/gi,
];

/** The same thing in other words: who withholds a password means its Chinese name too. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  password: ['passwd', 'passphrase', 'pwd', '密码', '密碼', '口令'],
  secret: ['密钥', '密鑰', '秘钥'],
  apikey: ['密钥', '密鑰', '秘钥'],
};

/** Between a name and its value in a sentence: "is", "was changed to", 改成了. A word of letters stands apart from a name of letters. */
const BECOMES = [
  String.raw`(?:\s{1,4}|(?<=\p{Script=Han})|(?<=["'\x60*_]))(?:${[
    String.raw`(?:(?:is|was|got|ha[sd] been)\s{1,4})?(?:now\s{1,4})?(?:changed|set|reset|updated)\s{1,4}to`,
    String.raw`(?:is|was|are)\s{1,4}now|is|was|are|to`,
  ].join('|')})`,
  String.raw`\s{0,4}` +
    '(?:(?:已经?|被)?(?:改|换|換|更改|修改|更新|设|設|设置|重置)(?:成|为|為)(?:了|(?!了))|就?是|为|為)',
].join('|');
/**
 * A value that looks like one by itself, a digit or a mark among its characters; a length ("12 characters", 8位) and what it is made or stored
 * with (SHA-256, varchar(255)) are none.
 */
const LIKELY = [
  String.raw`(?!\d{1,3}\+?(?:[\s-]?(?:char|digit|letter|symbol|bit|byte|day)|\s?[位个個次天年月日种種]))`,
  String.raw`(?!(?:sha|md|base|u?int|aes|rsa|utf|argon|pbkdf|n?varchar|char)[-_]?\d[\w-]{0,6}(?![^\s|(.,;，；。]))`,
  String.raw`(?!n?(?:var)?char\d?\()`,
  String.raw`(?=\S{0,60}(?:[\d@#$%^&*_+=~]|[!?]\w))`,
].join('');

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** `api_key` also matches apiKey, api-key and "API key". */
function keywordPattern(keyword: string): string {
  return keyword
    .split(/[\s_-]+/)
    .filter(Boolean)
    .map(literal)
    .join(String.raw`[\s_-]?`);
}

interface Named {
  /** Whether any of the names is mentioned at all: the patterns try each place of a text, and most texts name no secret. */
  readonly mentioned: RegExp;
  readonly patterns: readonly RegExp[];
}
const patterns = new Map<string, Named | null>();

/** Null without keywords. */
function keywordPatterns(keywords: readonly string[]): Named | null {
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
    const tail = String.raw`(?:${names})[\w-]{0,32}["'\x60*_]{0,3}`;
    // DB_PASSWORD: its beginning too, where something must stand before it. Anywhere else it would be tried at each letter of a long word.
    const name = String.raw`[\w.-]{0,64}?${tail}`;
    made.push(
      // name = "quoted", name: 'quoted'
      new RegExp(
        String.raw`(${tail}\s{0,4}(?:[:=：]|=>|:=)\s{0,4})("(?:[^"\\\n]|\\.){1,500}"|'(?:[^'\\\n]|\\.){1,500}'|\x60[^\x60\n]{1,500}\x60|“[^”\n]{1,500}”)`,
        'giu',
      ),
      // a line that is only "name: value", the value with spaces
      new RegExp(
        String.raw`(^[ \t>*#-]*${name}[ \t]{0,4}[:=：][ \t]{0,4})([^\s,;，；。"'•][^\n,;，；。•]{0,200})`,
        'gimu',
      ),
      // name: value, --name=value
      new RegExp(String.raw`(${tail}\s{0,4}(?:[:=：]|=>|:=)\s{0,4})([^\s"'\x60,;，；。•]{1,500})`, 'giu'),
      // --name value
      new RegExp(String.raw`(--?${name}\s{1,4})([^\s"'\x60,;•-]\S{0,500})`, 'giu'),
      // the password is hunter2: only what looks like one
      new RegExp(
        String.raw`(${tail}(?:${BECOMES})[\s:：]{0,4})(["'\x60“]?${LIKELY}[^\s"'\x60”,;，；。•]{4,500}["'\x60”]?)`,
        'giu',
      ),
      // | password | hunter2 |: in a table, too
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

/**
 * The text with every secret replaced by a mark: values that stand behind one of the sensitive keywords, and what has the shape of a
 * token, a key or a JWT. The words around stay. Redacting twice changes nothing more.
 */
export function redact(text: string, keywords: readonly string[]): { text: string; redacted: number } {
  let redacted = 0;
  const hide = (_match: string, ...groups: unknown[]) => {
    redacted += 1;
    return `${typeof groups[0] === 'string' ? groups[0] : ''}${REDACTED}`;
  };
  let out = text;
  for (const shape of SHAPES) out = out.replace(shape, hide);
  const named = keywordPatterns(keywords);
  if (named?.mentioned.test(out)) for (const pattern of named.patterns) out = out.replace(pattern, hide);
  return { text: out, redacted };
}

/**
 * Whether the person wants nothing of this message to be remembered: one of their sensitive words stands in it, in a longer name, a call, a
 * result or an attached text, too.
 */
export function isSkipped(
  { parts }: Pick<Message, 'parts'>,
  privacy: { readonly skip_sensitive_messages: boolean; readonly sensitive_keywords: readonly string[] },
): boolean {
  const named = privacy.skip_sensitive_messages ? keywordPatterns(privacy.sensitive_keywords) : null;
  if (!named) return false;
  return parts.some((part) =>
    named.mentioned.test(
      part.type === 'file' ? `${part.name ?? ''} ${textOfFile(part) ?? ''}` : JSON.stringify(part),
    ),
  );
}

const globs = new Map<string, (path: string) => boolean>();

/**
 * True when a conversation's folder is one of those that are not indexed, or lies inside one. Patterns are globs over the whole path;
 * a star that stands for a whole name reaches across folders, so a name between two of them means that folder wherever it is.
 * Back-slashes count as slashes.
 */
export function isExcluded(workDir: string | null, patterns: readonly string[]): boolean {
  if (!workDir) return false;
  const slashed = workDir.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');
  return patterns.some((pattern) => {
    let matches = globs.get(pattern);
    if (!matches) {
      const clean = pattern.replaceAll('\\', '/').replace(/^~(?=\/)/, '**');
      // `*` alone stops at a slash in a glob; "*/secret-project/*" means any folder of that name, however deep.
      const deep = clean.replace(/(^|\/)\*(?=\/|$)/g, '$1**');
      const anywhere = deep.includes('/') ? deep.replace(/(?<!\/)\/+$/, '') : `**/${deep}`;
      matches = picomatch([anywhere, `${anywhere}/**`], { dot: true, nocase: true });
      if (globs.size > 1000) globs.clear();
      globs.set(pattern, matches);
    }
    return matches(slashed) || matches(`${slashed}/`) || matches(slashed.replace(/^\/+|^[a-z]:\/+/i, ''));
  });
}
