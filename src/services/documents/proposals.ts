// Proposals to memory and the decisions on them, as they lie in the document of the notes:
//   p   proposal id -> proposal as JSON, while it is open
//   d proposal id -> what the person decided, without the words; once decided, a proposal does not come back, on no
//   device w kind -> true if the person wants no proposals of that kind s salt -> true: ids are hashes with the first
//   salt; two devices that begin apart have two salts, and find decisions by either
import { v4 } from 'uuid';
import { z } from 'zod';
import { timeSchema } from '../../domain/base/time.ts';
import { type MemoryNote, type Proposal, proposalId, proposalSchema } from '../../domain/memory/notes.ts';
import { NOTE_KINDS, type NoteKind } from '../../domain/memory/recognition/kinds.ts';
import { squeezed } from '../../domain/text/sentences.ts';
import type { PurgeRules } from './documents.ts';
import { plain, type ValueMap, type ValueMaps } from './small-document.ts';
import { isProposalTakenOut } from './taking-out.ts';

export interface Inbox {
  /** False until the log was read once. */
  readonly ready: boolean;
  /** Undecided proposals, newest first. */
  readonly proposals: readonly Proposal[];
  /** Kinds that the person wants no proposals of. */
  readonly never: readonly NoteKind[];
}

export const EMPTY_INBOX: Inbox = { ready: false, proposals: [], never: [] };

/** Maps of the document that hold proposals. */
interface ProposalMaps {
  readonly proposals: ValueMap;
  readonly decisions: ValueMap;
  readonly never: ValueMap;
  readonly salts: ValueMap;
}

/** Picks the three maps of proposals out of the notes' document. */
export const proposalMapsOf = (maps: ValueMaps): ProposalMaps => ({
  proposals: maps('p'),
  decisions: maps('d'),
  never: maps('w'),
  salts: maps('s'),
});

const saltsOf = ({ salts }: Pick<ProposalMaps, 'salts'>): string[] => [...salts.keys()].sort();

/** Returns the sentence's id with the present salt. A device without a salt draws one. */
function idNow(maps: ProposalMaps, text: string): string {
  const [salt = v4()] = saltsOf(maps);
  maps.salts.set(salt, true);
  return proposalId(text, salt);
}

/** All names that the sentence may have been given, by earlier versions and by devices that began apart, too. */
const idsOf = (maps: Pick<ProposalMaps, 'salts'>, text: string): string[] => [
  proposalId(text),
  ...saltsOf(maps).map((salt) => proposalId(text, salt)),
];

const decisionSchema = z.looseObject({
  as: z.enum(['accepted', 'refused']),
  /** ms since 1970 */
  at: timeSchema,
});
type Decision = z.infer<typeof decisionSchema>['as'];

/** A refused proposal stays refused. An accepted one may be proposed again: its note may be gone by then. */
function isDecided(
  maps: Pick<ProposalMaps, 'decisions' | 'salts'>,
  { text, at }: Pick<Proposal, 'text' | 'at'>,
): boolean {
  if (maps.decisions.size === 0) return false;
  return idsOf(maps, text).some((id) => {
    const decision = decisionSchema.safeParse(maps.decisions.get(id)).data;
    return decision !== undefined && (decision.as === 'refused' || decision.at >= at);
  });
}

/** Lists open proposals, without duplicates and without sentences that have become notes. */
export function readInbox(maps: ProposalMaps, notes: readonly MemoryNote[]): Inbox {
  const { proposals, never } = maps;
  const unwanted = NOTE_KINDS.filter((kind) => never.get(kind) === true);
  const known = new Set(notes.map(({ text }) => squeezed(text)));
  const open: Proposal[] = [];
  for (const [id, value] of proposals) {
    const { success, data } = proposalSchema.safeParse(value);
    if (success && data.id === id && !isDecided(maps, data) && !unwanted.includes(data.kind)) open.push(data);
  }
  open.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
  return {
    ready: true,
    proposals: open.filter(({ text }) => {
      const wording = squeezed(text);
      if (known.has(wording)) return false;
      known.add(wording);
      return true;
    }),
    never: unwanted,
  };
}

/** Most waiting proposals; the oldest make space for new ones. */
const MOST_OPEN = 200;

/** Adds proposals that are new and were never decided. Returns how many. */
export function addProposals(maps: ProposalMaps, added: readonly Omit<Proposal, 'id'>[]): number {
  let count = 0;
  for (const one of added) {
    const isThere = idsOf(maps, one.text).some((id) => maps.proposals.has(id));
    if (isThere || isDecided(maps, one) || maps.never.get(one.kind) === true) continue;
    const id = idNow(maps, one.text);
    maps.proposals.set(id, plain({ ...one, id }));
    count += 1;
  }
  const open = [...maps.proposals].flatMap(([id, value]) => {
    const { success, data } = proposalSchema.safeParse(value);
    return success ? [{ id, at: data.at }] : [];
  });
  for (const { id } of open.sort((a, b) => b.at - a.at).slice(MOST_OPEN)) maps.proposals.delete(id);
  return count;
}

/** Removes the words and stores the decision. */
export function decideOn(maps: ProposalMaps, id: string, as: Decision, at: number): void {
  const text = proposalSchema.safeParse(maps.proposals.get(id)).data?.text;
  for (const one of text === undefined ? [id] : idsOf(maps, text)) maps.proposals.delete(one);
  maps.decisions.set(text === undefined ? id : idNow(maps, text), { as, at });
}

/** Takes the decision back, under whichever name it was kept. */
export function reopenIn(maps: ProposalMaps, proposal: Proposal): void {
  for (const id of idsOf(maps, proposal.text)) maps.decisions.delete(id);
  const id = idNow(maps, proposal.text);
  maps.proposals.set(id, plain({ ...proposal, id }));
}

/** Withdraws proposals of forgotten sources, or with forgotten words. Returns how many. */
export function withdrawForgotten({ proposals }: ProposalMaps, rules: PurgeRules): number {
  let count = 0;
  for (const [id, value] of [...proposals]) {
    const proposal = proposalSchema.safeParse(value).data;
    if (!proposal || !isProposalTakenOut(proposal, rules)) continue;
    proposals.delete(id);
    count += 1;
  }
  return count;
}

/** Withdraws proposals whose source is gone, by `isGone`. */
export function withdraw({ proposals }: ProposalMaps, isGone: (source: Proposal['source']) => boolean): void {
  for (const [id, value] of [...proposals]) {
    const source = proposalSchema.safeParse(value).data?.source;
    if (source && isGone(source)) proposals.delete(id);
  }
}
