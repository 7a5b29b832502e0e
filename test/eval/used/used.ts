// A library that was used for months: what was said, asked for again, answered from memory, corrected,
// restated, summarised and imported twice.
import { readFileSync } from 'node:fs';
import type { Gold } from '../own.ts';
import type { Session, Tasks } from '../pipeline.ts';

interface Fact {
  readonly title: string;
  readonly said: string;
  readonly reply: string;
  /** What corrects it later, and what memory answered before that. */
  readonly then?: string;
  readonly old?: string;
  /** Three questions of the person; the third is never answered. */
  readonly asked: readonly string[];
  readonly answer: string;
  readonly again: string;
  readonly sum: string;
  readonly asks: readonly string[];
}

/** Facts in blocks: `=== title`, then `field: text` a line; `ask` may stand several times. */
export function factsOf(text: string): Fact[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [title = '', ...lines] = block.trim().split('\n');
      const fields = lines.map((line) => {
        const at = line.indexOf(': ');
        return [line.slice(0, at), line.slice(at + 2)] as const;
      });
      const one = (name: string) => fields.find(([field]) => field === name)?.[1] ?? '';
      const optional = (name: string) => (one(name) === '' ? {} : { [name]: one(name) });
      return {
        title,
        said: one('said'),
        reply: one('reply'),
        ...optional('then'),
        ...optional('old'),
        asked: one('asked').split(' | '),
        answer: one('answer'),
        again: one('again'),
        sum: one('sum'),
        asks: fields.flatMap(([field, words]) => (field === 'ask' ? [words] : [])),
      };
    });
}

const DAY = 86_400_000;
const BEGAN = Date.UTC(2026, 2, 2, 9);
/** How a person asks for a summary, and how an assistant takes note. */
const WORDS = {
  en: {
    noted: ["Noted, I'll use that from now on.", 'Thanks, changed.', 'Good to know; the old one is gone.'],
    more: 'Let me put that together for you, step by step, and tell me where it does not fit.',
    summarise: (title: string) => `Give me a short summary: ${title}`,
  },
  zh: {
    noted: ['记下了，以后按这个。', '好，改过来了。', '知道了，旧的不算了。'],
    more: '我一步一步帮你列出来，哪里不合适你告诉我。',
    summarise: (title: string) => `帮我简单总结一下：${title}`,
  },
} as const;

type Said = Omit<Session['messages'][number], 'id' | 'unit' | 'name'>;

/** Makes conversations of one fact; the days are counted from the one on which it was said. */
function conversationMaker(of: string, at: number) {
  const sessions: Session[] = [];
  const add = (name: string, day: number, title: string | null, messages: readonly Said[]) => {
    const id = `${of}-${at}-${name}`;
    sessions.push({
      id,
      title,
      // Facts are said on different days and at different hours.
      startedAt: new Date(BEGAN + (day + at) * DAY + (at % 7) * 3_600_000).toISOString(),
      messages: messages.map((message, n) => ({
        ...message,
        id: `${id}#${n}`,
        unit: `${id}#${n}`,
        name: null,
      })),
    });
    return `${id}#0`;
  };
  return { sessions, add };
}
const from = (content: string): Said => ({ role: 'user', content });
const back = (content: string, recalled?: readonly string[]): Said => ({
  role: 'assistant',
  content,
  ...(recalled ? { recalled } : {}),
});

/** The conversations of one fact, the units of its source and of what it superseded. */
function conversationsOf(fact: Fact, at: number, language: 'en' | 'zh', name = `used-${language}`) {
  const words = WORDS[language];
  const { sessions, add } = conversationMaker(name, at);
  const source = add('source', 0, fact.title, [from(fact.said), back(fact.reply)]);
  const copies =
    at % 3 === 0 ? [add('copy', 0, `${fact.title} (2)`, [from(fact.said), back(fact.reply)])] : [];
  add('asked', 9, null, [from(fact.asked[0] ?? ''), back(fact.old ?? fact.answer, [source])]);
  const noted = words.noted[at % words.noted.length] as string;
  const corrected = fact.then
    ? [add('then', 21 + (at % 5), null, [from(fact.then), back(noted, [source])])]
    : [];
  const current = corrected[0] ?? source;
  add('asked-again', 34, null, [from(fact.asked[1] ?? ''), back(fact.answer, [current, source])]);
  add('again', 47, null, [from(fact.again), back(words.more)]);
  add('summary', 58, null, [from(words.summarise(fact.title)), back(fact.sum, [current, source])]);
  add('unanswered', 66, null, [from(fact.asked[2] ?? '')]);
  return {
    sessions,
    right: corrected.length > 0 ? corrected : [source, ...copies],
    superseded: corrected.length > 0 ? [source, ...copies] : [],
  };
}

/** What a model without memory answers to a question of the person's own life. */
const KNOWS_NOTHING = {
  en: [
    "I don't have any information about that. If you tell me, I can help you with it.",
    "You haven't told me so far. Do you have it written down anywhere?",
    "I'm sorry, I can't recall our earlier conversations, so I don't know.",
  ],
  zh: [
    '我没有这方面的信息，你可以告诉我吗？',
    '你还没有跟我说过，要不要先查一下记录？',
    '抱歉，我不记得之前的对话，所以不清楚。',
  ],
} as const;

/**
 * The same conversations, and two in which questions of the set were asked of a model that
 * knew nothing: they are asked once more.
 */
function vainConversationsOf(fact: Fact, at: number, language: 'en' | 'zh') {
  const made = conversationsOf(fact, at, language, `used-vain-${language}`);
  const { sessions, add } = conversationMaker(`used-vain-${language}`, at);
  const nothing = KNOWS_NOTHING[language];
  fact.asks.slice(0, 2).forEach((question, n) => {
    add(`vain-${n}`, 70 + n, null, [from(question), back(nothing[(at + n) % nothing.length] as string)]);
  });
  return { ...made, sessions: [...made.sessions, ...sessions] };
}

/** How a person leads up to the point in the second library, and what an assistant answers. */
const OPENERS = {
  en: { open: 'Evening. One thing before I forget it.', go: 'Go ahead.', thanks: 'Thanks, that helps.' },
  zh: { open: '晚上好，先说一件事，免得我忘了。', go: '请说。', thanks: '谢谢，有用。' },
} as const;

/**
 * The same facts as another person keeps them: said in the middle of a conversation, asked for several times in one,
 * and each answer was given other passages besides its source.
 */
function secondConversationsOf(fact: Fact, at: number, language: 'en' | 'zh', others: readonly string[]) {
  const { open, go, thanks } = OPENERS[language];
  const words = WORDS[language];
  const { sessions, add } = conversationMaker(`used-second-${language}`, at);
  const third = (first: string) => first.replace(/#0$/, '#2');
  /** What recall gives: the source among more other passages, which come before it as often as after it. */
  const given = (right: readonly string[], turn: number): string[] => {
    const noise = [0, 1, 2].map((n) => others[(at * 7 + turn * 3 + n * 5) % others.length] as string);
    return turn % 2 === 0 ? [...noise, ...right] : [...right, ...noise];
  };
  const source = third(add('source', 0, null, [from(open), back(go), from(fact.said), back(fact.reply)]));
  const [first = '', second = '', last = ''] = fact.asked;
  add('asked', 6, null, [from(first), back(fact.old ?? fact.answer, given([source], 0)), from(thanks)]);
  const noted = words.noted[at % words.noted.length] as string;
  const corrected = fact.then
    ? [third(add('then', 15 + (at % 4), null, [from(open), back(go), from(fact.then), back(noted)]))]
    : [];
  const now = [...corrected, source];
  add('again', 23, null, [from(fact.again), back(words.more)]);
  add('asked-again', 31, null, [
    from(second),
    back(fact.answer, given(now, 1)),
    from(last),
    back(fact.answer, given(now, 2)),
  ]);
  add('summary', 44, null, [from(words.summarise(fact.title)), back(fact.sum, given(now, 3))]);
  return {
    sessions,
    right: corrected.length > 0 ? corrected : [source],
    superseded: corrected.length > 0 ? [source] : [],
  };
}

/** The conversations of each fact, made by `make`, as a set of its own between those of others. */
function setOf(
  name: string,
  language: 'en' | 'zh',
  facts: readonly Fact[],
  made: readonly ReturnType<typeof conversationsOf>[],
  others: readonly Session[],
) {
  const answers = new Map<string, { groups: string[][]; slice: string }>();
  const superseded = new Map<string, readonly string[]>();
  const queries = facts.flatMap((fact, at) =>
    fact.asks.map((text, n) => {
      const id = `${name}-${at}-${n}`;
      const { right = [], superseded: old = [] } = made[at] ?? {};
      answers.set(id, { groups: [[...right]], slice: old.length > 0 ? 'corrected' : 'as said' });
      superseded.set(id, old);
      return { id, text };
    }),
  );
  const sessions = [...others, ...made.flatMap((one) => one.sessions)];
  return { set: { name, language, stores: [{ id: language, sessions, queries }] }, answers, superseded };
}

/**
 * The sets `used-en`, `used-zh`, and of each language `used-vain-` and `used-second-`; `between`: other conversations
 * of each language. `superseded`: units that no longer hold, by question.
 */
export function used(between: Tasks['sets']): {
  readonly tasks: Tasks;
  readonly gold: ReadonlyMap<string, Gold>;
  readonly superseded: ReadonlyMap<string, readonly string[]>;
} {
  const read = (file: string) => factsOf(readFileSync(new URL(file, import.meta.url), 'utf8'));
  const all = (['en', 'zh'] as const).flatMap((language) => {
    const others = between
      .filter((set) => set.name === `own-${language}`)
      .flatMap(({ stores }) => stores.flatMap((store) => store.sessions));
    const [facts, second] = [read(`facts-${language}.txt`), read(`second-${language}.txt`)];
    const statements = [
      ...others.flatMap(({ messages }) => messages.map(({ id }) => id)),
      ...second.map((_, at) => `used-second-${language}-${at}-source#2`),
    ];
    // Every seventeenth, so that what is given besides comes from all of the library.
    const noise = statements.filter((_, at) => at % 17 === 0);
    return [
      setOf(
        `used-${language}`,
        language,
        facts,
        facts.map((fact, at) => conversationsOf(fact, at, language)),
        others,
      ),
      setOf(
        `used-vain-${language}`,
        language,
        facts,
        facts.map((fact, at) => vainConversationsOf(fact, at, language)),
        others,
      ),
      setOf(
        `used-second-${language}`,
        language,
        second,
        second.map((fact, at) => secondConversationsOf(fact, at, language, noise)),
        others,
      ),
    ];
  });
  return {
    tasks: { sets: all.map(({ set }) => set) },
    gold: new Map(all.map(({ set, answers }) => [set.name, answers] as const)),
    superseded: new Map(all.flatMap(({ superseded }) => [...superseded])),
  };
}
