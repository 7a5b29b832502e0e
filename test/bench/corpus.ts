// A made-up library of any size, the same for the same seed: English and Chinese, short turns and long
// answers, code now and then. As a ChatGPT export, because that is how most people's history arrives. The
// sentences are those of the evaluation set, so that they have as many tokens as people's have; every message
// has a number and a few rare words of its own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const TOPICS = [
  ['backup', 'restic snapshot of the photo disk', '备份 照片 硬盘 快照'],
  ['garden', 'tomatoes on the balcony and when to water them', '阳台 番茄 浇水 时间'],
  ['trip', 'night train from Vienna to Venice with two bicycles', '夜车 维也纳 威尼斯 自行车'],
  ['kitchen', 'sourdough starter that smells of acetone', '酸面团 发酵 气味 面粉'],
  ['postgres', 'slow query with a missing index on created_at', '慢查询 缺少索引 数据库'],
  ['react', 'list that re-renders on every keystroke', '列表 每次按键 重新渲染'],
  ['tax', 'deduction for the home office in the third quarter', '税务 居家办公 扣除 季度'],
  ['piano', 'fingering for the left hand in bar twelve', '钢琴 左手 指法 第十二小节'],
  ['running', 'training plan for a half marathon in October', '半程马拉松 训练计划 十月'],
  ['rust', 'borrow checker complains about the iterator', '借用检查 迭代器 生命周期'],
] as const;
const SYLLABLES =
  'ba be bi bo da de di do fa fe ga go ha he ka ke ki la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi za ze'.split(
    ' ',
  );
const VOCABULARY = 20_000;

/** Rank of a word as languages have it: few common ones, many rare (Zipf). */
export const rank = (random: () => number): number => Math.floor(VOCABULARY ** random());
/** The word of a rank, two to four syllables. */
export function word(n: number): string {
  let made = '';
  for (let rest = n + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    made += SYLLABLES[rest % SYLLABLES.length];
  return made;
}

const OWN = join(import.meta.dirname, '../eval/own');
const ownSchema = z.object({
  conversations: z.array(z.object({ messages: z.array(z.object({ content: z.string() })) })).default([]),
});
const HAN = /\p{Script=Han}/u;
/** The evaluation set's sentences by language. */
const SENTENCES = (() => {
  const found = { en: [] as string[], zh: [] as string[] };
  for (const file of readdirSync(OWN)
    .filter((name) => name.endsWith('.json'))
    .sort())
    for (const { messages } of ownSchema.parse(JSON.parse(readFileSync(join(OWN, file), 'utf8')))
      .conversations)
      for (const { content } of messages)
        for (const sentence of content
          .replace(/```[\s\S]*?```/g, '')
          .split(/(?<=[.!?])\s+|(?<=[。！？])|\n+/u))
          if (sentence.length > 8) found[HAN.test(sentence) ? 'zh' : 'en'].push(sentence.trim());
  return found;
})();

/** Deterministic numbers in 0–1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** One message, 400 characters on average (Chinese says the same in fewer). `n` makes it unlike every other. */
export function message(random: () => number, n: number, role: 'user' | 'assistant'): string {
  const [name, en, zh] = TOPICS[Math.floor(random() * TOPICS.length)] as (typeof TOPICS)[number];
  const chinese = random() < 0.4;
  const pool = chinese ? SENTENCES.zh : SENTENCES.en;
  const length = (chinese ? 190 : 470) * (role === 'user' ? 0.3 + random() * 0.6 : 0.9 + random());
  let text = chinese ? `关于${zh}（编号 ${n}）` : `About the ${en} (number ${n})`;
  while (text.length < length) {
    text += ` ${pool[Math.floor(random() * pool.length)]}`;
    if (random() < 0.1) text += ` ${word(rank(random))}`;
  }
  if (role === 'assistant' && random() < 0.15)
    text += `\n\`\`\`ts\nconst ${name}${n} = await load('${name}', ${n});\n\`\`\``;
  return text;
}

/** The texts of an export, in the order in which it has them. */
export function textsOf(json: string): string[] {
  const parsed = z
    .array(
      z.object({
        mapping: z.record(
          z.string(),
          z.object({
            message: z.object({ content: z.object({ parts: z.array(z.string()) }) }).nullable(),
          }),
        ),
      }),
    )
    .parse(JSON.parse(json));
  return parsed.flatMap(({ mapping }) =>
    Object.values(mapping).flatMap(({ message }) => (message ? [message.content.parts.join('\n')] : [])),
  );
}

/** A message as an export has it. */
export interface Said {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Of a call: the tool that it is sent to. Of an answer of a tool: the tool. */
  readonly tool?: string;
}

/** A conversation of an export, one message below the other, `step` seconds apart. */
export function conversationOf(
  id: string,
  title: string,
  start: number,
  step: number,
  said: readonly Said[],
): unknown {
  const mapping: Record<string, unknown> = {
    root: { id: 'root', parent: null, children: [`${id}-0`], message: null },
  };
  for (const [i, { role, text, tool }] of said.entries())
    mapping[`${id}-${i}`] = {
      id: `${id}-${i}`,
      parent: i === 0 ? 'root' : `${id}-${i - 1}`,
      children: i === said.length - 1 ? [] : [`${id}-${i + 1}`],
      message: {
        id: `${id}-${i}`,
        author: { role, name: role === 'tool' ? tool : null, metadata: {} },
        create_time: start + i * step,
        content: { content_type: 'text', parts: [text] },
        status: 'finished_successfully',
        weight: 1,
        recipient: role === 'assistant' ? (tool ?? 'all') : 'all',
        metadata: {},
      },
    };
  return {
    title,
    create_time: start,
    update_time: start + said.length * step,
    conversation_id: id,
    current_node: `${id}-${said.length - 1}`,
    is_archived: false,
    mapping,
  };
}

/**
 * Text of a `conversations.json` with `messages` messages, about 20 in a conversation unless told, spread over two
 * years before `now` (ms) or begun `at`.
 */
export function chatgptExport(
  messages: number,
  now: number,
  seed = 1,
  { each, title, at }: { each?: number; title?: string; at?: number } = {},
): string {
  const random = seeded(seed);
  const conversations: unknown[] = [];
  for (let done = 0; done < messages; ) {
    const count = Math.min(messages - done, each ?? 10 + Math.floor(random() * 20));
    const id = `bench-${seed}-${conversations.length}`;
    const start = (at ?? now - random() * 2 * 365 * 86_400_000) / 1000;
    const said = Array.from({ length: count }, (_, i): Said => {
      const role = i % 2 === 0 ? 'user' : 'assistant';
      return { role, text: message(random, done + i, role) };
    });
    done += count;
    conversations.push(conversationOf(id, title ?? `Conversation ${conversations.length}`, start, 60, said));
  }
  return JSON.stringify(conversations);
}

/** Questions a person might ask of it. */
export function questions(count: number, seed = 2): string[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const [, en, zh] = TOPICS[Math.floor(random() * TOPICS.length)] as (typeof TOPICS)[number];
    return random() < 0.4
      ? `之前说的${zh.replaceAll(' ', '')}是怎么决定的`
      : `what did we decide about the ${en} before the second option`;
  });
}
