// The manifest of a request: which messages were sent, in which form, what was left out and why. Short: neighbours with
// one disposition are one line, so that it can be stored with every answer, however long the conversation.
import { z } from 'zod';
import type { Known } from '../chat/message.ts';

/**
 * One line of the manifest. Stored words: `folded` means compacted.
 * - form: whole, trimmed (tool output shortened, files left out), summary (of compacted
 *   messages), recall (passages of other
 * conversations), returned (compacted messages brought back), out (not sent)
 * - why, for out: folded (a summary or nothing stands for it), window (older than what fits), kind (notes, answers from
 * memory), empty, unpaired (half of a call and its result)
 * - why, for others: a code of the plan
 */
const manifestLineSchema = z.looseObject({
  form: z.enum(['whole', 'trimmed', 'summary', 'recall', 'returned', 'out']),
  /** First and last message of the line; for a summary the message that it precedes; for a recall the question. */
  from: z.string(),
  to: z.string(),
  count: z.number(),
  /** Cost in tokens; for `out` the cost it would have had. */
  tokens: z.number(),
  why: z.string().optional(),
  /** For whole and trimmed: number of messages sent without the model's thoughts; absent: none. */
  reasoningOut: z.number().optional(),
  /** Summary: its id in the plan. Returned: the id of the compacted message, whose words are in the request. */
  ref: z.string().optional(),
});
export type ManifestLine = Known<z.infer<typeof manifestLineSchema>>;

export const requestManifestSchema = z.looseObject({
  version: z.literal(1),
  /** Oldest first. Every message of the path is in exactly one line of whole, trimmed and out. */
  lines: z.array(manifestLineSchema),
  /** Compaction in force. */
  compaction: z.string().nullable(),
  /** Encoding, or `estimate`; and the factor on its counts. */
  counter: z.string(),
  ratio: z.number(),
  window: z.number(),
  /** Largest prompt allowed, tokens. */
  limit: z.number(),
  tokens: z.looseObject({
    system: z.number(),
    tools: z.number(),
    recall: z.number(),
    returned: z.number(),
    summary: z.number(),
    messages: z.number(),
    total: z.number(),
  }),
  /** Calls of tools with their results, as far as sent: part of the cost of the lines. Absent: none. */
  calls: z.array(z.looseObject({ name: z.string(), count: z.number(), tokens: z.number() })).optional(),
  /** Documents that were too long to be sent whole: count of sent sections, and of all. Absent if all were whole. */
  files: z.array(z.looseObject({ name: z.string(), sent: z.number(), of: z.number() })).optional(),
  /** The app's request to continue an answer that was cut off: part of the cost of messages. Absent: none. */
  goesOn: z.looseObject({ text: z.string(), tokens: z.number() }).optional(),
  /** The earlier answer with the instructions to patch it, at the end: part of the cost of messages. Absent: none. */
  patches: z.looseObject({ text: z.string(), tokens: z.number() }).optional(),
  /** Cost of the projects' instructions and notes: part of `system`. Absent: no project. */
  projects: z.array(z.looseObject({ name: z.string(), tokens: z.number() })).optional(),
  /** Parameters that the person set for the endpoint, sent beside the messages. Absent: none. */
  parameters: z.looseObject({}).optional(),
  /** Tokens that replaced private words in it, never the words. */
  hidden: z.array(z.string()).optional(),
  /** It costs more than `limit`: the newest turn alone, or messages that may not be compacted. */
  overflow: z.boolean(),
});
export type RequestManifest = Known<z.infer<typeof requestManifestSchema>>;
