// A library that was used for months: what was said, asked for again, answered from memory, corrected, restated, summarised and imported twice.
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

/** The conversations of one fact, the units of its source and of what it superseded. */
function conversationsOf(fact: Fact, at: number, language: 'en' | 'zh') {
  const words = WORDS[language];
  const sessions: Session[] = [];
  const add = (name: string, day: number, title: string | null, messages: readonly Said[]) => {
    const id = `used-${language}-${at}-${name}`;
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
  const from = (content: string): Said => ({ role: 'user', content });
  const back = (content: string, recalled?: readonly string[]): Said => ({
    role: 'assistant',
    content,
    ...(recalled ? { recalled } : {}),
  });
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

/** The sets `used-en` and `used-zh`; `between`: other conversations of each language. `superseded`: units that no longer hold, by question. */
export function used(between: Tasks['sets']): {
  readonly tasks: Tasks;
  readonly gold: ReadonlyMap<string, Gold>;
  readonly superseded: ReadonlyMap<string, readonly string[]>;
} {
  const gold = new Map<string, Gold>();
  const superseded = new Map<string, readonly string[]>();
  const sets = (['en', 'zh'] as const).map((language) => {
    const name = `used-${language}`;
    const facts = factsOf(readFileSync(new URL(`facts-${language}.txt`, import.meta.url), 'utf8'));
    const made = facts.map((fact, at) => ({ fact, ...conversationsOf(fact, at, language) }));
    const answers = new Map<string, { groups: string[][]; slice: string }>();
    const queries = made.flatMap(({ fact, right, superseded: old }, at) =>
      fact.asks.map((text, n) => {
        const id = `${name}-${at}-${n}`;
        answers.set(id, { groups: [right], slice: old.length > 0 ? 'corrected' : 'as said' });
        superseded.set(id, old);
        return { id, text };
      }),
    );
    gold.set(name, answers);
    const others = between.filter((set) => set.name === `own-${language}`);
    const sessions = [
      ...others.flatMap(({ stores }) => stores.flatMap((store) => store.sessions)),
      ...made.flatMap((one) => one.sessions),
    ];
    return { name, language, stores: [{ id: language, sessions, queries }] };
  });
  return { tasks: { sets }, gold, superseded };
}
