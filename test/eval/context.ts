// Measures what a compaction loses: facts planted in conversations, asked for after everything was made to fit a tenth of its size.
//   npm run eval -- --context [--conversations FILE] [--json OUT] [--strategy ID] [--misses] [--summary-endpoint URL --summary-model ID]
// FILE: [{id, language, messages: [{role, content, toolCalls?}], facts: [{ask, answer}]}]. The question is the next message of the person;
// the prompt is built exactly as it would be sent, with and without folded messages brought back; the answer has to stand in it.
// Summaries are made of quotations unless an OpenAI-compatible endpoint is named (its key in SUMMARY_KEY).
import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { asMessageId } from '../../src/domain/base/ids.ts';
import type { Message, Part } from '../../src/domain/chat/message.ts';
import { budgetOf, roomToReturn } from '../../src/domain/context/budget.ts';
import { extractiveSummary } from '../../src/domain/context/compaction/extractive.ts';
import { planCompaction, STRATEGIES } from '../../src/domain/context/compaction/index.ts';
import type { CompactionTools, Summarise } from '../../src/domain/context/compaction/strategy.ts';
import { createFolded } from '../../src/domain/context/folded.ts';
import { createMeter, MESSAGE_OVERHEAD } from '../../src/domain/context/meter.ts';
import { buildPrompt } from '../../src/domain/context/prompt.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import { ownConversations } from './context/conversations.ts';
import { Refused, readGiven, understand, wordsSchema } from './given.ts';

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
      }),
    ),
  }),
);
export type EvalConversation = z.input<typeof conversationsSchema>[number];
type Conversation = z.output<typeof conversationsSchema>[number];

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));

/** A conversation of the file as the app would keep it. A tool's answer without a call belongs to the one that was not answered yet. */
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

export interface Row {
  readonly conversation: string;
  readonly language: string;
  readonly strategy: string;
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

/** Asks every fact of every conversation after compaction with each strategy. */
export async function measure(
  conversations: readonly EvalConversation[],
  strategies: readonly string[] = STRATEGIES.map(({ id }) => id),
  relevance?: (path: readonly Message[], question: string) => Promise<ReadonlyMap<Message['id'], number>>,
): Promise<{ rows: Row[]; plans: PlanRow[] }> {
  const rows: Row[] = [];
  const plans: PlanRow[] = [];
  const meter = createMeter();
  const { context } = defaultConfig;
  const byModel = summariser();
  for (const conversation of conversationsSchema.parse(conversations)) {
    const path = messagesOf(conversation);
    const size = path.reduce((sum, { parts }) => sum + meter.parts(parts) + MESSAGE_OVERHEAD, 0);
    const window = Math.round(size / 10);
    const budget = budgetOf(context, window);
    const words = path.map(({ parts }) => plain(wordsOf(parts)));
    for (const strategy of STRATEGIES.filter(({ id }) => strategies.includes(id))) {
      const tools: CompactionTools = {
        meter,
        summarise: byModel ?? (async (request) => ({ text: extractiveSummary(request, meter) })),
        signal: { aborted: false, throwIfAborted: () => undefined },
      };
      const began = performance.now();
      const plan = await planCompaction(
        strategy,
        { path, system: null, previous: null, wish: { reason: 'auto' } },
        budget,
        tools,
      );
      plans.push({
        conversation: conversation.id,
        strategy: strategy.id,
        conversationTokens: size,
        window,
        tokensAfter: plan.tokensAfter,
        target: plan.target,
        fits: plan.fits,
        whyNot: plan.whyNot?.code ?? null,
        ms: Math.round((performance.now() - began) * 10) / 10,
      });
      const applied = { id: 'eval', plan };
      for (const { ask, answer } of conversation.facts) {
        const question: Message = {
          id: asMessageId(`${conversation.id}/question`),
          parentId: path.at(-1)?.id ?? null,
          role: 'user',
          kind: 'message',
          createdAt: 1_800_000_000_000,
          parts: [{ type: 'text', text: ask }],
        };
        const asked = [...path, question];
        const input = {
          path: asked,
          recall: null,
          system: null,
          window,
          reserve: context.reserved_tokens,
          applied,
          meter,
        };
        const holds = ({ system, messages }: ReturnType<typeof buildPrompt>): boolean => {
          const prompt = plain([system, ...messages.map(({ parts }) => wordsOf(parts))].join('\n'));
          // The question itself is no answer.
          const asking = plain(ask);
          return (asking === '' ? prompt : prompt.replaceAll(asking, ' ')).includes(plain(answer));
        };
        const bare = buildPrompt(input);
        const returned = createFolded(asked, applied).bringBack(ask, {
          tokens: roomToReturn(bare.ledger.limit, bare.ledger.request.tokens.total),
          meter,
          relevance: await relevance?.(path, ask),
        });
        const built = buildPrompt({ ...input, returned });
        const at = words.findLastIndex((said) => said.includes(plain(answer)));
        rows.push({
          conversation: conversation.id,
          language: conversation.language,
          strategy: strategy.id,
          ask,
          answer,
          said: at >= 0,
          place: at < path.length / 3 ? 'first' : at < (path.length * 2) / 3 ? 'middle' : 'last',
          bare: holds(bare),
          recalled: holds(built),
          tokens: built.ledger.request.tokens.total,
          limit: built.ledger.limit,
        });
      }
    }
  }
  return { rows, plans };
}

const percent = (rows: readonly Row[], key: 'bare' | 'recalled'): string =>
  rows.length === 0 ? '–' : `${((100 * rows.filter((row) => row[key]).length) / rows.length).toFixed(1)} %`;

/** The table: one line a strategy and language, columns by place in the conversation. */
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
        strategy,
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

export async function runContextEval(): Promise<void> {
  const file = option('conversations');
  const conversations: EvalConversation[] = file
    ? understand(conversationsSchema, readGiven(file), file)
    : ownConversations();
  if (conversations.length === 0) throw new Refused(`${file} has no conversations`);
  const only = option('strategy');
  if (only && !STRATEGIES.some(({ id }) => id === only))
    throw new Refused(
      `No strategy is called ${only}; there are ${STRATEGIES.map(({ id }) => id).join(', ')}`,
    );
  const { rows, plans } = await measure(conversations, only ? [only] : undefined);
  console.log(table(rows));
  const unfit = plans.filter(({ fits }) => !fits);
  const slow = Math.max(...plans.map(({ ms }) => ms));
  console.log(
    `\n${conversations.length} conversations, ${plans.length} plans, ${unfit.length} above their target${unfit.length > 0 ? ` (${[...new Set(unfit.map(({ strategy, whyNot }) => `${strategy}: ${whyNot}`))].join(', ')})` : ''}, slowest ${slow} ms`,
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
  if (out) writeFileSync(out, `${JSON.stringify({ rows, plans }, null, 1)}\n`);
}
