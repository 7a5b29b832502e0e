// Measures the context engine and prints JSON: building a prompt, compacting, and bringing compacted messages back,
// in a conversation of 10,000 messages (and in one that just fills the default window). Milliseconds of processor
// time, garbage collection of other threads included. Checkpoints are set and gone back to by the services over a
// log in memory, and with --app in the built app itself, over its own. Run: npx tsx test/bench/context.ts
// [--messages N] [--app http://localhost:4317]
import { chromium } from 'playwright';
import { createInMemoryStore } from '../../src/adapters/log/in-memory.ts';
import { asMessageId, type ConversationId } from '../../src/domain/base/ids.ts';
import { writable } from '../../src/domain/base/readable.ts';
import type { Message, Part } from '../../src/domain/chat/message.ts';
import { budgetOf } from '../../src/domain/context/budget.ts';
import { createCompactedSearch } from '../../src/domain/context/compacted.ts';
import { planCompaction, STRATEGIES, strategyOf } from '../../src/domain/context/compaction/index.ts';
import { readBranchAhead } from '../../src/domain/context/compaction/memory-writer.ts';
import type { CompactionTools } from '../../src/domain/context/compaction/strategy.ts';
import { createMeter, MESSAGE_OVERHEAD } from '../../src/domain/context/meter.ts';
import { buildPrompt } from '../../src/domain/context/prompt.ts';
import { readMessageAhead } from '../../src/domain/context/reading.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';
import type { App } from '../../src/services/app.ts';
import { createContext } from '../../src/services/context/context-service.ts';
import { createDocuments } from '../../src/services/documents/documents-service.ts';
import { BROWSER_ARGS, findBrowser } from '../browser.ts';
import { ownConversations } from '../eval/context/conversations.ts';
import { conversationsSchema, messagesOf } from '../eval/context.ts';

const flag = (name: string) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const COUNT = Number(flag('--messages') ?? 10_000);
const APP = flag('--app');

/**
 * Scenes of the evaluation over and over, every message with words of its own: nothing is known from the time before.
 */
function conversation(count: number, run: string): Message[] {
  const scenes = conversationsSchema.parse(ownConversations()).flatMap(messagesOf);
  return Array.from({ length: count }, (_, index): Message => {
    const said = scenes[index % scenes.length] as Message;
    const round = `${run}${Math.floor(index / scenes.length)}`;
    return {
      ...said,
      id: asMessageId(`${run}/${index}`),
      parentId: index === 0 ? null : asMessageId(`${run}/${index - 1}`),
      createdAt: index,
      parts: said.parts.map((part): Part => {
        if (part.type === 'text') return { ...part, text: `${part.text} (${round})` };
        if (part.type === 'tool-call' || part.type === 'tool-result')
          return { ...part, callId: `${part.callId}-${round}` };
        return { ...part };
      }),
    };
  });
}

interface Figure {
  readonly first: number;
  readonly p50: number;
  readonly p95: number;
}

/** Processor time: the clock also counts what else the machine does. */
const busy = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

async function timed(runs: number, work: () => unknown): Promise<Figure> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) {
    const began = busy();
    await work();
    times.push(busy() - began);
  }
  const later = times.slice(1).sort((a, b) => a - b);
  const round = (value: number | undefined) => Math.round((value ?? 0) * 100) / 100;
  return {
    first: round(times[0]),
    p50: round(later[Math.floor(later.length * 0.5)]),
    p95: round(later[Math.floor(later.length * 0.95)]),
  };
}

const signal = { aborted: false, throwIfAborted: () => undefined };
const { context } = defaultConfig;

async function measure(path: readonly Message[], window: number) {
  const meter = createMeter();
  const tools: CompactionTools = { meter, summarise: null, signal };
  const budget = budgetOf(context, window);
  const view = { path, system: null, previous: null, request: { reason: 'auto' as const } };
  const input = { path, recall: null, system: null, window, reserve: context.reserved_tokens, meter };
  const prompt = await timed(101, () => buildPrompt(input));
  const whole = await timed(101, () => buildPrompt({ ...input, window: Number.MAX_SAFE_INTEGER }));

  // The memory is kept as the conversation goes on: reading a message is part of saving it, not of compacting.
  const began = busy();
  readBranchAhead(path);
  const notes = busy() - began;
  const reading = busy();
  for (const message of path) readMessageAhead(message);
  const read = busy() - reading;

  const strategies: Record<string, Figure> = {};
  for (const { id } of STRATEGIES)
    strategies[id] = await timed(id === 'smart' ? 6 : 12, () =>
      planCompaction(strategyOf(id), view, budget, tools),
    );
  const plan = await planCompaction(strategyOf('session-memory'), view, budget, tools);
  const applied = { id: 'bench', plan };
  const asked = path.findLast(({ role }) => role === 'user') as Message;
  const questions = [
    'Which port does the API listen on in staging?',
    '列表接口每页最多多少条？',
    'Who does my accounting?',
  ];
  let turn = 0;
  return {
    messages: path.length,
    tokens: path.reduce((sum, { parts }) => sum + meter.parts(parts) + MESSAGE_OVERHEAD, 0),
    window,
    buildPromptMs: prompt,
    buildPromptWholeMs: whole,
    buildPromptCompactedMs: await timed(101, () => buildPrompt({ ...input, applied })),
    notesPerMessageMs: Math.round((notes / path.length) * 1000) / 1000,
    readAheadPerMessageMs: Math.round((read / path.length) * 1000) / 1000,
    compactionMs: strategies,
    bringBackMs: await timed(12, () =>
      createCompactedSearch(path, applied).bringBack(questions[turn++ % questions.length] as string, {
        tokens: 2_000,
        meter,
      }),
    ),
    asked: asked.id,
  };
}

/**
 * Sets checkpoints in a long conversation and goes back. `shown`: until the branch is the other one, which a person
 * waits for; `saved`: until the log has it; by the clock. Sent to the page as it stands: it may use only its arguments.
 */
async function goBack({ documents, context }: Pick<App, 'documents' | 'context'>, messages: Message[]) {
  const id = crypto.randomUUID() as ConversationId;
  await documents.change(id, { messages, meta: { title: 'Long', head: messages.at(-1)?.id ?? null } });
  const open = await documents.open(id);
  const figures: Record<string, { shown: number[]; saved: number[] }> = {};
  for (const what of ['checkpoint', 'restore'] as const) {
    const shown: number[] = [];
    const saved: number[] = [];
    for (let at = 0; at < 40; at++) {
      const message = messages[messages.length - 1 - Math.floor((at * messages.length) / 50)] as Message;
      const began = performance.now();
      const stop = open.subscribe(() => shown.push(performance.now() - began));
      if (what === 'checkpoint') await context.checkpoint(id, `c${at}`, message.id);
      else await context.restore(id, `c${(at * 7) % 40}`);
      saved.push(performance.now() - began);
      stop();
    }
    figures[what] = { shown, saved };
  }
  open.close();
  return figures;
}

const spread = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b);
  const of = (share: number) => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100;
  return { p50: of(0.5), p95: of(0.95) };
};
const spreads = (figures: Awaited<ReturnType<typeof goBack>>) =>
  Object.fromEntries(
    Object.entries(figures).map(([what, { shown, saved }]) => [
      what,
      { shown: spread(shown), saved: spread(saved) },
    ]),
  );

async function checkpointsHere() {
  const store = createInMemoryStore();
  const documents = createDocuments({ store });
  const contexts = createContext({
    documents,
    keyValues: store.keyValues,
    model: () => null,
    config: writable(defaultConfig),
    now: Date.now,
    device: () => 'bench',
  });
  const figures = await goBack({ documents, context: contexts }, conversation(COUNT, 'here'));
  await contexts.close();
  return spreads(figures);
}

async function checkpointsIn(app: string) {
  const executablePath = findBrowser();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [...BROWSER_ARGS],
  });
  try {
    const page = await browser.newPage();
    await page.goto(`${app}/?console`);
    // Through the debugger: the page's policy forbids the runner's own way to wait for an expression.
    while (!(await page.evaluate('globalThis.recollect?.app.documents.library.get().ready')))
      await page.waitForTimeout(50);
    const messages = JSON.stringify(conversation(COUNT, 'app'));
    // The compiler names functions with a helper of its own.
    const figures = await page.evaluate(
      `(() => { const __name = (it) => it; return (${goBack})(globalThis.recollect.app, ${messages}); })()`,
    );
    return spreads(figures as Awaited<ReturnType<typeof goBack>>);
  } finally {
    await browser.close();
  }
}

const warm = conversation(600, 'warm');
await measure(warm, 8_000);

const long = await measure(conversation(COUNT, 'long'), 64_000);
/** A conversation as it is when it presses on the default window, never read before. */
const path = conversation(1_050, 'cold');
const meter = createMeter();
const coldBegan = busy();
await planCompaction(
  strategyOf('session-memory'),
  { path, system: null, previous: null, request: { reason: 'auto' } },
  budgetOf(context, 64_000),
  { meter, summarise: null, signal },
);
const cold = busy() - coldBegan;
console.log(
  JSON.stringify(
    {
      long,
      coldSessionMemoryMs: {
        messages: path.length,
        tokens: path.reduce((sum, { parts }) => sum + meter.parts(parts) + MESSAGE_OVERHEAD, 0),
        ms: Math.round(cold * 100) / 100,
      },
      checkpointsMs: await checkpointsHere(),
      ...(APP ? { checkpointsInAppMs: await checkpointsIn(APP) } : {}),
    },
    null,
    1,
  ),
);
