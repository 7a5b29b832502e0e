// E-mail addresses as people write them: the common part of RFC 5321, with a top-level domain.
import { type Detector, masked, matches } from '../detector.ts';

/** Non-Latin top-level domains with many mailboxes: in such a script a word may follow the domain without a space. */
const OTHER_SCRIPTS = '中国|中國|公司|网络|網絡|网址|在线|商城|香港|台灣|рф|бел|укр';
/**
 * Labels of a domain may use any script; quotes and Markdown marks may surround the address. `git@host:path`,
 * `user:password@host`, `//user@host` and `@scope/name@1.2.3` are not mailboxes.
 */
const ADDRESS = new RegExp(
  [
    "(?<![A-Za-z0-9.%+@-]|[A-Za-z0-9.%+@/-][_'/])(?!git@)[A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_+-])?@",
    String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}`,
    String.raw`(?:(?:xn--[a-z0-9-]{2,58}[a-z0-9]|[A-Za-z]{2,24})(?![A-Za-z0-9]|_[A-Za-z0-9]|[.-][A-Za-z0-9]|:[\w~/])|${OTHER_SCRIPTS})`,
  ].join(''),
  'gu',
);

/** Addresses escaped in URLs, JSON or HTML, or disguised against bots: "jo [at] example [dot] org". */
const ESCAPED = new RegExp(
  [
    String.raw`(?<![A-Za-z0-9.%+@-])[A-Za-z0-9](?:[A-Za-z0-9._+'-]|%2B){0,62}(?:%40|\\u0040|&#64;|&#x40;|&commat;|\s?(?:\[at\]|\(at\)|\{at\})\s?)`,
    String.raw`(?:[A-Za-z0-9-]{1,63}(?:\.|%2E|\s?(?:\[dot\]|\(dot\)|\{dot\})\s?)){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9]|%2F|[.-][A-Za-z0-9])`,
  ].join(''),
  'gi',
);

export const emails: Detector = {
  category: 'emails',
  find(text) {
    const spans = matches(text, ADDRESS);
    return [...spans, ...matches(masked(text, spans), ESCAPED)];
  },
};
