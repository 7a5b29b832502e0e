// A made-up library of any size, the same for the same seed: English and Chinese, short turns and long answers, code now and then.
// As a ChatGPT export, because that is how most people's history arrives.

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
const rank = (random: () => number): number => Math.floor(VOCABULARY ** random());
/** The word of a rank, two to four syllables. */
function word(n: number): string {
  let made = '';
  for (let rest = n + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    made += SYLLABLES[rest % SYLLABLES.length];
  return made;
}
/** The Chinese word of a rank, two characters. */
const hanWord = (n: number): string =>
  String.fromCharCode(0x4e00 + (n % 3000), 0x4e00 + ((n * 7 + 11) % 3000));

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

const sentence = (random: () => number, chinese: boolean, length: number): string => {
  const words = Array.from({ length }, () => (chinese ? hanWord(rank(random)) : word(rank(random))));
  return chinese ? `${words.join('')}。` : `${words.join(' ')}.`;
};

/** One message of about 400 characters on average. `n` makes it unlike every other. */
function message(random: () => number, n: number, role: 'user' | 'assistant'): string {
  const [name, en, zh] = TOPICS[Math.floor(random() * TOPICS.length)] as (typeof TOPICS)[number];
  const chinese = random() < 0.4;
  const parts = [chinese ? `关于${zh}（编号 ${n}）` : `About the ${en} (number ${n})`];
  const sentences = role === 'user' ? 2 + Math.floor(random() * 3) : 5 + Math.floor(random() * 6);
  for (let i = 0; i < sentences; i++) parts.push(sentence(random, chinese, chinese ? 16 : 12));
  if (role === 'assistant' && random() < 0.15)
    parts.push(`\n\`\`\`ts\nconst ${name}${n} = await load('${name}', ${n});\n\`\`\``);
  return parts.join(' ');
}

/** Text of a `conversations.json` with `messages` messages, about 20 in a conversation, spread over two years before `now` (ms). */
export function chatgptExport(messages: number, now: number, seed = 1): string {
  const random = seeded(seed);
  const conversations: unknown[] = [];
  for (let done = 0; done < messages; ) {
    const count = Math.min(messages - done, 10 + Math.floor(random() * 20));
    const id = `bench-${seed}-${conversations.length}`;
    const start = now / 1000 - random() * 2 * 365 * 86_400;
    const mapping: Record<string, unknown> = {
      root: { id: 'root', parent: null, children: [`${id}-0`], message: null },
    };
    for (let i = 0; i < count; i++, done++) {
      const role = i % 2 === 0 ? 'user' : 'assistant';
      mapping[`${id}-${i}`] = {
        id: `${id}-${i}`,
        parent: i === 0 ? 'root' : `${id}-${i - 1}`,
        children: i === count - 1 ? [] : [`${id}-${i + 1}`],
        message: {
          id: `${id}-${i}`,
          author: { role, name: null, metadata: {} },
          create_time: start + i * 60,
          content: { content_type: 'text', parts: [message(random, done, role)] },
          status: 'finished_successfully',
          weight: 1,
          recipient: 'all',
          metadata: {},
        },
      };
    }
    conversations.push({
      title: `Conversation ${conversations.length}`,
      create_time: start,
      update_time: start + count * 60,
      conversation_id: id,
      current_node: `${id}-${count - 1}`,
      is_archived: false,
      mapping,
    });
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
