// Messages and their parts. Written to the log as plain JSON, so every shape here is also a schema for data from outside.
import { z } from 'zod';
import type { MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';

/** The named keys of a loose schema: unknown keys are kept in the data, but nobody reads them by accident. */
export type Known<T> = T extends readonly (infer Item)[]
  ? Known<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T;

/** A passage brought back from another conversation, exactly as it was offered, with every number behind its rank. */
const recalledPassageSchema = z.looseObject({
  conversationId: z.string(),
  messageId: z.string(),
  title: z.string(),
  /** When the passage was said, ms since 1970. */
  createdAt: timeSchema,
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  passage: z.string(),
  /** Messages right before and after it in its branch, in their order; on which `side` is absent in older answers. */
  neighbours: z.array(
    z.looseObject({
      messageId: z.string(),
      role: z.string(),
      text: z.string(),
      createdAt: timeSchema,
      side: z.enum(['before', 'after']).optional(),
    }),
  ),
  scores: z.looseObject({
    /** Cosine on a scale that is the same for every model, 0–1; null where the passage has no vector (yet). */
    vector: z.number().nullable(),
    /** Rescaled BM25, 0–1; null where no word matched. */
    keyword: z.number().nullable(),
    /** Weighted sum of the two halves, 0–1. */
    hybrid: z.number(),
    /** exp(-factor · days), 0–1. */
    decay: z.number(),
    /** Piece by piece, 0–1; null where pieces were not compared; absent in older answers. */
    late: z.number().nullable().optional(),
    /** Worth of vector and token vectors together, 0–1, as weighed against the words; absent in older answers. */
    meaning: z.number().nullable().optional(),
    /** Factors that raised (above 1) or lowered the score, in order; absent in older answers. */
    boosts: z.array(z.looseObject({ name: z.string(), factor: z.number() })).optional(),
    /** How far it stood above all that was found, 0 to 8, and above the best one of any other conversation, −3 to 3; absent in older answers. */
    stands: z.number().optional(),
    above: z.number().optional(),
    /** Log odds for being said by the person, the assistant or a tool; absent in older answers. */
    lane: z.number().optional(),
    project: z.number().optional(),
    /** Probability that a person would call the passage related, 0–1: what the threshold is compared with. */
    final: z.number(),
  }),
  /** Price in the prompt. */
  tokens: z.number(),
});
export type RecalledPassage = Known<z.infer<typeof recalledPassageSchema>>;

/** Query and result of a recall, as the card shows them. */
const recallFields = {
  query: z.string(),
  threshold: z.number(),
  passages: z.array(recalledPassageSchema),
  /** Below the threshold: shown greyed, not injected. */
  nearMisses: z.array(recalledPassageSchema),
  /** Why only words were searched and not meaning; absent where both were, and in older answers. */
  degraded: z.looseObject({ code: z.string(), message: z.string() }).optional(),
};

const appliedNoteSchema = z.looseObject({
  /** The note, and when it was worded so, ms since 1970. */
  id: z.string(),
  at: z.number(),
  text: z.string(),
  kind: z.string(),
  tokens: z.number().catch(0),
});
/** A memory note that went along because it applies to what was asked. */
export type AppliedNote = Known<z.infer<typeof appliedNoteSchema>>;

const recallScopeSchema = z.looseObject({
  project: z.string(),
  name: z.string(),
  reach: z.enum(['only', 'first']),
});
export type RecallScope = Readonly<Pick<z.infer<typeof recallScopeSchema>, 'project' | 'name' | 'reach'>>;

/** Recall by a model's own tool: the card of the tool's result, whose text the model read. */
const toolRecallSchema = z.looseObject({
  ...recallFields,
  /** Nothing came close enough, and the model was given the near misses as what may be beside the point. */
  nearMissesGiven: z.boolean().optional(),
  /** Scope that memory looked in, or first in; absent: everywhere, and in older results. */
  scope: recallScopeSchema.optional().catch(undefined),
});
export type ToolRecall = Known<z.infer<typeof toolRecallSchema>>;

/**
 * Fields that a protocol wants back with a thought or a call, by the protocol's name: signatures, ids. Nobody else reads
 * them.
 */
const providerSchema = z.record(z.string(), z.unknown()).optional().catch(undefined);

/**
 * Text of a document (a PDF, a Word file …), in order. `place`: kind (`page`, `slide`, `sheet`, `rows`, `chapter`,
 * `section`) and name; absent if the format names none. `bytes`: size of the file, whose own bytes are not always kept.
 */
const extractSchema = z.looseObject({
  sections: z.array(
    z.looseObject({
      place: z.looseObject({ kind: z.string(), name: z.string() }).optional(),
      text: z.string(),
    }),
  ),
  bytes: z.number(),
  /** Only the beginning was taken: the file says more than is kept of one. */
  cut: z.boolean().optional(),
});
export type ExtractedText = Known<z.infer<typeof extractSchema>>;
export type Section = ExtractedText['sections'][number];
export type Place = NonNullable<Section['place']>;

/**
 * Parts of a message.
 * - `reasoning`: a model's thoughts before answering
 * - `file`: its bytes as a data: URL, its text, or both
 * - `recall`: memory that went into this answer; never indexed, never recalled again
 * - `unknown`: data that an importer could not name
 */
export const partSchema = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('text'),
    text: z.string(),
    /** Pages that the text rests on, as the endpoint named them. */
    sources: z
      .array(z.looseObject({ url: z.string(), title: z.string().optional() }))
      .optional()
      .catch(undefined),
  }),
  z.looseObject({
    type: z.literal('reasoning'),
    text: z.string(),
    encrypted: z.string().optional(),
    provider: providerSchema,
  }),
  z.looseObject({
    type: z.literal('file'),
    mediaType: z.string(),
    name: z.string().optional(),
    /** `data:` URL with the bytes; absent where an import named a file it did not carry. */
    url: z.string().optional(),
    /** Path or address of the file at its origin. */
    reference: z.string().optional(),
    /** Its words, taken out on the device; absent for pictures, plain texts and files that have none. */
    extract: extractSchema.optional().catch(undefined),
  }),
  z.looseObject({
    type: z.literal('tool-call'),
    callId: z.string(),
    name: z.string(),
    arguments: z.string(),
    provider: providerSchema,
  }),
  z.looseObject({
    type: z.literal('tool-result'),
    callId: z.string(),
    name: z.string().optional(),
    text: z.string(),
    isError: z.boolean().optional(),
    /** The tool changed something outside the conversation: an automatic checkpoint stands before it. */
    changed: z.boolean().optional(),
    /** A model set a checkpoint here. */
    checkpoint: z.boolean().optional(),
    /** The person's wording in place of the tool's. */
    edited: z.boolean().optional(),
    /** Passages behind the text of the tool `recall`, if any came; absent in older results. */
    recalled: toolRecallSchema.optional(),
  }),
  z.looseObject({
    type: z.literal('recall'),
    ...recallFields,
    /** Found, and left out by the person before it was sent: shown greyed, never injected. */
    leftOut: z.array(recalledPassageSchema).optional(),
    /** Notes of the person that applied to the question, whether or not anything was recalled. */
    applied: z.array(appliedNoteSchema).optional().catch(undefined),
    /**
     * Why memory was asked. `start`: a conversation's first message; `window`: the window is nearly full, or was just compacted;
     * `repeat`: the model asked for what had been said; `loss`: it contradicted or missed what was folded; absent: asked for, or `moved`.
     */
    trigger: z.enum(['start', 'window', 'repeat', 'loss']).optional().catch(undefined),
    /** Memory was asked by itself: the message is about something else than what it was asked before. Older versions refuse another trigger. */
    moved: z.literal(true).optional().catch(undefined),
    /** `lines`: each line of a passage is marked as quoted where a model reads it; absent: as older versions sent it. */
    quoting: z.literal('lines').optional(),
    /** Scope that memory looked in, or first in: the project by its name at the time. Absent: everywhere. */
    scope: recallScopeSchema.optional(),
    /** Why nothing was brought although it was tried. */
    skipped: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  }),
  z.looseObject({ type: z.literal('unknown'), original: z.unknown() }),
]);
export type Part = Known<z.infer<typeof partSchema>>;
export type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;

/** The passages of memory that went to a model with this part: unasked, or as the answer to its own tool. */
export const givenBy = (part: Part): readonly RecalledPassage[] => {
  if (part.type === 'recall') return part.passages;
  const recalled = part.type === 'tool-result' ? part.recalled : undefined;
  return (recalled?.nearMissesGiven ? recalled.nearMisses : recalled?.passages) ?? [];
};

export const roleSchema = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof roleSchema>;

/**
 * Why an answer ended. `cut`: the stream broke off; what arrived is kept. `stopped`: the person stopped it.
 * `error`: nothing or only a part arrived because of `problem`.
 */
const finishSchema = z.enum(['stop', 'length', 'tool-calls', 'stopped', 'cut', 'error']);
export type Finish = z.infer<typeof finishSchema>;

export const usageSchema = z.looseObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
  /** Counted here, for the endpoint reported nothing or not all of it. */
  estimated: z.boolean().optional(),
});
export type Usage = Known<z.infer<typeof usageSchema>>;

/** Cost of an answer when it was given: `amount` in `currency` (ISO 4217). */
const costSchema = z.looseObject({ amount: z.number(), currency: z.string() }).optional().catch(undefined);

/** A message that was sent back to an earlier place of its conversation. The branch that was left stays, and is linked both ways. */
const dmailSchema = z.looseObject({
  /** Last message of the branch that was left. */
  from: z.string(),
  /** The message it was sent back to; null: the beginning. */
  checkpoint: z.string().nullable(),
  by: z.enum(['person', 'model']),
  /** The message that this is another wording of; absent: a note. */
  edits: z.string().optional(),
});

/**
 * One message, immutable once written. Unknown keys are kept: a newer app may have written them.
 * - kind `message`: said
 * - kind `note`: bookkeeping of a tool (reminders, notices); kept, may be compacted, not indexed
 * - kind `recall`: an answer from memory without a model; not indexed
 */
export const messageSchema = z.looseObject({
  id: z.string(),
  parentId: z.string().nullable(),
  role: roleSchema,
  kind: z.enum(['message', 'note', 'recall']).default('message'),
  /** ms since 1970 */
  createdAt: timeSchema,
  parts: z.array(partSchema),
  model: z.string().optional(),
  device: z.string().optional(),
  usage: usageSchema.optional(),
  /** By the price that was known then; absent where nobody knew it. */
  cost: costSchema,
  /** From sending to the last token, ms. */
  durationMs: z.number().optional(),
  finish: finishSchema.optional(),
  problem: z.looseObject({ code: z.string(), message: z.string() }).optional(),
  /** Identity where it was imported from; with the conversation's source it makes re-import idempotent. */
  sourceId: z.string().optional(),
  dmail: dmailSchema.optional(),
  /** Hash of all that the model was sent for this answer (`services/context/request-key.ts`): equal requests can share an answer. */
  request: z.string().optional(),
  /** The answer was taken over from this message, because nothing that it depends on had changed; no model was asked. */
  reused: z.string().optional(),
  /** The answer was made of another one (`of`) by edits; or why that could not be and it was written anew. Tokens are estimated. */
  patch: z
    .looseObject({
      of: z.string(),
      edits: z.number().optional(),
      savedTokens: z.number().optional(),
      savedCalls: z.number().optional(),
      reason: z.enum(['form', 'missing', 'ambiguous', 'wanted']).optional(),
    })
    .optional()
    .catch(undefined),
  /** Original message, if this is its copy on another branch. */
  copyOf: z.string().optional(),
  /** Items sent and left out, in the short form of `domain/context/manifest.ts`. */
  ledger: z.looseObject({}).optional(),
});
export type Message = Omit<
  Known<z.infer<typeof messageSchema>>,
  'id' | 'parentId' | 'parts' | 'usage' | 'ledger'
> & {
  readonly id: MessageId;
  readonly parentId: MessageId | null;
  readonly parts: readonly Part[];
  readonly usage?: Usage | undefined;
  readonly ledger?: Readonly<Record<string, unknown>> | undefined;
};
export type Dmail = Known<z.infer<typeof dmailSchema>>;

/** The words of a message as a person reads them: text parts only, joined by blank lines. */
export const textOf = (message: Pick<Message, 'parts'>): string =>
  message.parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');
