// Messages and their parts. Written to the log as plain JSON, so every shape here is also a schema for data from
// outside. Schemas are lazy: a start that opens no conversation makes none.
import { z } from 'zod';
import type { MessageId } from '../base/ids.ts';
import { timeSchema } from '../base/time.ts';

/** The named keys of a loose schema: unknown keys stay in the data, but the type hides them. */
export type Known<T> = T extends readonly (infer Item)[]
  ? Known<Item>[]
  : T extends object
    ? { [K in keyof T as string extends K ? never : K]: Known<T[K]> }
    : T;

/** A recalled passage, exactly as it was offered, with every number behind its rank. */
const recalledPassageSchema = z.lazy(() =>
  z.looseObject({
    conversationId: z.string(),
    messageId: z.string(),
    title: z.string(),
    /** When the passage was said, ms since 1970. */
    createdAt: timeSchema,
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    passage: z.string(),
    /** Messages right before and after it in its branch, in order; `side` is absent in older answers. */
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
      /** Cosine on a scale that all models share, 0–1; null if the passage has no vector (yet). */
      vector: z.number().nullable(),
      /** Rescaled BM25, 0–1; null if no word matched. */
      keyword: z.number().nullable(),
      /** Weighted sum of both, 0–1. */
      hybrid: z.number(),
      /** exp(-factor · days), 0–1. */
      decay: z.number(),
      /** Late interaction, 0–1; null if it was not computed; absent in older answers. */
      late: z.number().nullable().optional(),
      /** Semantic score of vector and token vectors together, 0–1; absent in older answers. */
      meaning: z.number().nullable().optional(),
      /** Factors that raised (above 1) or lowered the score, in order; absent in older answers. */
      boosts: z.array(z.looseObject({ name: z.string(), factor: z.number() })).optional(),
      /** z-score among the background scores, 0 to 8; margin over the runner-up, −3 to 3; absent in older answers. */
      stands: z.number().optional(),
      above: z.number().optional(),
      /** Log odds of its speaker's lane; absent in older answers. */
      lane: z.number().optional(),
      project: z.number().optional(),
      /** Probability that a person would call the passage related, 0–1, which the threshold is compared with. */
      final: z.number(),
    }),
    /** Cost in the prompt, tokens. */
    tokens: z.number(),
  }),
);
export type RecalledPassage = Known<z.infer<typeof recalledPassageSchema>>;

/** Query and result of a recall, as the card shows them. */
const recallFields = () => ({
  query: z.string(),
  threshold: z.number(),
  passages: z.array(recalledPassageSchema),
  /** Below the threshold: shown greyed, not injected. */
  nearMisses: z.array(recalledPassageSchema),
  /** Reason for which only words were searched, not meaning; absent if both were, and in older answers. */
  degraded: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

const appliedNoteSchema = z.lazy(() =>
  z.looseObject({
    /** Note, and time of this wording, ms since 1970. */
    id: z.string(),
    at: z.number(),
    text: z.string(),
    kind: z.string(),
    tokens: z.number().catch(0),
  }),
);
/** A memory note that accompanied the request because it applies. */
export type AppliedNote = Known<z.infer<typeof appliedNoteSchema>>;

const recallScopeSchema = z.lazy(() =>
  z.looseObject({
    project: z.string(),
    name: z.string(),
    reach: z.enum(['only', 'first']),
  }),
);
export type RecallScope = Readonly<Pick<z.infer<typeof recallScopeSchema>, 'project' | 'name' | 'reach'>>;

/** Recall by a model's own tool: the card of the tool's result, whose text the model read. */
const toolRecallSchema = z.lazy(() =>
  z.looseObject({
    ...recallFields(),
    /** True if nothing was close enough, and the model got the near misses as possibly irrelevant. */
    nearMissesGiven: z.boolean().optional(),
    /** Scope that was searched, or searched first; absent: everywhere, and in older results. */
    scope: recallScopeSchema.optional().catch(undefined),
  }),
);
export type ToolRecall = Known<z.infer<typeof toolRecallSchema>>;

/**
 * Fields that a protocol wants back with a thought or a call, by the protocol's name:
 * signatures, ids. Nothing else reads them.
 */
const providerSchema = z.record(z.string(), z.unknown()).optional().catch(undefined);

/**
 * Text of a document (a PDF, a Word file …), in order. `place`: kind (`page`, `slide`, `sheet`, `rows`, `chapter`,
 * `section`) and name; absent if the format names none. `bytes`: size of the file, whose own bytes are not always kept.
 */
const extractSchema = z.lazy(() =>
  z.looseObject({
    sections: z.array(
      z.looseObject({
        place: z.looseObject({ kind: z.string(), name: z.string() }).optional(),
        text: z.string(),
      }),
    ),
    bytes: z.number(),
    /** True if only the beginning was extracted, because the document is too long. */
    cut: z.boolean().optional(),
  }),
);
export type ExtractedText = Known<z.infer<typeof extractSchema>>;
export type Section = ExtractedText['sections'][number];
export type SectionPlace = NonNullable<Section['place']>;

/**
 * Parts of a message.
 * - `reasoning`: a model's thoughts before answering
 * - `file`: its bytes as a data: URL, its text, or both
 * - `recall`: memory that went into this answer; never indexed, never recalled again
 * - `unknown`: data that an importer could not name
 */
export const partSchema = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('text'),
      text: z.string(),
      /** Pages that the text cites, as the endpoint named them; a document has the address '', and its words. */
      sources: z
        .array(
          z.looseObject({
            url: z.string(),
            title: z.string().optional(),
            cited: z.string().optional().catch(undefined),
          }),
        )
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
      /** `data:` URL with the bytes; absent if an import named a file without its bytes. */
      url: z.string().optional(),
      /** Path or address of the file at its origin. */
      reference: z.string().optional(),
      /** Its words, extracted on the device; absent for pictures, plain texts and files without words. */
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
      /** The tool changed something outside the conversation: an automatic checkpoint precedes it. */
      changed: z.boolean().optional(),
      /** A model set a checkpoint here. */
      checkpoint: z.boolean().optional(),
      /** The person's wording replaced the tool's. */
      edited: z.boolean().optional(),
      /** Passages behind the text of the tool `recall`, if any; absent in older results. */
      recalled: toolRecallSchema.optional(),
    }),
    z.looseObject({
      type: z.literal('recall'),
      ...recallFields(),
      /** Found, but left out by the person before sending: shown greyed, never injected. */
      leftOut: z.array(recalledPassageSchema).optional(),
      /** The person's notes that applied to the question, whether or not anything was recalled. */
      applied: z.array(appliedNoteSchema).optional().catch(undefined),
      /**
       * Reason for the recall. `start`: a conversation's first message; `window`: nearly full, or just compacted;
       * `repeat`: the model asked for what was said; `loss`: it missed what was compacted; absent: asked, or `moved`.
       */
      trigger: z.enum(['start', 'window', 'repeat', 'loss']).optional().catch(undefined),
      /**
       * Unasked recall because the message is about another topic than the last query.
       * Older versions refuse another trigger.
       */
      moved: z.literal(true).optional().catch(undefined),
      /** `lines`: each line of a passage is marked as quoted for the model; absent: as older versions sent it. */
      quoting: z.literal('lines').optional(),
      /** Scope that was searched, or searched first: the project by its name at the time. Absent: everywhere. */
      scope: recallScopeSchema.optional(),
      /** Reason for which nothing was brought although it was tried. */
      skipped: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    }),
    z.looseObject({ type: z.literal('unknown'), original: z.unknown() }),
  ]),
);
export type Part = Known<z.infer<typeof partSchema>>;
export type PartOf<Type extends Part['type']> = Extract<Part, { type: Type }>;

/** Lists the passages that a model got with this part: unasked, or as the result of its own tool. */
export const passagesGivenBy = (part: Part): readonly RecalledPassage[] => {
  if (part.type === 'recall') return part.passages;
  const recalled = part.type === 'tool-result' ? part.recalled : undefined;
  return (recalled?.nearMissesGiven ? recalled.nearMisses : recalled?.passages) ?? [];
};

export const roleSchema = z.enum(['system', 'user', 'assistant', 'tool']);
export type Role = z.infer<typeof roleSchema>;

/**
 * Reason for an answer's end. `cut`: the stream broke off; the parts that arrived are kept. `stopped`: by the person.
 * `error`: nothing or only a part arrived because of `problem`.
 */
const finishSchema = z.enum(['stop', 'length', 'tool-calls', 'stopped', 'cut', 'error']);
export type Finish = z.infer<typeof finishSchema>;

export const usageSchema = z.looseObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
  /** Estimated here, since the endpoint reported nothing or not all of it. */
  estimated: z.boolean().optional(),
});
export type Usage = Known<z.infer<typeof usageSchema>>;

/** Cost of an answer at its time: `amount` in `currency` (ISO 4217). */
const costSchema = z.looseObject({ amount: z.number(), currency: z.string() }).optional().catch(undefined);

/**
 * A message that was sent back to an earlier point of its conversation. The old branch stays, and is linked both ways.
 */
const dmailSchema = z.lazy(() =>
  z.looseObject({
    /** Last message of the old branch. */
    from: z.string(),
    /** The message it was sent back to; null: the beginning. */
    checkpoint: z.string().nullable(),
    by: z.enum(['person', 'model']),
    /** The message that this rewords; absent: a note. */
    edits: z.string().optional(),
  }),
);

/**
 * One message, immutable once written. Unknown keys are kept: a newer app may have written them.
 * - kind `message`: said
 * - kind `note`: bookkeeping of a tool (reminders, notices); kept, may be compacted, not indexed
 * - kind `recall`: an answer from memory without a model; not indexed
 */
export const messageSchema = z.lazy(() =>
  z.looseObject({
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
    /** By the price known at the time; absent if none was known. */
    cost: costSchema,
    /** From sending to the last token, ms. */
    durationMs: z.number().optional(),
    finish: finishSchema.optional(),
    problem: z.looseObject({ code: z.string(), message: z.string() }).optional(),
    /** Identity in its import's source; with the conversation's source it makes a repeated import harmless. */
    sourceId: z.string().optional(),
    dmail: dmailSchema.optional(),
    /**
     * Hash of everything that the model was sent for this answer (`services/context/request-key.ts`):
     * equal requests can share an answer.
     */
    request: z.string().optional(),
    /** Message whose answer was reused, because nothing that it depends on had changed; no model was asked. */
    reused: z.string().optional(),
    /**
     * The answer was made from another one (`of`) by edits; or the reason for which it was
     * rewritten as a whole. Tokens are estimated.
     */
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
    /** Manifest of its request, in the short form of `domain/context/manifest.ts`. */
    ledger: z.looseObject({}).optional(),
  }),
);
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

/** Joins the words of a message as a person reads them: text parts only, separated by blank lines. */
export const textOf = (message: Pick<Message, 'parts'>): string =>
  message.parts
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');
