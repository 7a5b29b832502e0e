// Which sentences are worth a note: the learnt heads fit the examples, word rules work without a
// model, and the shipped model does both.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { asMessageId } from '../../../src/domain/base/ids.ts';
import type { Message } from '../../../src/domain/chat/message.ts';
import { EXAMPLES, readExamples } from '../../../src/domain/memory/recognition/examples.ts';
import {
  createTraining,
  probabilities,
  readHead,
  writeHead,
} from '../../../src/domain/memory/recognition/head.ts';
import {
  NOTE_KINDS,
  SENTENCE_CLASSES,
  TOPICS,
  type Topic,
} from '../../../src/domain/memory/recognition/kinds.ts';
import { LEARNT_KINDS } from '../../../src/domain/memory/recognition/learnt.ts';
import {
  appliesTo,
  PROPOSED_FROM,
  recognise,
  statementsOf,
} from '../../../src/domain/memory/recognition/recognise.ts';
import { cuesOf, saysNothingLasting, wordsToKeep } from '../../../src/domain/memory/recognition/wording.ts';
import { createInProcessLocalEmbedding } from '../../adapters/embedding/in-process.ts';
import { examplesNumber, linesOf, measured } from '../../eval/notes.ts';

const message = (text: string, more: Partial<Message> = {}): Message => ({
  id: asMessageId('m'),
  parentId: null,
  role: 'user',
  kind: 'message',
  createdAt: 1,
  parts: [{ type: 'text', text }],
  ...more,
});

describe('examples', () => {
  it('have every kind in both languages, each sentence once', () => {
    for (const han of [false, true])
      for (const kind of ['none', ...NOTE_KINDS])
        expect(
          EXAMPLES.filter((one) => one.kind === kind && /\p{Script=Han}/u.test(one.text) === han).length,
          kind,
        ).toBeGreaterThan(30);
    expect(new Set(EXAMPLES.map(({ text }) => text)).size).toBe(EXAMPLES.length);
    expect(() => readExamples('# rules none\nx')).toThrow('rules');
  });

  it('are those that were learnt of: else `npm run eval -- --notes --learn`', () => {
    expect(LEARNT_KINDS.examples).toBe(examplesNumber());
    expect(readHead(LEARNT_KINDS.kinds)?.classes).toBe(SENTENCE_CLASSES.length);
    expect(readHead(LEARNT_KINDS.topics)?.classes).toBe(TOPICS.length);
  });

  it('share no sentence with the sets that measure', () => {
    const known = new Set(EXAMPLES.map(({ text }) => text));
    for (const name of ['fresh-1', 'fresh-2', 'fresh-3', 'fresh-4', 'fresh-5', 'fresh-6', 'fresh-7'])
      expect(linesOf(name).filter(([, text]) => known.has(text as string))).toEqual([]);
  });
});

it.each([
  'Her eldest starts school in September, she said.',
  'The character in my story is allergic to bees.',
  "I'm trying to open the PDF right now.",
  'I just opened the file you mentioned.',
  "I'd like a list of ten cities.",
  'I have a meeting in ten minutes.',
  '她说她老二明年上小学。',
  '有些人不吃香菜。',
  '图里的瓷砖是蓝色的。',
  '我正在跑你给的脚本。',
  'From now on you are Sherlock Holmes and I am Watson.',
  'You are a pirate who hates rum.',
  'Picture this: you have one bathroom and five children.',
  "I'd be a terrible vegetarian.",
  'The sign at the pool reads: no photos, no glass.',
  'My professor used to say: never trust a round number.',
  '从现在起你是福尔摩斯，我是华生。',
  '你现在是个讨厌朗姆酒的海盗。',
  '理想情况下我们天天都能发版。',
  '输出是 `max connections: 40`。',
])('what others, stories and moments say is worth no note: %s', (text) => {
  expect(saysNothingLasting(text)).toBe(true);
});
it.each([
  "I'm trying to learn the cello.",
  'He is my son and hates carrots.',
  'My wife reads every evening.',
  '我媳妇是小学音乐老师，周三下午没课。',
  "I'd like a window seat on every flight.",
  'From now on you are not to use emojis.',
  "I'd be glad to get metric units, always.",
  '你是知道的，我不吃辣。',
])('what a person says of themselves and theirs is: %s', (text) => {
  expect(saysNothingLasting(text)).toBe(false);
});

it.each([
  ['Remember: always answer in English.', 'Always answer in English.'],
  ['Please remember that my wife is called Hannah.', 'My wife is called Hannah.'],
  ['Remember my birthday is on 3 May.', 'My birthday is on 3 May.'],
  ['Please remember to write tests first.', 'Write tests first.'],
  ["And keep in mind that I'm vegan.", "I'm vegan."],
  ["Don't forget: no meetings on Fridays.", 'No meetings on Fridays.'],
  ['Note: dates are written day first.', 'Dates are written day first.'],
  ['House rule: shoes stay outside.', 'Shoes stay outside.'],
  ['请记住：以后都用中文回答。', '以后都用中文回答。'],
  ['请记住我对头孢过敏。', '我对头孢过敏。'],
  ['你要记住这一点，代码注释只用英文。', '代码注释只用英文。'],
  ['麻烦帮我记一下，我周三没空。', '我周三没空。'],
  ['别忘了我不吃香菜。', '我不吃香菜。'],
  ['规则：函数不超过四十行。', '函数不超过四十行。'],
  // Nothing to strip, or nothing left behind it.
  ['I remember that my wife likes tea.', 'I remember that my wife likes tea.'],
  ['Note to the team goes out on Friday.', 'Note to the team goes out on Friday.'],
  ['Remember me.', 'Remember me.'],
  ['请记住。', '请记住。'],
  ['注意身体。', '注意身体。'],
])('a note needs what is to be remembered: %s', (said, kept) => {
  expect(wordsToKeep(said)).toBe(kept);
});

it('a head tells apart what it was taught, and reads back as it was written', () => {
  const taught = Array.from({ length: 40 }, (_, at) => ({
    vector: [at % 2 ? 1 : -1, Math.sin(at)],
    cues: [Number(at % 2)],
    as: at % 2,
  }));
  const training = createTraining(taught, 2);
  while (training.step());
  const head = training.head();
  expect(probabilities(head, [1, 0], [1])[1]).toBeGreaterThan(0.9);
  const again = readHead(writeHead(head));
  expect(probabilities(again ?? head, [-1, 0], [0])[0]).toBeCloseTo(
    probabilities(head, [-1, 0], [0])[0] as number,
    2,
  );
  expect(readHead('')).toBeNull();
  expect(readHead('3\n1 AA')).toBeNull();
});

it('without a model the words decide, and decide carefully', () => {
  const rows = linesOf('fresh-1');
  const { precision, recall } = measured(rows, (text) => recognise(text, null, null), PROPOSED_FROM);
  expect(precision).toBeGreaterThan(90);
  expect(recall).toBeGreaterThan(30);
  expect(recognise('Always write tests first.', null, null).kind).toBe('rule');
  expect(recognise('我对虾过敏。', null, null).kind).toBe('fact');
  expect(recognise('Do you prefer tea?', null, null).kind).toBeNull();
});

it('an allergy is a fact in both languages, though it may be taken for a taste', () => {
  // A head that takes every sentence for a preference.
  const width = 2 + cuesOf('').length;
  const preference = SENTENCE_CLASSES.indexOf('preference');
  const kinds = {
    classes: SENTENCE_CLASSES.length,
    width,
    weights: Float32Array.from({ length: SENTENCE_CLASSES.length * width }, (_, at) =>
      at === preference * width + width - 1 ? 9 : 0,
    ),
  };
  const kindOf = (text: string) => recognise(text, [0], { kinds, topics: kinds }).kind;
  for (const text of [
    'I am allergic to peanuts.',
    "I don't like it when there are nuts, I'm allergic.",
    'I am lactose intolerant.',
    '我对花生过敏。',
    '我不喜欢吃虾，过敏。',
    '我乳糖不耐受。',
  ])
    expect(kindOf(text), text).toBe('fact');
  expect(kindOf('I like short answers.')).toBe('preference');
  expect(kindOf('我喜欢短的回答。')).toBe('preference');
  expect(recognise('我不喜欢吃虾，我对虾过敏。', null, null).kind).toBe('fact');
});

it('only a person’s own sentences are looked at', () => {
  expect(statementsOf(message('I am vegan. What can I cook?\n> I hate fish.\n```\nI am code\n```'))).toEqual([
    'I am vegan.',
    'What can I cook?',
  ]);
  expect(statementsOf(message('I am vegan.', { role: 'assistant' }))).toEqual([]);
  expect(
    statementsOf(message('I am called "Big Joe". He wrote: "I am vegan. I hate fish." So what?')),
  ).toEqual(['I am called "Big Joe".']);
  expect(statementsOf(message('I like tea very much. Translate: I am vegan. I hate fish.'))).toEqual([
    'I like tea very much.',
  ]);
  expect(statementsOf(message('我不吃辣。翻译成英文：我妈妈吃素，爸爸什么都吃。'))).toEqual(['我不吃辣。']);
  expect(statementsOf(message("Let's play: I am the landlord. I hate noise at night."))).toEqual([]);
  expect(statementsOf(message('你扮演医生。我从周二开始发烧。'))).toEqual([]);
  expect(statementsOf(message('I like tea very much. '.repeat(200)))).toHaveLength(1);
  const long = Array.from({ length: 100 }, (_, at) => `Sentence number ${at} of a page that was pasted.`);
  expect(statementsOf(message(long.join(' '))).length).toBeLessThanOrEqual(16);
});

it('what is wrong with a body bears on travel and food, and not on code; no more than what is about them', () => {
  const about = (...topics: Topic[]) => ({
    topics: TOPICS.map((topic) => (topics.includes(topic) ? 1 / topics.length : 0)),
    vector: null,
  });
  const applies = (note: Topic, request: Topic) =>
    appliesTo({ ...about(note), kind: 'fact' }, about(request));
  expect(applies('health', 'travel')).not.toBeNull();
  expect(applies('people', 'food')).not.toBeNull();
  expect(applies('health', 'travel') ?? 1).toBeLessThan(applies('travel', 'travel') ?? 0);
  expect(applies('health', 'code')).toBeNull();
  expect(applies('travel', 'health')).toBeNull();
});

describe('the model that ships', () => {
  const provider = createInProcessLocalEmbedding({
    models: join(import.meta.dirname, '../../../public/models'),
  });
  afterAll(() => provider.close());
  const signal = new AbortController().signal;
  const heads = { kinds: readHead(LEARNT_KINDS.kinds), topics: readHead(LEARNT_KINDS.topics) } as {
    kinds: NonNullable<ReturnType<typeof readHead>>;
    topics: NonNullable<ReturnType<typeof readHead>>;
  };

  it('is the one that was learnt of', () => {
    expect(provider.id).toBe(LEARNT_KINDS.provider);
  });

  it('recognises sentences that were kept apart, and the notes that apply to a request', async () => {
    const rows = linesOf('fresh-3').filter((_, at) => at % 2 === 0);
    const pair = linesOf('applies')[0] as string[];
    const texts = [...rows.map(([, text]) => text as string), ...pair];
    const vectors = await provider.embed(texts, { kind: 'passage', signal });
    const of = (text: string) => {
      const vector = vectors[texts.indexOf(text)] ?? null;
      return { ...recognise(text, vector, heads), vector };
    };
    const { precision, recall } = measured(rows, of, PROPOSED_FROM);
    expect(precision).toBeGreaterThanOrEqual(80);
    expect(recall).toBeGreaterThanOrEqual(75);
    const [request, applies, stranger] = pair.map(of);
    if (!request || !applies || !stranger) throw new Error('no pair');
    expect(appliesTo({ ...applies, kind: 'rule' }, request)).not.toBeNull();
    expect(appliesTo({ ...stranger, kind: 'fact' }, request)).toBeNull();
  });
});
