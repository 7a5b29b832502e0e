// Measures what a compaction loses: facts planted in conversations, asked for after everything
// was made to fit a tenth of its size.
//   npm run eval -- --context [--conversations FILE] [--set NAME] [--json OUT] [--strategy ID] [--misses]
//   [--summary-endpoint URL --summary-model ID]
// FILE: [{id, language, messages: [{role, content, toolCalls?}], facts: [{ask, answer, kind?}]}]. The question is the
// next message of the person; the prompt is the product's own (`services/context/requests.ts`), with and without folded
// messages brought back; the answer has to stand in it. Memory of other conversations has nothing to say: there is one
// alone. What a question brings back is found by its words, as before the index has read the conversation; --meaning
// adds what the index knows of it by meaning and which sentences it recognises, with the real model. Summaries are made
// of quotations unless an OpenAI-compatible endpoint is named (its key in SUMMARY_KEY).
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { asConversationId, asMessageId, type ConversationId } from '../../src/domain/base/ids.ts';
import { writable } from '../../src/domain/base/readable.ts';
import { type Conversation as Chat, conversationMetaSchema } from '../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../src/domain/chat/message.ts';
import type { Compaction } from '../../src/domain/chat/records.ts';
import { planCompaction, STRATEGIES } from '../../src/domain/context/compaction/index.ts';
import { boundaryOf, type CompactionPlan } from '../../src/domain/context/compaction/plan.ts';
import type { CompactionTools, Summarise } from '../../src/domain/context/compaction/strategy.ts';
import { createMeter, MESSAGE_OVERHEAD } from '../../src/domain/context/meter.ts';
import type { BuiltPrompt } from '../../src/domain/context/prompt.ts';
import { createRedaction } from '../../src/domain/context/redaction.ts';
import { comparableUnits } from '../../src/domain/context/semantic-scores.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { heldOn } from '../../src/services/context/holding.ts';
import type { MeaningSource } from '../../src/services/context/meaning.ts';
import { createRequests, type RequestOptions } from '../../src/services/context/requests.ts';
import type { Recognising } from '../../src/services/memory/recognising.ts';
import { extractiveSummary } from '../domain/context/compaction/extractive.ts';
import { ownConversations, paraphrasedConversations } from './context/conversations.ts';
import { Refused, readGiven, understand, wordsSchema } from './given.ts';
import { cache, loadPipeline, models } from './load.ts';

const callSchema = z.looseObject({
  id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.unknown().optional(),
  result: z.unknown().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }).optional(),
});
const ROLES: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  bot: 'assistant',
  tool: 'tool',
  function: 'tool',
};
const roleSchema = z.string().transform((role, context): Message['role'] => {
  const known = ROLES[role.trim().toLowerCase()];
  if (known) return known;
  context.addIssue({ code: 'custom', message: `nobody is called ${JSON.stringify(role)}` });
  return z.NEVER;
});
const idSchema = z.union([z.string(), z.number().transform(String)]);
export const conversationsSchema = z.array(
  z.looseObject({
    id: idSchema,
    language: z.string().catch('unknown'),
    messages: z.array(
      z.looseObject({
        role: roleSchema,
        content: wordsSchema.default(''),
        toolCalls: z.array(callSchema).optional(),
        toolCallId: z.string().optional(),
      }),
    ),
    facts: z.array(
      z.looseObject({
        ask: z.string(),
        answer: z.string().refine((said) => said.trim() !== '', 'nothing is looked for'),
        /** What it is: a constraint, in a tool's output, said by the assistant. For the table alone. */
        kind: z.string().optional().catch(undefined),
      }),
    ),
  }),
);
export type EvalConversation = z.input<typeof conversationsSchema>[number];
type Conversation = z.output<typeof conversationsSchema>[number];

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));

/** A conversation of the file as the app would store it. A tool's result without a call id belongs to the open call. */
export function messagesOf(conversation: Conversation): Message[] {
  const path: Message[] = [];
  const open: string[] = [];
  const add = (role: Message['role'], parts: Part[]) => {
    const id = asMessageId(`${conversation.id}/${path.length}`);
    path.push({
      id,
      parentId: path.at(-1)?.id ?? null,
      role,
      kind: 'message',
      createdAt: 1_700_000_000_000 + path.length * 60_000,
      parts,
    });
  };
  conversation.messages.forEach(({ role, content, toolCalls = [], toolCallId }, index) => {
    if (role === 'tool') {
      const callId = toolCallId !== undefined && open.includes(toolCallId) ? toolCallId : open[0];
      if (callId !== undefined) {
        open.splice(open.indexOf(callId), 1);
        add('tool', [{ type: 'tool-result', callId, text: content }]);
      } else {
        const made = `orphan-${index}`;
        add('assistant', [{ type: 'tool-call', callId: made, name: 'tool', arguments: '{}' }]);
        add('tool', [{ type: 'tool-result', callId: made, text: content }]);
      }
      return;
    }
    const parts: Part[] = content === '' ? [] : [{ type: 'text', text: content }];
    const results: Part[] = [];
    toolCalls.forEach((call, n) => {
      const callId = call.id ?? `call-${index}-${n}`;
      parts.push({
        type: 'tool-call',
        callId,
        name: call.function?.name ?? call.name ?? 'tool',
        arguments: asText(call.function?.arguments ?? call.arguments),
      });
      if (call.result === undefined) open.push(callId);
      else results.push({ type: 'tool-result', callId, text: asText(call.result) });
    });
    add(role, parts);
    for (const result of results) add('tool', [result]);
  });
  return path;
}

const plain = (value: string): string => value.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
const wordsOf = (parts: readonly Part[]): string =>
  parts
    .map((part) =>
      part.type === 'text' || part.type === 'tool-result'
        ? part.text
        : part.type === 'tool-call'
          ? `${part.name} ${part.arguments}`
          : '',
    )
    .join('\n');

const DIGIT = /\d/;
/**
 * Whether a text says a value: a number stands there by itself, not within a longer one. Both as `plain` makes them.
 */
export function saysValue(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length;
    const runsOn = (edge: number, next: number, beyond: number): boolean =>
      DIGIT.test(text[edge] ?? '') &&
      (DIGIT.test(text[next] ?? '') || (/[.,]/.test(text[next] ?? '') && DIGIT.test(text[beyond] ?? '')));
    if (!runsOn(at, at - 1, at - 2) && !runsOn(end - 1, end, end + 1)) return true;
  }
  return false;
}

export interface Row {
  readonly conversation: string;
  /** What the file says the fact is; null where it does not say. */
  readonly kind: string | null;
  readonly language: string;
  readonly strategy: string;
  /** Who wrote its summary: the named endpoint, quotations instead of a model, or none where no summary was made. */
  readonly summaryBy: 'model' | 'extracts' | null;
  readonly ask: string;
  readonly answer: string;
  /** Whether the answer stands anywhere in the conversation. */
  readonly said: boolean;
  readonly place: 'first' | 'middle' | 'last';
  /** Share of the facts' answers that stand in the prompt: of the plan alone, and with folded messages brought back. */
  readonly bare: boolean;
  readonly recalled: boolean;
  readonly tokens: number;
  readonly limit: number;
}

export interface PlanRow {
  readonly conversation: string;
  readonly strategy: string;
  readonly conversationTokens: number;
  readonly window: number;
  readonly tokensAfter: number;
  readonly target: number;
  readonly fits: boolean;
  readonly whyNot: string | null;
  readonly ms: number;
}

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};

/** Summaries by the endpoint that was named; null without one. */
function summariser(): Summarise | null {
  const endpoint = option('summary-endpoint');
  if (!endpoint) return null;
  const key = process.env.SUMMARY_KEY;
  return async ({ system, prompt, maxTokens }) => {
    const response = await fetch(`${endpoint.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
      body: JSON.stringify({
        model: option('summary-model'),
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        max_tokens: maxTokens * 2,
      }),
    });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return { text: answerSchema.parse(await response.json()).choices[0]?.message.content ?? '' };
  };
}
const answerSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string().nullable() }) })),
});

/** Without a model, tools or anything remembered from elsewhere. */
const ALONE: RequestOptions = { model: null, tools: [], recall: null };

/** The conversation as the app holds it, seen through the plan where there is one. */
function chatOf(id: string, path: readonly Message[], plan?: CompactionPlan): Chat {
  const at = plan ? boundaryOf(plan) : null;
  const made: Compaction[] =
    plan && at !== null
      ? [
          {
            id: plan.strategy,
            at,
            createdAt: 1_790_000_000_000,
            strategy: plan.strategy,
            reason: 'auto',
            plan,
            tokensBefore: plan.tokensBefore,
            tokensAfter: plan.tokensAfter,
            durationMs: 0,
            undone: false,
          },
        ]
      : [];
  return {
    id: asConversationId(id),
    meta: { ...conversationMetaSchema.parse({}), head: path.at(-1)?.id ?? null },
    messages: new Map(path.map((message) => [message.id, message])),
    checkpoints: new Map(),
    compactions: new Map(made.map((compaction) => [compaction.id, compaction])),
  };
}

/** What an index knows of a conversation by meaning; `close` when it is asked no more. */
export type MeaningOf = (
  id: ConversationId,
  messages: readonly Message[],
) => Promise<{ readonly meaning: MeaningSource; readonly recognising: Recognising; close(): Promise<void> }>;

/** Asks every fact of every conversation after compaction with each strategy. */
export async function measure(
  conversations: readonly EvalConversation[],
  strategies: readonly string[] = STRATEGIES.map(({ id }) => id),
  meaningOf?: MeaningOf,
): Promise<{ rows: Row[]; plans: PlanRow[] }> {
  const rows: Row[] = [];
  const plans: PlanRow[] = [];
  const meter = createMeter();
  const nothingWithheld = createRedaction(() => false);
  const byModel = summariser();
  const extracts: Summarise = async (request) => ({ text: extractiveSummary(request, meter) });
  for (const conversation of conversationsSchema.parse(conversations)) {
    const { id } = conversation;
    const path = messagesOf(conversation);
    const size = path.reduce((sum, { parts }) => sum + meter.parts(parts) + MESSAGE_OVERHEAD, 0);
    const window = Math.round(size / 10);
    const words = path.map(({ parts }) => plain(wordsOf(parts)));
    const { signal } = new AbortController();
    const known = await meaningOf?.(asConversationId(id), path);
    const meaning = known?.meaning ?? {};
    const held = known && (await heldOn(path, known.recognising, window, signal));
    // What the model makes of a question is kept: asked once without a limit, it is there in time for each
    // send, as on a device that is not busy.
    const units = path.flatMap(comparableUnits);
    await meaning.readAhead?.(units, signal);
    for (const { ask } of conversation.facts) {
      await meaning.relevance?.(asConversationId(id), ask, signal);
      await meaning.near?.(ask, units, signal);
    }
    for (const strategy of STRATEGIES.filter(({ id }) => strategies.includes(id))) {
      const requests = createRequests({
        config: writable({
          ...defaultConfig,
          context: { ...defaultConfig.context, window_tokens: window },
        }),
        meters: { of: () => meter, learn: () => undefined, ready: Promise.resolve() },
        meaning,
        redaction: () => nothingWithheld,
      });
      let summaryBy: Row['summaryBy'] = null;
      const tools: CompactionTools = {
        meter,
        summarise: (request) => {
          summaryBy = byModel ? 'model' : 'extracts';
          return (byModel ?? extracts)(request);
        },
        signal,
        vectors: async (ids) => (await meaning.vectors?.(ids, signal)) ?? new Map(),
      };
      const began = performance.now();
      const plan = await planCompaction(
        strategy,
        { path, system: defaultConfig.chat.instructions, previous: null, held, request: { reason: 'auto' } },
        requests.build(chatOf(id, path), path, ALONE).budget,
        tools,
      );
      plans.push({
        conversation: id,
        strategy: strategy.id,
        conversationTokens: size,
        window,
        tokensAfter: plan.tokensAfter,
        target: plan.target,
        fits: plan.fits,
        whyNot: plan.whyNot?.code ?? null,
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
      for (const [number, { ask, answer, kind = null }] of conversation.facts.entries()) {
        const asked: Message[] = [
          ...path,
          {
            id: asMessageId(`${id}/question-${number}`),
            parentId: path.at(-1)?.id ?? null,
            role: 'user',
            kind: 'message',
            createdAt: 1_800_000_000_000,
            parts: [{ type: 'text', text: ask }],
          },
        ];
        const holds = ({ system, messages }: BuiltPrompt): boolean => {
          const prompt = plain([system, ...messages.map(({ parts }) => wordsOf(parts))].join('\n'));
          // The question itself does not count as an answer.
          const asking = plain(ask);
          return saysValue(asking === '' ? prompt : prompt.replaceAll(asking, ' '), plain(answer));
        };
        const chat = chatOf(id, asked, plan);
        const bare = requests.build(chat, asked, ALONE).prompt;
        await requests.understand(chat, asked, signal);
        const sent = requests.build(chat, asked, ALONE, true).prompt;
        const at = words.findLastIndex((said) => saysValue(said, plain(answer)));
        rows.push({
          conversation: id,
          kind,
          language: conversation.language,
          strategy: strategy.id,
          summaryBy,
          ask,
          answer,
          said: at >= 0,
          place: at < path.length / 3 ? 'first' : at < (path.length * 2) / 3 ? 'middle' : 'last',
          bare: holds(bare),
          recalled: holds(sent),
          tokens: sent.manifest.request.tokens.total,
          limit: sent.manifest.limit,
        });
      }
    }
    await known?.close();
  }
  return { rows, plans };
}

const percent = (rows: readonly Row[], key: 'bare' | 'recalled'): string =>
  rows.length === 0 ? '–' : `${((100 * rows.filter((row) => row[key]).length) / rows.length).toFixed(1)} %`;

/**
 * The table: one line a strategy and language, columns by place in the conversation. Marks the
 * strategies whose summaries no model wrote.
 */
export function table(rows: readonly Row[]): string {
  const lines = [
    [
      'strategy',
      'language',
      'facts',
      'kept by the plan',
      'with recall',
      'first third',
      'middle',
      'last third',
      'over limit',
    ],
  ];
  for (const strategy of [...new Set(rows.map((row) => row.strategy))])
    for (const language of [...new Set(rows.map((row) => row.language)), 'all']) {
      const own = rows.filter(
        (row) => row.strategy === strategy && (language === 'all' || row.language === language),
      );
      lines.push([
        own.some(({ summaryBy }) => summaryBy === 'extracts') ? `${strategy} (extracts)` : strategy,
        language,
        String(own.length),
        percent(own, 'bare'),
        percent(own, 'recalled'),
        ...(['first', 'middle', 'last'] as const).map((place) =>
          percent(
            own.filter((row) => row.place === place),
            'recalled',
          ),
        ),
        String(own.filter((row) => row.tokens > row.limit).length),
      ]);
    }
  const widths = (lines[0] as string[]).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] as string).length)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column < 2 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
        )
        .join('  '),
    )
    .join('\n');
}

/** Shares of the facts of one kind, in one language, with one strategy. */
interface KindRow {
  readonly set: string;
  readonly strategy: string;
  readonly language: string;
  readonly kind: string;
  readonly facts: number;
  /** In what the plan sends, and with what is brought back, 0–1. */
  readonly bare: number;
  readonly recalled: number;
}

/** By kind and language, and over all languages; nothing of facts without a kind. */
export function byKind(set: string, rows: readonly Row[]): KindRow[] {
  const share = (own: readonly Row[], key: 'bare' | 'recalled') =>
    own.filter((row) => row[key]).length / own.length;
  const found: KindRow[] = [];
  for (const strategy of new Set(rows.map((row) => row.strategy)))
    for (const kind of new Set(rows.flatMap((row) => row.kind ?? [])))
      for (const language of [...new Set(rows.map((row) => row.language)), 'all']) {
        const own = rows.filter(
          (row) =>
            row.strategy === strategy &&
            row.kind === kind &&
            (language === 'all' || row.language === language),
        );
        if (own.length > 0)
          found.push({
            set,
            strategy,
            language,
            kind,
            facts: own.length,
            bare: share(own, 'bare'),
            recalled: share(own, 'recalled'),
          });
      }
  return found;
}

const kindTable = (rows: readonly KindRow[]): string =>
  rows
    .map(({ strategy, kind, language, facts, bare, recalled }) =>
      [
        strategy.padEnd(16),
        kind.padEnd(12),
        language.padEnd(8),
        String(facts).padStart(5),
        `${(100 * bare).toFixed(1)} %`.padStart(9),
        `${(100 * recalled).toFixed(1)} %`.padStart(9),
      ].join(' '),
    )
    .join('\n');

/** Sets by name: those that ship, or the one of a file. */
function setsToMeasure(): ReadonlyMap<string, EvalConversation[]> {
  const file = option('conversations');
  if (!file)
    return new Map([
      ['own', ownConversations()],
      ['paraphrased, development', paraphrasedConversations('development')],
      ['paraphrased, apart', paraphrasedConversations('apart')],
    ]);
  const conversations = understand(conversationsSchema, readGiven(file), file);
  if (conversations.length === 0) throw new Refused(`${file} has no conversations`);
  return new Map([['given', conversations]]);
}

export async function runContextEval(): Promise<void> {
  const named = option('set');
  const sets = [...setsToMeasure()].filter(([name]) => !named || name.startsWith(named));
  if (sets.length === 0) throw new Refused(`No set is called ${named}`);
  const only = option('strategy');
  if (only && !STRATEGIES.some(({ id }) => id === only))
    throw new Refused(
      `No strategy is called ${only}; there are ${STRATEGIES.map(({ id }) => id).join(', ')}`,
    );
  const pipeline = process.argv.includes('--meaning')
    ? await (await loadPipeline()).openPipeline({ models: models(), cache: cache() })
    : null;
  const all: { rows: Row[]; plans: PlanRow[]; kinds: KindRow[] } = { rows: [], plans: [], kinds: [] };
  for (const [set, conversations] of sets) {
    const { rows, plans } = await measure(conversations, only ? [only] : undefined, pipeline?.meaningOf);
    const kinds = byKind(set, rows);
    console.log(`${all.rows.length > 0 ? '\n' : ''}${set}\n${table(rows)}`);
    if (kinds.length > 0) console.log(`\n${kindTable(kinds)}`);
    all.rows.push(...rows);
    all.plans.push(...plans);
    all.kinds.push(...kinds);
  }
  await pipeline?.close();
  const { rows, plans } = all;
  if (rows.some(({ summaryBy }) => summaryBy === 'extracts'))
    console.log(
      '\n(extracts): the summary is made of quotations, as no endpoint is named (--summary-endpoint URL --summary-model ID).',
    );
  const unfit = plans.filter(({ fits }) => !fits);
  const slow = Math.max(...plans.map(({ ms }) => ms));
  console.log(
    `\n${new Set(plans.map(({ conversation }) => conversation)).size} conversations, ${plans.length} plans, ${unfit.length} above their target${unfit.length > 0 ? ` (${[...new Set(unfit.map(({ strategy, whyNot }) => `${strategy}: ${whyNot}`))].join(', ')})` : ''}, slowest ${slow} ms`,
  );
  const lost = new Set(
    rows.filter(({ said }) => !said).map(({ conversation, ask }) => `${conversation} ${ask}`),
  );
  if (lost.size > 0)
    console.log(`${lost.size} of the answers stand nowhere in their conversation: nothing can keep them.`);
  if (process.argv.includes('--misses'))
    for (const row of rows.filter(({ recalled }) => !recalled))
      console.log(`${row.strategy}  ${row.conversation}  ${row.place}  ${row.ask}  [${row.answer}]`);
  const out = option('json');
  if (out) writeFileSync(out, `${JSON.stringify(all, null, 1)}\n`);
}
