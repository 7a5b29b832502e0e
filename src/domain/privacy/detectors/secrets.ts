// Keys and tokens that are recognisable by themselves: by their beginning and entropy
// (secret-rules.ts), or by their shape.
import { type Detector, MASK, masked, matches, type TextSpan } from '../detector.ts';
import { type Alphabet, SECRET_RULES, type SecretRule } from './secret-rules.ts';

/** Shapes that are secrets in any context. The group `kept`, if present, stays. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9 ]+ )?PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*(?:\.[\w-]{8,}\.[\w-]*)?/g, // JWT, JWE
  /\b(?:sk|rk|pk)[-_][\w-]{0,60}?[A-Za-z0-9]{16,200}[\w-]{0,200}/g, // OpenAI, Anthropic, Stripe and their kin
  /\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}/g,
  /\bxox[abceprs]-[\w-]{10,}|\bxapp-[\w-]{10,}/g,
  /\bnpm_(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{24,}|\bhf_[A-Za-z0-9]{24,}|\b(?:dop_v1|shpat|pypi)[_-][A-Za-z0-9_-]{24,}/g,
  // scheme://user:password@host; the last of several @ separates it from the host
  /(?<kept>\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/@]{0,200}:)[^\s@/]{1,200}(?:@[^\s@/"'`<>()[\],;，；。]{1,200}){0,4}(?=@)/gi,
  // scheme://key@host
  /(?<kept>\bhttps?:\/\/)(?=[\w%.~-]{0,200}\d)[\w%.~-]{20,200}(?=@[\w[])/gi,
  /(?<kept>\b(?:bearer|basic)\s+)[\w.~+/=-]{16,}/gi,
  // an HTTP header with any scheme
  /(?<kept>\b(?:proxy-)?authorization["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?:(?:basic|bearer|token|digest|apikey|negotiate)\s{1,3})?)(?=[\w.~+/-]{0,400}[\d=])[\w.~+/-]{10,2000}={0,2}/gi,
  // address parameters that give access: signatures, tokens, and the account that a pairing link opens
  /(?<kept>[?&#;](?:(?:access|id|auth|refresh)_?token|token|sig|signature|x-amz-(?:signature|security-token)|x-goog-signature|(?:api|access|auth|subscription)?_?key|code|auth|session(?:_?id)?|sid|jwt|pair)=)(?=[\w.~%+/-]{0,400}\d)[\w.~%+/-]{16,4000}={0,2}/gi,
  /(?<kept>\bPrivate-Lines: \d{1,4}\r?\n)(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|$)){1,200}/g, // PuTTY
  // webhooks: whoever has the address may write
  /(?<kept>\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w+/]{30,80}/g,
  /(?<kept>\bdiscord(?:app)?\.com\/api\/webhooks\/\d{10,20}\/)[\w-]{50,80}/g,
  // bots: Telegram, Discord
  /(?<![\w:])\d{8,10}:A[\w-]{33,34}(?![\w-])/g,
  /(?<![\w.-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g,
  /(?<kept>\bAccountKey=)[A-Za-z0-9+/]{60,100}={0,2}/g, // Azure storage
  /(?<![\w.~-])[\w.~]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/g, // Entra ID
  /(?<kept>\bwebhook\.office\.com\/webhookb2\/)[\w@/-]{100,200}/g, // Teams
  /(?<![\w.-])[a-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w.-])/gi, // HCP Terraform
  // Authress
  /(?<![\w.-])(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[\w+/=-]{30,120}/gi,
  /(?<![\w-])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![\w-])/g, // MaxMind
  /(?<![A-Za-z0-9])A{22}[A-Za-z0-9%]{80,100}(?![A-Za-z0-9%])/g, // X
  /(?<![\w-])api_org_[A-Za-z]{34}(?![\w-])/g, // Hugging Face, letters alone
  /(?<kept>\b_gitlab_session=)[0-9a-z]{32}\b/gi,
  // curl -u name:password; not if the shell substitutes the value
  /(?<kept>\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]{0,3}["']?[^\s:"'$]{1,80}:)[^\s"'$<{][^\s"']{2,200}/g,
  /(?<kept>\b(?:sshpass\s{1,3}-p\s?|(?:docker|podman|buildah|skopeo|helm registry|oc|cf|az acr)\s{1,3}login\b[^\n]{0,200}?\s-p[ =]|mysql(?:dump|admin)?\b[^\n]{0,200}?\s-p)["']?)[^\s"'$<{-][^\s"']{2,200}/g,
  // keys of wallets, and of Nostr
  /(?<![A-Za-z0-9])[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,112}(?![A-Za-z0-9])/g,
  /(?<![A-Za-z0-9])nsec1[02-9ac-hj-np-z]{58}(?![A-Za-z0-9])/g,
  /(?<kept>\bprivate[ _-]?key["'`]?\s{0,3}[:=：]\s{0,3}["'`]?)(?:0x)?[0-9a-f]{64}(?![A-Za-z0-9])/gi,
  // Resend, Mailchimp, Firebase, Zhipu: known by their end or middle
  /(?<![\w-])re_(?=[A-Za-z_]{0,33}\d)[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![\w-])/g,
  /(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?![\w-])/g,
  /(?<![\w-])[\w-]{11}:APA91b[\w-]{120,180}(?![\w-])/g,
  /(?<![\w.-])[0-9a-f]{32}\.[A-Za-z0-9]{16}(?![\w.-])/g,
  /(?<kept>\b(?:ldap(?:search|modify|add|delete)\b[^\n]{0,200}?\s-w ?|smbclient\b[^\n]{0,200}?\s-U ?[^\s%"']{1,80}%|net use\b[^\n]{0,200}?\/user:\S{1,80}\s)["']?)[^\s"'$<{-][^\s"']{2,200}/gi,
  /(?<kept>\bWIFI:(?:[^\n;]{0,80};){1,4}P:)[^;\n]{4,80}/g, // a network as its QR code says it
];

/**
 * Keys without a border before or after them: only keys of known length with a beginning unlike any word. Text after
 * them stays. Group `kept` is the text before.
 */
const GLUED: readonly RegExp[] = [
  /(?<kept>[A-Za-z0-9_])gh[oprsu]_[A-Za-z0-9]{36}/g,
  /(?<kept>[A-Za-z0-9_])github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}/g,
  /(?<kept>[A-Za-z0-9_])glpat-[\w-]{20}/g,
  /(?:AKIA|ASIA)[A-Z2-7]{16}/g,
  /(?<kept>[A-Za-z0-9_])AIza[\w-]{35}/g,
  /(?<kept>[A-Za-z0-9_])sk-(?:ant|proj|svcacct|or)-[\w-]{24,200}/g,
  /(?<kept>[A-Za-z0-9_])[sr]k_live_[A-Za-z0-9]{24,100}/g,
  /(?<kept>[A-Za-z0-9_])xox[abprs]-\d{9,13}-[\w-]{16,80}/g,
  /(?<kept>[A-Za-z0-9_])(?:npm_|hf_)[A-Za-z0-9]{34,36}/g,
  /(?<kept>[A-Za-z0-9_])eyJ(?:(?!eyJ)[\w-]){10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
];

const ALPHABETS: Readonly<Record<Alphabet, RegExp>> = {
  hex: /[0-9a-f]{1,2000}/iy,
  alnum: /[0-9A-Za-z]{1,2000}/y,
  upper: /[0-9A-Z]{1,2000}/y,
  word: /[\w-]{1,2000}/y,
  dotted: /[\w.-]{1,2000}/y,
  base64: /[\w+/=-]{1,2000}/y,
  percent: /[\w+/=%.-]{1,2000}/y,
};
const ENTROPY = 2.5;

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const ruleOf = new Map<string, SecretRule[]>();
for (const rule of SECRET_RULES)
  for (const start of rule.starts) ruleOf.set(start, [...(ruleOf.get(start) ?? []), rule]);
/**
 * Longer beginnings come first. A match may not begin inside a longer word, so the rest is read once and the work
 * stays linear.
 */
const STARTS = new RegExp(
  `(?<![A-Za-z0-9_.-])(?:${[...ruleOf.keys()]
    .sort((one, other) => other.length - one.length)
    .map(literal)
    .join('|')})`,
  'g',
);

/** Shannon entropy in bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** Returns the end of the token whose beginning ends at `from`; null if it is not a token. */
function endOf(
  text: string,
  from: number,
  { alphabet, length: [least, most], entropy = ENTROPY }: SecretRule,
): number | null {
  const pattern = ALPHABETS[alphabet];
  pattern.lastIndex = from;
  // A full stop after a token ends the sentence.
  const rest = pattern.exec(text)?.[0].replace(/[.=-]{1,3}$/, '') ?? '';
  if (rest.length < least || rest.length > most || /[A-Za-z0-9_]/.test(text[from + rest.length] ?? ''))
    return null;
  // Names made only of words, such as sk-learn-documentation, are not keys.
  return entropyOf(rest) >= entropy && /\d/.test(rest) ? from + rest.length : null;
}

/**
 * A name that gives access, and its value: GITLAB_TOKEN=…, "access_token": "…", X-Auth-Token: …, STRIPE_KEY=… (after
 * the rule `generic-api-key` of gitleaks). Tokens need high entropy; for other keys a row without gaps is enough.
 */
const NAMED: readonly RegExp[] = [
  /(?<kept>(?:token|bearer|credentials?|session_?id|authkey|secret)["'`]?\s{0,3}(?::=|=>|[:=：])\s{0,3}["'`]?)[\w.~+/=-]{16,2000}/gi,
  /(?<kept>(?:[_-]key|_KEY|-Key|(?<=[a-z])Key|\b_?auth)["'`]?\s{0,3}(?::=|=>|[:=：])\s{0,3}["'`]?)[A-Za-z0-9+/_]{20,2000}={0,2}(?![\w-])/g,
];
/** Least entropy in bits per character, as `ENTROPY`. */
const NAMED_ENTROPY = 3.3;

/** True for the name of something: words of letters and short numbers, separated by single marks. */
const isSpelt = (value: string): boolean => {
  const words = value.split(/[_./-]/);
  return words.length > 2 && words.every((word) => /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+|v?\d{1,4})$/.test(word));
};

/** Cookies identify a browser, so the value of each is a secret. */
const COOKIES = /\b(?:set-)?cookie["'`]?\s?:\s?[^\r\n]{1,4000}/gi;
const COOKIE = /(?<kept>[\w.$-]=)[^\s"'`;,]{16,2000}/g;

function byNames(text: string): TextSpan[] {
  const cookies = matches(text, COOKIES).flatMap((header) =>
    matches(text.slice(header.from, header.to), COOKIE).map(({ from, to }) => ({
      from: header.from + from,
      to: header.from + to,
    })),
  );
  const spans = [...NAMED.flatMap((pattern) => matches(text, pattern)), ...cookies].flatMap(
    ({ from, to }) => {
      const value = text.slice(from, to).replace(/[.=-]{1,3}$/, '');
      const isMixed = /\d/.test(value) && /[a-z]/i.test(value) && entropyOf(value) >= NAMED_ENTROPY;
      return isMixed && !value.includes(MASK) && !isSpelt(value) ? [{ from, to: from + value.length }] : [];
    },
  );
  spans.sort((one, other) => one.from - other.from || other.to - one.to);
  return spans.filter(({ from }, at) => from >= (spans[at - 1]?.to ?? 0));
}

function byRules(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { 0: start, index } of text.matchAll(STARTS)) {
    if (index < (spans.at(-1)?.to ?? 0)) continue;
    for (const rule of ruleOf.get(start) ?? []) {
      const to = endOf(text, index + start.length, rule);
      if (to === null) continue;
      spans.push({ from: index, to });
      break;
    }
  }
  return spans;
}

const glued = (text: string): TextSpan[] =>
  GLUED.flatMap((pattern) => matches(text, pattern))
    .filter(
      ({ from, to }) => /\d/.test(text.slice(from, to)) && entropyOf(text.slice(from, to)) >= NAMED_ENTROPY,
    )
    .sort((one, other) => one.from - other.from || other.to - one.to)
    .filter(({ from }, at, all) => from >= (all[at - 1]?.to ?? 0));

export const secrets: Detector = {
  category: 'secrets',
  find(text) {
    const all: TextSpan[] = [];
    let left = text;
    for (const shape of SHAPES) {
      const spans: TextSpan[] = [];
      for (const { 0: whole, index, groups } of left.matchAll(shape)) {
        const from = index + (groups?.kept?.length ?? 0);
        const to = index + whole.length;
        if (!left.slice(from, to).includes(MASK)) spans.push({ from, to });
      }
      all.push(...spans);
      left = masked(left, spans);
    }
    for (const find of [byRules, glued, byNames]) {
      const spans = find(left).sort((one, other) => one.from - other.from);
      all.push(...spans);
      left = masked(left, spans);
    }
    return all.sort((one, other) => one.from - other.from);
  },
};
