// Made-up conversations with planted facts. Scenes are written by hand, one topic each; a conversation is a number of
// scenes one after another, in an order that a seed decides. `scenes-*.txt` ask in words like those of the fact;
// `paraphrased-*.txt` share none with it.
import { readFileSync } from 'node:fs';
import type { EvalConversation } from '../context.ts';

interface Scene {
  readonly messages: EvalConversation['messages'];
  readonly facts: EvalConversation['facts'];
}

/**
 * A scene: `=== name`, then `@user`, `@assistant`, `@result` with their words below them, `@call NAME ARGUMENTS` for
 * the assistant, and `@fact QUESTION | ANSWER` or `@fact KIND | QUESTION | ANSWER`.
 */
export function scenesOf(text: string): Scene[] {
  const scenes: { messages: EvalConversation['messages']; facts: EvalConversation['facts'] }[] = [];
  let words: string[] | null = null;
  for (const line of `${text}\n=== end`.split('\n')) {
    const mark = /^(===|@user|@assistant|@result|@call|@fact)(?:\s+(.*))?$/.exec(line);
    if (!mark) {
      words?.push(line);
      continue;
    }
    const scene = scenes.at(-1);
    const last = scene?.messages.at(-1);
    if (words && last) last.content = words.join('\n').trim();
    words = null;
    const [, kind, rest = ''] = mark;
    if (kind === '===') {
      scenes.push({ messages: [], facts: [] });
      continue;
    }
    if (!scene) throw new Error(`A scene begins with ===, not with ${line}`);
    if (kind === '@call') {
      const [name = '', ...args] = rest.split(' ');
      const toolCalls = [{ name, arguments: args.join(' ') }];
      if (last?.role === 'assistant') last.toolCalls = toolCalls;
      else scene.messages.push({ role: 'assistant', content: '', toolCalls });
    } else if (kind === '@fact') {
      const said = rest.split(' | ');
      const [ask = '', answer = ''] = said.slice(-2);
      scene.facts.push({ ask, answer, ...(said.length > 2 ? { kind: said[0] } : {}) });
    } else {
      scene.messages.push({
        role: kind === '@user' ? 'user' : kind === '@result' ? 'tool' : 'assistant',
        content: '',
      });
      words = [];
    }
  }
  return scenes.slice(0, -1);
}

/** Numbers 0–1, the same for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const LANGUAGES = ['en', 'zh'] as const;
const scenesIn = (file: string): Scene[] =>
  scenesOf(readFileSync(new URL(`${file}.txt`, import.meta.url), 'utf8'));

/** In an order that the numbers decide. */
const shuffled = (scenes: readonly Scene[], next: () => number): Scene[] =>
  scenes
    .map((scene) => ({ scene, order: next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ scene }) => scene);

/** Scenes without facts, and long outputs, beside those that are asked for, in the two conversations of a half. */
const BESIDE = [
  { scenes: 18, outputs: 0 },
  { scenes: 34, outputs: 24 },
];

const WORDS =
  'account archive batch bridge buffer bundle cache catalog channel circuit cluster column cursor digest driver editor engine export fabric filter folder frame gateway handler header import index ingest journal kernel layer ledger loader locale marker matrix mirror module monitor packet parser partition patch payload plugin pointer policy poller portal prefix probe proxy query queue reader record region render replay report resolver router sampler schema script segment sensor session shard signal socket source stream table tenant thread ticket token topic tracker update vector viewer volume worker writer'.split(
    ' ',
  );
const TALK = {
  en: [
    [
      'Go on with the next folder.',
      'Read it from beginning to end. It does what its name says, and nothing in it needs our attention.',
    ],
    [
      'And this one?',
      'The usual: it opens, does its work and closes what it opened. I would leave it as it is for now.',
    ],
    ['Next please.', 'Looked through all of it. Nothing stands out here, so we can move on.'],
  ],
  zh: [
    ['继续看下一个目录。', '从头到尾读了一遍，名字叫什么就干什么，没有需要处理的地方。'],
    ['这个呢？', '很常规：打开、干活、关掉。暂时不用动它。'],
    ['下一个。', '都看过了，没有特别的，可以往下走。'],
  ],
} as const;

/** A long output without a question to it, as agents read many: a log, a listing, code. */
function longOutput(language: 'en' | 'zh', next: () => number): Scene {
  const word = () => WORDS[Math.floor(next() * WORDS.length)] as string;
  const number = (most: number) => Math.floor(next() * most);
  const [ask, answer] = TALK[language][number(3)] as readonly [string, string];
  const path = `src/${word()}/${word()}.ts`;
  const kinds = [
    () =>
      `2026-0${1 + number(8)}-1${number(9)} 1${number(9)}:${10 + number(49)}:${10 + number(49)} INFO ${word()} ${word()} took ${number(900)} ms, ${number(5000)} rows`,
    () => `-rw-r--r-- 1 build build ${1000 + number(90_000)} ${word()}/${word()}_${word()}.ts`,
    () =>
      `  const ${word()}${number(40)} = await ${word()}.${word()}('${word()}', { limit: ${number(200)}, ${word()}: ${word()}Of(${word()}) });`,
  ];
  const line = kinds[number(3)] as () => string;
  return {
    messages: [
      { role: 'user', content: ask },
      { role: 'assistant', content: '', toolCalls: [{ name: 'read', arguments: JSON.stringify({ path }) }] },
      { role: 'tool', content: Array.from({ length: 30 + number(30) }, line).join('\n') },
      { role: 'assistant', content: answer },
    ],
    facts: [],
  };
}

/** Every other scene is kept apart: nothing is chosen by how it does. */
export type Half = 'development' | 'apart';

/**
 * Conversations whose questions share no content word with what answers them (`context.test.ts` holds them to it): two
 * of each half in each language, every fact once in a shorter and once in a longer one.
 */
export function paraphrasedConversations(half: Half): EvalConversation[] {
  return LANGUAGES.flatMap((language) => {
    const own = scenesIn(`paraphrased-${language}`).filter(
      (_, index) => index % 2 === (half === 'development' ? 0 : 1),
    );
    const others = scenesIn(`scenes-${language}`);
    return BESIDE.map(({ scenes, outputs }, number) => {
      const next = random(number * 104_729 + (language === 'en' ? 3 : 5) + (half === 'apart' ? 7 : 0));
      const beside = shuffled(others, next).slice(0, scenes);
      const long = Array.from({ length: outputs }, () => longOutput(language, next));
      const chosen = shuffled(
        [...own, ...long, ...beside.map(({ messages }) => ({ messages, facts: [] }))],
        next,
      );
      return {
        id: `paraphrased-${language}-${half}-${number + 1}`,
        language,
        messages: structuredClone(chosen.flatMap(({ messages }) => messages)),
        facts: chosen.flatMap(({ facts }) => facts),
      };
    });
  });
}

/** Scenes of each conversation of a language; the last ones have them all. */
const SCENES = [22, 22, 34, 34];

/** Eight conversations, four in each language, of 130 to 210 messages; every scene stands in three of them or more. */
export function ownConversations(): EvalConversation[] {
  return LANGUAGES.flatMap((language) => {
    const scenes = scenesIn(`scenes-${language}`);
    return SCENES.map((count, number) => {
      const next = random(number * 7919 + (language === 'en' ? 1 : 2));
      // Each conversation leaves out other scenes, so that together they hold all of them.
      const chosen = scenes
        .map((scene, index) => ({ scene, order: next(), turn: (index + number * 12) % scenes.length }))
        .filter(({ turn }) => turn < count)
        .sort((a, b) => a.order - b.order)
        .map(({ scene }) => scene);
      return {
        id: `${language}-${number + 1}`,
        language,
        messages: structuredClone(chosen.flatMap(({ messages }) => messages)),
        facts: chosen.flatMap(({ facts }) => facts),
      };
    });
  });
}
