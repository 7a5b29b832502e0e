// Takes notes of a message for its compaction: the telling sentences, each with its kind and weight. Read once
// per message, as it comes; collecting the notes of a whole conversation is then quick.
import type { Message } from '../chat/message.ts';
import {
  getsFixed,
  goesWrong,
  isAboutPerson,
  isAcknowledgement,
  isQuestion,
  leavesToDo,
  makesCorrection,
  makesDecision,
  makesStatement,
  makesSuggestion,
  setsLimit,
  setsRule,
} from '../text/cues.ts';
import { hasTerms, termsOf } from '../text/words.ts';
import { constraintsOf } from './constraints.ts';
import { countLineForms, LIST_FROM, lineFormOf, statesResult } from './outputs.ts';
import { termsIn } from './reading.ts';
import { estimateTokens } from './tokens.ts';
import { type Unit, unitsOf } from './units.ts';
import { type ValueKind, valuesOf } from './value-kinds.ts';

export type SessionNoteKind =
  | 'rule'
  | 'limit'
  | 'correction'
  | 'person'
  | 'decision'
  | 'fact'
  | 'file'
  | 'workflow'
  | 'error'
  | 'todo';

/** Speaker: the notes of one never take all the space of the others. */
export type NoteLane = 'person' | 'assistant' | 'tool';

export interface Note {
  readonly kind: SessionNoteKind;
  readonly lane: NoteLane;
  /** Verbatim. */
  readonly text: string;
  /** Heading of the note; may be empty. */
  readonly lead: string;
  /** Larger is more worth keeping. Rules weigh most. */
  readonly weight: number;
  readonly terms: ReadonlySet<string>;
  readonly values: ReadonlySet<ValueKind>;
  /** Index among the units of its message. */
  readonly index: number;
  /** Block of its message that it is a line of; and true if its lead names columns. */
  readonly block?: number | undefined;
  readonly headed?: true | undefined;
  readonly code?: true;
  /** Estimated, for a first choice among many. */
  readonly tokens: number;
}

/** Most notes of one message: long answers and outputs have much that looks worth keeping. */
const MAX_NOTES = 24;

const WEIGHTS: Readonly<Record<SessionNoteKind, number>> = {
  rule: 100,
  limit: 7,
  correction: 6,
  person: 4.5,
  decision: 4,
  error: 3,
  todo: 3,
  workflow: 2.4,
  file: 2.4,
  fact: 2.6,
};
const BY_ROLE: Readonly<Record<Message['role'], number>> = {
  user: 1.35,
  assistant: 0.85,
  tool: 0.8,
  system: 0,
};
/** Kinds of definite values. */
const DEFINITE: readonly ValueKind[] = [
  'money',
  'date',
  'duration',
  'path',
  'url',
  'email',
  'version',
  'command',
  'code',
  'quoted',
  'number',
];
const ASSIGNS = /[\w"'`\])]\s*(?:=|:=|:|=>|→)\s*["'`]?[\w/.$-]/u;
const LOGGED = /^\W*(?:\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|\[?(?:INFO|DEBUG|TRACE)\b)/i;

const NO_VALUES: ReadonlySet<ValueKind> = new Set();
const cache = new WeakMap<Message, readonly Note[]>();

/** Notes of a message, in order. Empty for bookkeeping and for mere agreement. */
export function notesOf(message: Message): readonly Note[] {
  const known = cache.get(message);
  if (known) return known;
  const notes: Note[] = [];
  if (message.kind === 'message' && message.role !== 'system') {
    const units = unitsOf(message);
    const rules = constraintsOf(message);
    for (const text of rules) {
      const index = units.findIndex((unit) => (unit.sentence ?? unit.text).includes(text));
      notes.push({
        kind: 'rule',
        lane: 'person',
        text,
        lead: '',
        weight: WEIGHTS.rule,
        terms: new Set(termsOf(text)),
        values: NO_VALUES,
        index,
        tokens: estimateTokens(text),
      });
    }
    const forms = countLineForms(units.flatMap(({ kind, text }) => (kind === 'result' ? text : [])));
    const seen = new Map<string, number>();
    units.forEach((unit, index) => {
      // Only lines of output have repeated forms.
      let same = { of: 1, before: 0 };
      if (unit.kind === 'result') {
        const form = lineFormOf(unit.text);
        same = { of: forms.get(form) ?? 1, before: seen.get(form) ?? 0 };
        seen.set(form, same.before + 1);
      }
      const note = rules.includes(unit.sentence ?? unit.text) ? null : noteOf(message, unit, index, same);
      if (note) notes.push(note);
    });
  }
  // Rules weigh most, so they are never among the surplus, unless a message is nothing but rules.
  const kept =
    notes.length > MAX_NOTES
      ? [...notes]
          .sort((a, b) => b.weight - a.weight || a.index - b.index)
          .filter(({ kind }, place) => place < MAX_NOTES || kind === 'rule')
          .sort((a, b) => a.index - b.index)
      : notes;
  cache.set(message, kept);
  return kept;
}

/** Count of an output's lines with the same form, and of those before this one. */
interface SameForm {
  readonly of: number;
  readonly before: number;
}

function kindOf(
  message: Message,
  unit: Unit,
  values: ReadonlySet<ValueKind>,
  same: SameForm,
): SessionNoteKind | null {
  const { text } = unit;
  const byUser = message.role === 'user';
  if (unit.kind === 'call') return values.has('path') || values.has('code') ? 'file' : 'workflow';
  if (unit.kind === 'result') {
    if (goesWrong(text)) return 'error';
    return DEFINITE.some((kind) => values.has(kind)) && (same.of < LIST_FROM || !LOGGED.test(text))
      ? 'fact'
      : null;
  }
  if (unit.kind === 'code') {
    if (/^\s*[$>]\s|^\s*(?:npm|npx|git|docker|kubectl|pip|cargo|make|curl|ssh)\s/u.test(text))
      return 'workflow';
    return ASSIGNS.test(text) && DEFINITE.some((kind) => values.has(kind)) ? 'fact' : null;
  }
  if (isQuestion(text)) return null;
  if (byUser && makesCorrection(text)) return 'correction';
  if (byUser && setsLimit(text)) return 'limit';
  if (byUser && isAboutPerson(text) && !setsRule(text)) return 'person';
  if (makesDecision(text) || (message.role === 'assistant' && makesSuggestion(text))) return 'decision';
  if (getsFixed(text) && (goesWrong(text) || message.role === 'assistant')) return 'error';
  if (leavesToDo(text)) return 'todo';
  if (goesWrong(text)) return 'error';
  if (values.has('command')) return 'workflow';
  if (values.has('path')) return 'file';
  return DEFINITE.some((kind) => values.has(kind)) || (values.has('name') && makesStatement(text))
    ? 'fact'
    : null;
}

/** Weight of an output line relative to others: higher for rare lines, and for those the output was run for. */
function standing(unit: Unit, { of, before }: SameForm): number {
  if (unit.kind !== 'result') return 1;
  const said = statesResult(unit.text) ? 1.5 : 1;
  if (of < LIST_FROM) return 1.15 * said;
  return before < 1 && said > 1 ? 0.9 * said : (LIST_FROM / of) * (said > 1 ? 0.9 : 0.5);
}

function noteOf(message: Message, unit: Unit, index: number, same: SameForm): Note | null {
  const { text } = unit;
  const values = valuesOf(unit);
  if (isAcknowledgement(text)) return null;
  const kind = kindOf(message, unit, values, same);
  if (!kind) return null;
  if (!hasTerms(text)) return null;
  let definite = 0;
  for (const value of DEFINITE) if (values.has(value)) definite += 1;
  if (values.has('name')) definite += 0.5;
  const weight =
    WEIGHTS[kind] *
    BY_ROLE[message.role] *
    standing(unit, same) *
    (1 + 0.2 * Math.min(4, definite)) *
    (makesStatement(text) ? 1.15 : 1) *
    (definite === 0 && kind !== 'limit' ? 0.55 : 1);
  let terms: ReadonlySet<string> | undefined;
  return {
    kind,
    lane:
      unit.kind === 'result' || unit.kind === 'call'
        ? 'tool'
        : message.role === 'user'
          ? 'person'
          : 'assistant',
    text,
    lead: unit.lead,
    block: unit.block,
    headed: unit.headed,
    ...(unit.kind === 'code' ? { code: true as const } : {}),
    weight,
    // Computed on demand, since few of many notes are examined so closely.
    get terms() {
      terms ??= new Set(termsIn(unit).keys());
      return terms;
    },
    values,
    index,
    tokens: estimateTokens(text),
  };
}
