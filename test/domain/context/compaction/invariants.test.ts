// Properties of every plan of every strategy in the registry, over random conversations and budgets.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asMessageId } from '../../../../src/domain/base/ids.ts';
import { compactionOn } from '../../../../src/domain/chat/compaction.ts';
import { pathTo } from '../../../../src/domain/chat/conversation.ts';
import type { Message, Part } from '../../../../src/domain/chat/message.ts';
import { type Compaction, compactionSchema } from '../../../../src/domain/chat/records.ts';
import { planCompaction, STRATEGIES, strategyOf } from '../../../../src/domain/context/compaction/index.ts';
import { readBranchAhead } from '../../../../src/domain/context/compaction/memory-writer.ts';
import { structureOf } from '../../../../src/domain/context/compaction/outline.ts';
import {
  boundaryOf,
  type CompactionPlan,
  compactionPlanSchema,
  dispositionsOf,
  withSummaryText,
} from '../../../../src/domain/context/compaction/plan.ts';
import type {
  CompactionBudget,
  CompactionStrategy,
  CompactionTools,
  CompactionView,
  Summarise,
} from '../../../../src/domain/context/compaction/strategy.ts';
import { constraintsOf } from '../../../../src/domain/context/constraints.ts';
import { createMeter } from '../../../../src/domain/context/meter.ts';
import { type BuiltPrompt, buildPrompt, systemTextOf } from '../../../../src/domain/context/prompt.ts';
import { context as english } from '../../../../src/ui/i18n/en/context.ts';
import { runs } from '../../../scale.ts';
import { extractiveSummary } from './extractive.ts';

/** Random trees for each strategy; every promise is looked at on each of them. CONTEXT_TREES=5000 looks longer. */
const RUNS = Number(process.env.CONTEXT_TREES ?? runs(1000, 25));
/** For all trees of a strategy on a busy machine, ms. */
const TIMEOUT_MS = 300_000 * Math.max(1, RUNS / 1000);

// ---------------------------------------------------------------------------------------- random trees
const CLAUSES = [
  'The staging host is db-7.internal and it listens on 5433.',
  'No, port 5434.',
  'Never delete the audit table.',
  'Please always answer in short sentences.',
  'We decided to keep SQLite.',
  'ok',
  '好的，按你说的做。',
  '不要改动 public 目录。',
  '预算是 12,000 元，截止 6 月 3 日。',
  '更正一下，预算是 15,000 元。',
  'It failed with ECONNRESET in src/net/pool.ts line 88, the cause was a missing keepalive.',
  'Why does it fail?',
  'TODO: rotate the keys.',
  '```ts\nconst LIMIT = 42;\n```',
  '| a | b |\n| --- | --- |\n| 1 | 2 |',
];
/** One message larger than any window here. */
const giant = fc
  .tuple(
    fc.constantFrom(...CLAUSES, '一只蜜蜂飞过花园。', '👩‍👩‍👧 ñandú '),
    fc.integer({ min: 400, max: 1_500 }),
  )
  .map(([clause, times]) => `${clause} `.repeat(times));
const words = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\n\n') },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom(...CLAUSES), { minLength: 1, maxLength: 6 })
      .map((some) => some.join(' ')),
  },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 120 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(
        fc.constantFrom(
          '端口',
          '是',
          '八千',
          '。',
          '必须',
          '先备份',
          '，',
          '客户',
          '不许',
          '删除',
          '日志',
          '\n',
        ),
        {
          minLength: 3,
          maxLength: 60,
        },
      )
      .map((some) => some.join('')),
  },
);
const callId = fc.constantFrom('a', 'b', 'c', 'd');
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 5, arbitrary: words.map((text): Part => ({ type: 'text', text })) },
  { weight: 1, arbitrary: words.map((text): Part => ({ type: 'reasoning', text })) },
  {
    weight: 2,
    arbitrary: fc.tuple(callId, words).map(
      ([id, text]): Part => ({
        type: 'tool-call',
        callId: id,
        name: 'run',
        arguments: JSON.stringify({ text }),
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(callId, words, fc.nat(12)).map(
      ([id, text, times]): Part => ({
        type: 'tool-result',
        callId: id,
        text: `${text}\n`.repeat(times + 1),
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Part>({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' }),
  },
);
interface Shape {
  readonly role: Message['role'];
  readonly kind: Message['kind'];
  readonly parts: readonly Part[];
  /** Picks its parent among the messages before it; mostly the last one. */
  readonly above: number;
}
const shape: fc.Arbitrary<Shape> = fc.record({
  role: fc.constantFrom<Message['role']>(
    'user',
    'assistant',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'system',
  ),
  kind: fc.constantFrom<Message['kind']>(
    'message',
    'message',
    'message',
    'message',
    'message',
    'note',
    'recall',
  ),
  parts: fc.array(part, { maxLength: 4 }),
  above: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
});

/** A tree of messages, and the branch that ends at one of them. */
function grow(shapes: readonly Shape[], leaf: number): Message[] {
  const messages = new Map<Message['id'], Message>();
  const order: Message[] = [];
  shapes.forEach(({ role, kind, parts, above }, index) => {
    const parent = order[Math.max(0, index - 1 - above)];
    const message: Message = {
      id: asMessageId(`m${index}`),
      parentId: index === 0 ? null : (parent?.id ?? null),
      role,
      kind,
      createdAt: index,
      parts,
    };
    messages.set(message.id, message);
    order.push(message);
  });
  const end = order[Math.max(0, order.length - 1 - (leaf % Math.max(1, order.length)))];
  return pathTo(messages, end?.id ?? null);
}

const tree = fc.record({
  shapes: fc.oneof(
    { weight: 12, arbitrary: fc.array(shape, { minLength: 1, maxLength: 28 }) },
    { weight: 1, arbitrary: fc.array(shape, { minLength: 30, maxLength: 90 }) },
  ),
  /** Replaces the message at this place. */
  giant: fc.option(fc.tuple(fc.nat(27), giant), { freq: 5 }),
  leaf: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) }),
  system: fc.option(fc.constantFrom('You are a careful bee.', 'Be brief.', 'Count every petal. '.repeat(60))),
  window: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 60, max: 4_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 4, max: 120 }) },
  ),
  /** Tools and recall beside the messages. */
  extra: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(600) }),
  /** An earlier compaction up to this share of the branch, whose summary the person wrote. */
  own: fc.option(
    fc.record({
      share: fc.double({ min: 0.3, max: 0.9, noNaN: true }),
      text: fc.oneof(
        fc.constantFrom(
          'In my words: the port is 8081.\n\n- and 端口不变',
          'short, and mine',
          '# A heading\n\n\ntwo blank lines',
        ),
        // Words that nothing else ends with: a single full stop would be found everywhere.
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).map((text) => `My words: ${text}`),
      ),
      by: fc.constantFrom('session-memory', 'hierarchical', 'summary'),
    }),
    { freq: 4 },
  ),
  /** What the index knows: nothing, some, or something of every message. */
  meaning: fc.constantFrom<'none' | 'some' | 'all'>('none', 'none', 'some', 'all'),
  target: fc.double({ min: 0.1, max: 0.9, noNaN: true }),
  keepTurns: fc.integer({ min: 1, max: 8 }),
  pinned: fc.array(fc.nat(27), { maxLength: 2 }),
  keep: fc.array(fc.nat(27), { maxLength: 2 }),
  compact: fc.array(fc.nat(27), { maxLength: 3 }),
  instruction: fc.option(fc.constantFrom('keep the port', '保留预算')),
  model: fc.constantFrom<'extractive' | 'none' | 'fails' | 'empty' | 'long' | 'chatty'>(
    'extractive',
    'extractive',
    'none',
    'fails',
    'empty',
    'long',
    'chatty',
  ),
  manual: fc.boolean(),
});
type Case = typeof tree extends fc.Arbitrary<infer T> ? T : never;

const meter = createMeter();
const summariser: Record<Case['model'], Summarise | null> = {
  none: null,
  extractive: async (request) => ({
    text: extractiveSummary(request, meter),
  }),
  fails: async () => {
    throw new Error('429');
  },
  empty: async () => ({ text: ' \n' }),
  long: async () => ({ text: 'and so on '.repeat(4_000) }),
  chatty: async () => ({ text: '<current_focus>the port</current_focus>' }),
};

/** Directions that depend on the message alone, some of them alike. */
const direction = (at: number): Float32Array => {
  const angle = ((at * 7) % 12) / 2;
  return Float32Array.from([Math.cos(angle), Math.sin(angle), 0]);
};

async function given(random: Case): Promise<{
  view: CompactionView;
  budget: CompactionBudget;
  tools: CompactionTools;
  asked: () => number;
  /** What the person wrote in place of an earlier summary. */
  own: string | null;
}> {
  const shapes = random.shapes.map(
    (one, at): Shape =>
      random.giant?.[0] === at ? { ...one, parts: [{ type: 'text', text: random.giant[1] }] } : one,
  );
  const path = grow(shapes, random.leaf);
  const pick = (places: readonly number[]) =>
    new Set(places.flatMap((at) => (at < path.length ? [(path[at] as Message).id] : [])));
  const limit = random.window - Math.floor(random.window / 4);
  let asked = 0;
  const summarise = summariser[random.model];
  const budget: CompactionBudget = {
    window: random.window,
    limit,
    trigger: limit,
    target: Math.floor(limit * random.target),
    extra: random.extra,
    keepTurns: random.keepTurns,
    keepMessages: 2,
    maxAttempts: 2,
  };
  const previous = random.own && (await worded(path, random.own, random.system, budget));
  const knows = (at: number) => random.meaning === 'all' || (random.meaning === 'some' && at % 3 === 0);
  return {
    own: previous && random.own ? random.own.text : null,
    view: {
      path,
      system: random.system,
      previous,
      pinned: pick(random.pinned),
      request: {
        reason: random.manual ? 'manual' : 'auto',
        ...(random.instruction === null ? {} : { instruction: random.instruction }),
        ...(random.keep.length > 0 ? { keep: pick(random.keep) } : {}),
        ...(random.compact.length > 0 ? { compact: pick(random.compact) } : {}),
      },
    },
    budget,
    tools: {
      meter,
      summarise:
        summarise &&
        ((request) => {
          asked += 1;
          return summarise(request);
        }),
      ...(random.meaning === 'none'
        ? {}
        : {
            vectors: async (ids) =>
              new Map(
                path.flatMap(({ id }, at) => (knows(at) && ids.includes(id) ? [[id, direction(at)]] : [])),
              ),
            relevance: async () =>
              new Map(path.flatMap(({ id }, at) => (knows(at) ? [[id, ((at * 37) % 100) / 100]] : []))),
          }),
      signal: SIGNAL,
    },
    asked: () => asked,
  };
}

const SIGNAL = { aborted: false, throwIfAborted: () => undefined };

/**
 * A compaction of the beginning of a branch, in the person's words; null where it
 * compacts nothing, or nothing was said since.
 */
async function worded(
  path: readonly Message[],
  { share, text, by }: NonNullable<Case['own']>,
  system: string | null,
  budget: CompactionBudget,
): Promise<CompactionView['previous']> {
  const seen = path.slice(0, Math.floor(path.length * share));
  if (text.trim() === '' || !path.slice(seen.length).some(({ kind }) => kind === 'message')) return null;
  const plan = await planCompaction(
    strategyOf(by),
    { path: seen, system, previous: null, request: { reason: 'manual' } },
    budget,
    { meter, summarise: summariser.extractive, signal: SIGNAL },
  );
  const written = withSummaryText(plan, text);
  return written.summaries.some(({ edited }) => edited) ? { id: 'before', plan: written } : null;
}

const sent = (view: CompactionView, plan: CompactionPlan | null): BuiltPrompt =>
  buildPrompt({
    path: view.path,
    recall: null,
    system: view.system,
    window: Number.MAX_SAFE_INTEGER,
    reserve: 0,
    meter,
    applied: plan && { id: 'c', plan },
  });
const textOf = ({ messages }: BuiltPrompt): string =>
  messages.flatMap(({ parts }) => parts.map((each) => ('text' in each ? each.text : ''))).join('\n');

it('the random trees have everything in them that is hard', async () => {
  const seen = new Map<string, number>();
  const count = (what: string, is: boolean) => seen.set(what, (seen.get(what) ?? 0) + Number(is));
  const all = fc.sample(tree, { numRuns: 600, seed: 7 });
  for (const random of all) {
    const { view, budget, own } = await given(random);
    const parts = view.path.flatMap((message) => message.parts);
    const whole = sent(view, null);
    const said = parts.map((one) => ('text' in one ? one.text : '')).join('\n');
    count(
      'a call with its result',
      whole.messages.some(({ role }) => role === 'tool'),
    );
    count(
      'half of a pair',
      whole.manifest.leftOut.some(({ why }) => why === 'unpaired'),
    );
    count(
      'rules',
      view.path.some((message) => constraintsOf(message).length > 0),
    );
    count('Han', /\p{Script=Han}/u.test(said));
    count(
      'an empty message',
      view.path.some((message) => message.parts.length === 0),
    );
    count(
      'an empty text',
      parts.some((one) => one.type === 'text' && one.text.trim() === ''),
    );
    count(
      'a giant message',
      parts.some((one) => 'text' in one && one.text.length > 4_000),
    );
    count(
      'a target below the system prompt',
      budget.target < meter.text(systemTextOf(view.path, view.system)),
    );
    count('something to compact', whole.manifest.request.tokens.total > budget.target);
    count('words of the person', own !== null);
    count('a long branch', view.path.length > 40);
    count(
      'notes',
      view.path.some(({ kind }) => kind === 'note'),
    );
    count(
      'a file',
      parts.some(({ type }) => type === 'file'),
    );
    count('a branch beside', view.path.length < random.shapes.length);
  }
  for (const [what, times] of seen) expect([what, times / all.length > 0.02]).toEqual([what, true]);
});

/** A tree, the plan of a strategy for its branch, and what would be sent without it and with it. */
interface Made extends Awaited<ReturnType<typeof given>> {
  readonly strategy: CompactionStrategy;
  readonly random: Case;
  /** The branch before it was planned for, as JSON. */
  readonly said: string;
  readonly plan: CompactionPlan;
  readonly plain: BuiltPrompt;
  readonly built: BuiltPrompt;
}
async function made(strategy: CompactionStrategy, random: Case): Promise<Made> {
  const all = await given(random);
  const { view, budget, tools } = all;
  const said = JSON.stringify(view.path);
  const plan = await planCompaction(strategy, view, budget, tools);
  return { ...all, strategy, random, said, plan, plain: sent(view, null), built: sent(view, plan) };
}

/** Promises of every strategy, by the name that a failure shows. */
const PROMISES: Readonly<Record<string, (made: Made) => void | Promise<void>>> = {
  'gives reasons that people have words for': ({ plan }) => {
    for (const { why } of plan.runs)
      expect(Object.keys(english.manifest.why), 'manifest.why in src/ui/i18n/*/context.ts').toContain(why);
  },

  'keeps a call and its result together, right behind one another': ({ plain, built }) => {
    let due: string[] = [];
    for (const { role, parts } of built.messages) {
      if (due.length > 0) {
        expect(role).toBe('tool');
        expect(parts).toMatchObject([{ type: 'tool-result', callId: due.shift() }]);
        continue;
      }
      expect(role).not.toBe('tool');
      due = parts.flatMap((one) => (one.type === 'tool-call' ? [one.callId] : []));
    }
    expect(due).toEqual([]);
    // Calls and results stay paired: a message sent whole still has its partner.
    const before = plain.manifest.leftOut.filter(({ why }) => why === 'unpaired');
    const after = built.manifest.leftOut.filter(({ why }) => why === 'unpaired');
    expect(after.length).toBeLessThanOrEqual(before.length);
  },

  'sends the system prompt, the newest question and what is pinned as they are': ({
    view,
    plan,
    plain,
    built,
  }) => {
    expect(built.system).toBe(systemTextOf(view.path, view.system));
    const wanted = new Set<string>(view.pinned);
    const question = view.path.findLast(({ role, kind }) => role === 'user' && kind === 'message');
    if (question) wanted.add(question.id);
    const dispositions = dispositionsOf(plan, view.path);
    view.path.forEach((message, at) => {
      if (!wanted.has(message.id) || !plain.manifest.included.includes(message.id)) return;
      expect(dispositions[at]?.action).toBe('keep');
      expect(built.manifest.included).toContain(message.id);
    });
    for (const message of view.path)
      if (
        message.role === 'system' &&
        message.kind === 'message' &&
        plain.manifest.included.includes(message.id)
      )
        expect(built.manifest.included).toContain(message.id);
  },

  'sends the rules a person set word for word': ({ view, built }) => {
    const words = textOf(built);
    for (const message of view.path) for (const rule of constraintsOf(message)) expect(words).toContain(rule);
  },

  'carries on what a person wrote in place of an earlier summary, word for word and once': ({
    own,
    plan,
    built,
  }) => {
    if (own === null) return;
    // A plan that compacts nothing needs no summaries.
    if (!plan.runs.some(({ action }) => action === 'fold')) return;
    const written = plan.summaries.filter(({ edited }) => edited);
    expect(written.map(({ text }) => text)).toEqual([own]);
    expect(plan.summaries.find(({ kind, edited }) => kind !== 'constraints' || edited)).toBe(written[0]);
    const words = built.messages[0]?.parts.map((one) => ('text' in one ? one.text : ''));
    expect(words?.filter((said) => said.endsWith(own))).toHaveLength(1);
  },

  'fits its target, or says why not': ({ view, budget, plan, built }) => {
    const size = built.manifest.request.tokens.total + budget.extra;
    expect(plan.tokensAfter).toBe(size);
    expect(plan.fits).toBe(size <= budget.target);
    if (plan.fits) expect(plan.whyNot).toBeNull();
    else {
      expect(plan.whyNot?.tokens).toBeGreaterThan(0);
      // A plan over its target keeps only messages that it must keep.
      const dispositions = dispositionsOf(plan, view.path);
      const idle = view.path.filter(
        ({ kind, role }, at) =>
          kind === 'message' &&
          role !== 'system' &&
          dispositions[at]?.action !== 'fold' &&
          dispositions[at]?.why === 'tail',
      );
      const drawn = plan.summaries.length > 0;
      if (drawn) expect(idle).toEqual([]);
    }
  },

  'changes nothing when it is run twice, and asks no model again but where that had failed': async ({
    strategy,
    random,
    view,
    budget,
    tools,
    asked,
    plan,
    built,
  }) => {
    const calls = asked();
    const { keep: _keep, compact: _compact, instruction: _instruction, ...request } = view.request;
    const again = await planCompaction(
      strategy,
      { ...view, request: request, previous: { id: 'c', plan } },
      budget,
      tools,
    );
    // A person's own request tries a failed summary again.
    if (plan.fallback && random.manual && tools.summarise) return;
    expect(asked()).toBe(calls);
    expect(sent(view, again).messages).toEqual(built.messages);
    // The same view planned from scratch is the same plan, byte for byte.
    const fresh = await planCompaction(strategy, view, budget, tools);
    expect(fresh).toEqual(plan);
  },

  'plans the same of a branch that was read as it grew, went back, and grew elsewhere, as of one that it never saw':
    async ({ strategy, random, view, budget, tools, plan }) => {
      const read = (path: readonly Message[]) => {
        readBranchAhead(path);
        structureOf(path, meter);
      };
      const path = structuredClone(view.path) as Message[];
      for (let end = 1; end <= path.length; end += 1 + (end % 3)) read(path.slice(0, end));
      const half = path.slice(0, Math.ceil(path.length / 2));
      if (random.manual) read([...half, { ...(path.at(-1) as Message), id: asMessageId('elsewhere') }]);
      expect(await planCompaction(strategy, { ...view, path }, budget, tools)).toEqual(plan);
    },

  'lets the roles take turns, the person first': ({ built }) => {
    const roles = built.messages.map(({ role }) => role);
    for (let i = 1; i < roles.length; i++) {
      if (roles[i] === 'user' || roles[i] === 'assistant') expect(roles[i - 1]).not.toBe(roles[i]);
    }
    const first = roles.find((role) => role !== 'system');
    if (first) expect(first).toBe('user');
  },

  'loses nothing: every message is kept, trimmed or compacted, and the books add up': ({
    view,
    said,
    plan,
    built,
  }) => {
    expect(JSON.stringify(view.path)).toBe(said);
    expect(compactionPlanSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(
      JSON.parse(JSON.stringify(plan)),
    );
    const { lines, tokens } = built.manifest.request;
    const head = view.path.findIndex(({ role }) => role !== 'system');
    const counted = lines
      .filter(({ form }) => form === 'whole' || form === 'trimmed' || form === 'out')
      .reduce((sum, { count }) => sum + count, 0);
    expect(counted).toBe(head < 0 ? 0 : view.path.length - head);
    const { total, ...parts } = tokens;
    expect(total).toBe(Object.values(parts).reduce((sum, some) => sum + some, 0));
    const ids = new Set(plan.summaries.map(({ id }) => id));
    expect(ids.size).toBe(plan.summaries.length);
    for (const { summary } of plan.runs) if (summary) expect(ids.has(summary)).toBe(true);

    const boundary = boundaryOf(plan);
    if (boundary === null) {
      expect(plan.runs.every(({ action }) => action === 'keep')).toBe(true);
      return;
    }
    const record: Compaction = {
      id: 'c',
      at: boundary,
      createdAt: 1,
      strategy: plan.strategy,
      reason: 'auto',
      plan,
      tokensBefore: plan.tokensBefore,
      tokensAfter: plan.tokensAfter,
      durationMs: 1,
      undone: false,
    };
    expect(compactionSchema.parse(record)).toEqual(record);
    const inForce = (path: readonly Message[], made = record) =>
      compactionOn({ compactions: new Map([[made.id, made]]) }, path);
    // The compaction holds on this branch and on one that forks after the boundary, not on one that forks before it.
    const at = view.path.findIndex(({ id }) => id === boundary);
    expect(inForce(view.path)).toBe(record);
    expect(inForce(view.path.slice(0, at + 1))).toBe(record);
    expect(inForce(view.path.slice(0, at))).toBeNull();
    expect(inForce(view.path, { ...record, undone: true })).toBeNull();
  },
};

it.each(STRATEGIES.map((strategy) => [strategy.id, strategy] as const))(
  '%s keeps every promise',
  (_id, strategy) =>
    fc.assert(
      fc.asyncProperty(tree, async (random) => {
        const one = await made(strategy, random);
        for (const [promise, holds] of Object.entries(PROMISES))
          try {
            await holds(one);
          } catch (error) {
            throw new Error(`${promise}: ${error}`, { cause: error });
          }
      }),
      // CONTEXT_SEED repeats a run.
      { numRuns: RUNS, ...(process.env.CONTEXT_SEED ? { seed: Number(process.env.CONTEXT_SEED) } : {}) },
    ),
  TIMEOUT_MS,
);

it('compacts the last of a tail, also where group after group of nothing helps nothing', async () => {
  const silent = { role: 'user' as const, kind: 'message' as const, parts: [], above: 0 };
  const rule = 'The staging host is db-7.internal and it listens on 5433.';
  const says = (text: string) => ({ ...silent, parts: [{ type: 'text' as const, text }] });
  const picture = { type: 'file' as const, mediaType: 'image/png', url: 'data:image/png;base64,AA==' };
  const one = await made(strategyOf('hierarchical'), {
    shapes: [
      says(`Please always answer in short sentences. ${rule}`),
      ...Array.from({ length: 25 }, () => silent),
      { ...silent, role: 'tool', parts: [picture] },
      ...Array.from({ length: 3 }, () => silent),
      says(rule),
    ],
    giant: null,
    leaf: 0,
    system: 'Count every petal. '.repeat(60),
    window: 3_517,
    extra: 0,
    own: { share: 0.871, text: 'My words:  ', by: 'session-memory' },
    meaning: 'none',
    target: 0.135709,
    keepTurns: 1,
    pinned: [],
    keep: [],
    compact: [],
    instruction: null,
    model: 'extractive',
    manual: false,
  });
  for (const holds of Object.values(PROMISES)) await holds(one);
});
