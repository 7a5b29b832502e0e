// Searches an answer for signs that a compacted message was missing: it asks for earlier information, or contradicts
// it. Rules, in English and Chinese; a sign is a reason to bring messages back, not a proof.
import type { MessageId } from '../base/ids.ts';
import type { Message } from '../chat/message.ts';
import { asksBack, isQuestion, makesCorrection } from '../text/cues.ts';
import { termsOf } from '../text/words.ts';
import type { CompactedHit, CompactedSearch } from './compacted.ts';
import { termsIn } from './reading.ts';
import { type Unit, unitsOf } from './units.ts';

export interface Loss {
  /** asks: the model asks for it, or says that it does not know. contradicts: the model says something else. */
  readonly why: 'asks' | 'contradicts';
  /** Sentence of the answer. */
  readonly said: string;
  /** Sentence of the compacted message. */
  readonly evidence: string;
  /** Messages to bring back, best first. */
  readonly messages: readonly MessageId[];
}

/** A hit with a lower score shows nothing about the meaning. */
const FITS = 0.3;
const MOST = 6;
/** Most compacted messages that a claim is compared with. */
const NEAR = 64;

// ---------------------------------------------------------------------------------------- claims
interface Claim {
  readonly kind: 'url' | 'path' | 'version' | 'time' | 'number';
  readonly value: string;
  /** Words right before and after the value, in its clause. */
  readonly about: ReadonlySet<string>;
}

const VALUE =
  /(?<url>https?:\/\/[^\s)"'`，。）]+)|(?<path>(?:~|\.{1,2})?(?:\/[\w.@-]+){2,}|(?<![\w@-])[\w@-]+(?:\/[\w.@-]+)+|(?<![\w-])[\w-]+\.(?:tsx?|jsx?|py|rs|go|java|rb|sh|sql|ya?ml|toml|json|md|csv|conf|ini|dart|kt|php|cs|cpp)\b)|(?<time>\b\d{1,2}:\d{2}\b)|(?<version>\bv?\d+\.\d+\.\d+\b)|(?<number>(?<![\w.])[$€£¥]?\d[\d,]*(?:\.\d+)?%?)/gu;
const PAUSE = /[,;:，；：。.!?！？()（）\n]/u;

/** Extracts claims about values: "the port is 8081" claims 8081 about the port. */
function claimsOf(text: string): Claim[] {
  const claims: Claim[] = [];
  for (const match of text.matchAll(VALUE)) {
    const [value] = match;
    const kind = (Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ??
      'number') as Claim['kind'];
    const before = text.slice(Math.max(0, match.index - 48), match.index);
    const after = text.slice(match.index + value.length, match.index + value.length + 20);
    const clause = before.split(PAUSE).at(-1) ?? '';
    const about = new Set([
      ...termsOf(clause.trim() === '' ? before : clause),
      ...termsOf(after.split(PAUSE)[0] ?? '').slice(0, 2),
    ]);
    claims.push({
      kind,
      value: value
        .toLowerCase()
        .replace(/[,$€£¥]/g, '')
        .replace(/\.$/, ''),
      about,
    });
  }
  return claims;
}

const claims = new WeakMap<Unit, readonly Claim[]>();

/** Claims of a unit, cached with it. */
function claimsIn(unit: Unit): readonly Claim[] {
  const known = claims.get(unit) ?? claimsOf(unit.text);
  claims.set(unit, known);
  return known;
}

/** Finds a compacted sentence that contradicts this one; undefined for none. */
function contradiction(said: string, hits: readonly CompactedHit[]): CompactedHit | undefined {
  const words = new Set(termsOf(said));
  for (const claim of claimsOf(said)) {
    // Newest sentence about the same thing, which may correct the others.
    let newest: { hit: CompactedHit; same: boolean } | undefined;
    for (const hit of hits) {
      if (isQuestion(hit.unit.text)) continue;
      const theirs = claimsIn(hit.unit).filter(({ kind }) => kind === claim.kind);
      let match: Claim | undefined;
      for (const other of theirs) {
        let about = 0;
        for (const term of claim.about) if (other.about.has(term)) about += 1;
        if (about === 0) continue;
        if (!match || other.value === claim.value) match = other;
      }
      if (!match) continue;
      let shared = 0;
      for (const [term, count] of termsIn(hit.unit)) if (words.has(term)) shared += count;
      // A correction is short: "no, port 8081" shares one word with anything.
      if (shared < 2 && !makesCorrection(hit.unit.text)) continue;
      // A sentence that also names the value does not contradict it.
      const same = theirs.some(({ value }) => value === claim.value) && !makesCorrection(hit.unit.text);
      const says = match.value === claim.value || same;
      // Sentences of one message are alternatives, as in a list, unless one corrects the others.
      if (says && hit.at === newest?.hit.at && !makesCorrection(newest.hit.unit.text)) newest.same = true;
      else if (newest?.same && hit.at === newest.hit.at && !makesCorrection(hit.unit.text)) continue;
      else if (
        !newest ||
        hit.at > newest.hit.at ||
        (hit.at === newest.hit.at && hit.index > newest.hit.index)
      )
        newest = { hit, same: says };
    }
    if (newest && !newest.same) return newest.hit;
  }
  return undefined;
}

/**
 * Lists compacted messages that an answer seems to have missed; empty for most answers. `question`: what it answers,
 * which gives sentences without a subject one.
 */
export function lossesIn(
  answer: Pick<Message, 'parts'>,
  question: string,
  compacted: CompactedSearch,
): Loss[] {
  if (compacted.messages.length === 0) return [];
  const losses: Loss[] = [];
  // Read as a message of its own, since an answer that is not saved yet has no id.
  const units = unitsOf({ ...answer, role: 'assistant', kind: 'message' } as Message).filter(
    ({ kind }) => kind === 'prose',
  );
  const many = units.length > 60 ? [...units.slice(0, 40), ...units.slice(-20)] : units;
  for (const { text } of many) {
    if (asksBack(text)) {
      const hits = compacted.find(`${text}\n${question}`, MOST).filter(({ score }) => score >= FITS);
      if (hits.length > 0)
        losses.push({
          why: 'asks',
          said: text,
          evidence: hits[0]?.unit.text ?? '',
          messages: [...new Set(hits.map(({ message }) => message.id))],
        });
    } else if (/\d|\//.test(text) && !isQuestion(text)) {
      const hit = contradiction(text, compacted.nearest(text, NEAR).find(text, 12));
      if (hit)
        losses.push({ why: 'contradicts', said: text, evidence: hit.unit.text, messages: [hit.message.id] });
    }
  }
  return losses;
}
