// E-mail addresses as people write them: the common part of RFC 5321, with a top-level domain.
import { type Detector, matches } from '../detector.ts';

/** A label of a domain may be in any script. Not `git@host:path`, `user:password@host` or `@scope/name@1.2.3`: those are no mailboxes. */
const ADDRESS =
  /(?<![A-Za-z0-9._%+'@/-])(?!git@)[A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_+-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9_]|[.-][A-Za-z0-9]|:[\w~/])/gu;

export const emails: Detector = { category: 'emails', find: (text) => matches(text, ADDRESS) };
