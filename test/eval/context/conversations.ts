// Made-up conversations with planted facts. Scenes are written by hand, one topic each, in `scenes-*.txt`; a conversation is a number of
// scenes one after another, in an order that a seed decides, so that every scene stands early, in the middle and late.
import { readFileSync } from 'node:fs';
import type { EvalConversation } from '../context.ts';

interface Scene {
  readonly messages: EvalConversation['messages'];
  readonly facts: EvalConversation['facts'];
}

/**
 * A scene: `=== name`, then `@user`, `@assistant`, `@result` with their words below them, `@call NAME ARGUMENTS` for the
 * assistant, and `@fact QUESTION | ANSWER`.
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
      const [ask = '', answer = ''] = rest.split(' | ');
      scene.facts.push({ ask, answer });
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

/** Scenes of each conversation of a language; the last ones have them all. */
const SCENES = [22, 22, 34, 34];

/** Eight conversations, four in each language, of 130 to 210 messages; every scene stands in three of them or more. */
export function ownConversations(): EvalConversation[] {
  return (['en', 'zh'] as const).flatMap((language) => {
    const scenes = scenesOf(readFileSync(new URL(`scenes-${language}.txt`, import.meta.url), 'utf8'));
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
