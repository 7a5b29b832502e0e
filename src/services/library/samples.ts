// A small made-up library to look around in: work, code and daily life, in English and Chinese, over the last year.
// It shows what conversations can hold: a branch, reasoning, a tool call, code, a table, maths.
import type { ImportedConversation, ImportedMessage } from '../../adapters/importers/importer.ts';
import type { Part } from '../../domain/chat/message.ts';

const TOOL = 'sample';
const MODEL = 'example-model';
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

type Line = Pick<ImportedMessage, 'role' | 'parts'> & {
  /** Number of the message it answers, counted from 1; by default the one before. */
  readonly after?: number;
};

interface Sample {
  readonly key: string;
  readonly title: string;
  readonly daysAgo: number;
  /** Time of day, hours. */
  readonly hour: number;
  readonly pinned?: boolean;
  readonly archived?: boolean;
  readonly workDir?: string;
  /** Number of the message that is shown last; by default the last one. */
  readonly head?: number;
  readonly checkpoint?: readonly [name: string, message: number];
  readonly lines: readonly Line[];
}

const text = (lines: readonly string[]): Part => ({ type: 'text', text: lines.join('\n') });
const you = (...lines: readonly string[]): Line => ({ role: 'user', parts: [text(lines)] });
const answer = (...lines: readonly string[]): Line => ({ role: 'assistant', parts: [text(lines)] });
const thoughtful = (reasoning: string, ...lines: readonly string[]): Line => ({
  role: 'assistant',
  parts: [{ type: 'reasoning', text: reasoning }, text(lines)],
});
const calling = (callId: string, name: string, args: object, ...lines: readonly string[]): Line => ({
  role: 'assistant',
  parts: [text(lines), { type: 'tool-call', callId, name, arguments: JSON.stringify(args) }],
});
const result = (callId: string, name: string, ...lines: readonly string[]): Line => ({
  role: 'tool',
  parts: [{ type: 'tool-result', callId, name, text: lines.join('\n') }],
});
const after = (message: number, line: Line): Line => ({ ...line, after: message });

const SAMPLES: readonly Sample[] = [
  {
    key: 'slow-orders',
    title: 'A slow query on the orders page',
    daysAgo: 2,
    hour: 10,
    pinned: true,
    workDir: '/home/sam/code/shop',
    checkpoint: ['before the index', 2],
    lines: [
      you(
        'The orders page takes four seconds since we passed two million rows. This is the query:',
        '',
        '```sql',
        'SELECT * FROM orders',
        "WHERE customer_id = $1 AND status <> 'archived'",
        'ORDER BY created_at DESC',
        'LIMIT 20;',
        '```',
      ),
      thoughtful(
        'There is probably an index on customer_id alone. Postgres then fetches every order of the customer and sorts. Large customers would be slow, small ones fast. A partial index in the order of the sort avoids both the filter and the sort. Ask for the plan to be sure.',
        'My guess: there is an index on `customer_id`, so Postgres finds all orders of that customer and then sorts them to keep twenty. Fine for small customers, slow for large ones.',
        '',
        'An index in the order you read it removes the sort:',
        '',
        '```sql',
        'CREATE INDEX CONCURRENTLY orders_open_by_customer',
        '  ON orders (customer_id, created_at DESC)',
        "  WHERE status <> 'archived';",
        '```',
        '',
        '`CONCURRENTLY` keeps the table writable while it builds. Before you do, run `EXPLAIN (ANALYZE, BUFFERS)` for one of your largest customers and look for a `Sort` node above a bitmap scan.',
      ),
      you('You were right about the sort node. Built it. What did it cost us?'),
      answer(
        'Roughly this, for two million rows of which a third is archived:',
        '',
        '| | before | after |',
        '|---|---:|---:|',
        '| orders page, P95 | 4,100 ms | 9 ms |',
        '| rows read for 20 shown | 38,000 | 20 |',
        '| index size | – | 41 MB |',
        '| one insert | 0.31 ms | 0.34 ms |',
        '',
        "The price is a tenth more time per insert. One thing to remember: the partial index is only used when the query says `status <> 'archived'` in the same words. If somebody rewrites it as `status IN (...)`, the planner cannot prove it matches and you are back to four seconds.",
      ),
      you('Good point, I will leave a comment next to the query.'),
    ],
  },
  {
    key: 'hangzhou',
    title: '周末去杭州两天怎么安排',
    daysAgo: 5,
    hour: 20,
    lines: [
      you('这周末想带爸妈去杭州玩两天，他们走不了太多路，不想去人挤人的地方。怎么安排比较好？'),
      answer(
        '带长辈的话，我会把步行多的景点放在上午，下午留给喝茶和坐船。可以这样走：',
        '',
        '| | 上午 | 下午 | 晚上 |',
        '|---|---|---|---|',
        '| 周六 | 杨公堤一侧坐船游西湖，避开断桥 | 龙井村喝茶，住在附近 | 早点休息 |',
        '| 周日 | 西溪湿地，买电瓶船票 | 中国丝绸博物馆，室内有电梯 | 返程 |',
        '',
        '几点提醒：',
        '- 西湖游船从杨公堤上船，比湖滨码头少排一半的队；',
        '- 龙井村的茶先尝后买，明前茶最贵，自己喝的话雨前茶更划算；',
        '- 西溪湿地周家村入口离船最近，走路不到三百米。',
      ),
      you('爸爸膝盖不好，丝绸博物馆要走很久吗？'),
      answer(
        '不会。主馆一层走完大约四十分钟，中间有长椅，服务台可以免费借轮椅，带身份证就行。如果那天他累了，可以换成在湖边的茶馆坐着，把博物馆留到下次。',
      ),
    ],
  },
  {
    key: 'big-files',
    title: 'What fills the disk of the build server',
    daysAgo: 12,
    hour: 15,
    workDir: '/srv/build',
    lines: [
      you('The build server is at 96 %. Find out what fills it, but do not delete anything yet.'),
      calling(
        'call-1',
        'shell',
        { command: 'du -xh --max-depth=2 /srv/build | sort -rh | head -6' },
        'I will look at the largest folders first.',
      ),
      result(
        'call-1',
        'shell',
        '182G\t/srv/build',
        '121G\t/srv/build/cache',
        '97G\t/srv/build/cache/docker',
        '38G\t/srv/build/artifacts',
        '24G\t/srv/build/cache/npm',
        '19G\t/srv/build/artifacts/nightly',
      ),
      calling(
        'call-2',
        'shell',
        { command: "find artifacts/nightly -mtime +30 -printf '%s\\n' | awk '{s+=$1} END {print s/1e9}'" },
        'More than half is Docker layers. Let me see how much of the nightly builds is older than a month.',
      ),
      result('call-2', 'shell', '14.6'),
      answer(
        'Nothing was deleted. In order of size:',
        '',
        '1. **Docker layers, 97 GB.** Nearly all from branches that are gone. `docker system prune --filter "until=336h"` keeps the last two weeks.',
        '2. **Nightly builds, 19 GB**, of which 14.6 GB are older than thirty days. A rotation would keep this flat.',
        '3. **npm cache, 24 GB.** Safe to empty, but the next builds will be slower for a day.',
        '',
        'Doing 1 and 2 frees about 100 GB. Shall I write the rotation as a systemd timer, so that this does not come back?',
      ),
      you('Yes, a timer, every Sunday at four.'),
      answer(
        '```ini',
        '# /etc/systemd/system/nightly-rotate.timer',
        '[Unit]',
        'Description=Remove nightly builds older than 30 days',
        '',
        '[Timer]',
        'OnCalendar=Sun *-*-* 04:00:00',
        'Persistent=true',
        '',
        '[Install]',
        'WantedBy=timers.target',
        '```',
        '',
        '`Persistent=true` runs it at the next start if the machine was off on Sunday. Enable it with `systemctl enable --now nightly-rotate.timer`, and check with `systemctl list-timers`.',
      ),
    ],
  },
  {
    key: 'bayes',
    title: '贝叶斯公式到底在说什么',
    daysAgo: 23,
    hour: 21,
    lines: [
      you('体检有一项是阳性，医生说这个检查准确率 99%，可又说我多半没病。为什么？'),
      thoughtful(
        '这是基础比率的问题。需要一个患病率，用千分之一举例。用一万人来数最直观，然后再写公式，让两者对得上。',
        '因为「准确率 99%」回答的是「有病的人里多少会呈阳性」，而你想问的是「呈阳性的人里多少真有病」。中间差了一样东西：这种病有多少见。',
        '',
        '假设一千个人里只有一个人得病，拿一万人来数：',
        '',
        '- 真有病的 10 人，检查出约 10 个阳性；',
        '- 没病的 9990 人，误报 1%，也就是约 100 个阳性。',
        '',
        '110 个阳性里只有 10 个真的有病，大约 9%。写成公式就是',
        '',
        '$$P(\\text{病} \\mid +) = \\frac{P(+ \\mid \\text{病})\\,P(\\text{病})}{P(+)} = \\frac{0.99 \\times 0.001}{0.99 \\times 0.001 + 0.01 \\times 0.999} \\approx 0.09$$',
        '',
        '所以医生让你复查：第二次再呈阳性，概率就从 9% 跳到约 90%。',
      ),
      you('第二次为什么一下子就到 90% 了？'),
      answer(
        '因为第二次检查的起点不再是千分之一，而是第一次留给你的 9%。同样的公式，把 $P(\\text{病})$ 换成 0.09：',
        '',
        '$$\\frac{0.99 \\times 0.09}{0.99 \\times 0.09 + 0.01 \\times 0.91} \\approx 0.91$$',
        '',
        '前提是两次误报互不相干。如果误报是因为你体内某种特别的蛋白，再测一百次也还是阳性，这时要换一种检查方法。',
      ),
    ],
  },
  {
    key: 'sourdough',
    title: 'Sourdough that stays flat',
    daysAgo: 38,
    hour: 9,
    head: 4,
    lines: [
      you(
        'My sourdough spreads like a pancake. 500 g flour, 400 g water, 100 g starter, 10 g salt, overnight on the counter.',
      ),
      answer(
        'Two suspects. Your dough is wet: 400 g on 500 g of flour, plus what is in the starter, is about 82 % hydration. And overnight on the counter is long: above 22 °C it is over-proofed by morning, and a tired dough cannot hold its shape.',
        '',
        'Change one thing at a time. First put it in the fridge after two hours on the counter and bake it the next day.',
      ),
      you('How do I know when it has proofed enough?'),
      answer(
        'Press it with a wet finger, about a centimetre deep.',
        '',
        '- Springs back at once: too early.',
        '- Comes back slowly and leaves a small dent: bake it now.',
        '- The dent stays: too late. Make focaccia, it forgives everything.',
        '',
        'And do not look at the clock, look at the dough. In a kitchen at 26 °C it is done in half the time it takes at 20 °C.',
      ),
      after(
        1,
        answer(
          'That is a very wet dough for a beginner. Go down to 340 g of water (70 %) and keep everything else. Once you get a round loaf, go up again by 10 g at a time.',
        ),
      ),
    ],
  },
  {
    key: 'react-list',
    title: 'React 长列表滚动卡顿',
    daysAgo: 61,
    hour: 14,
    workDir: '/home/sam/code/notes',
    lines: [
      you(
        '笔记列表有五千条，滚动的时候明显掉帧。每一项里有标题、两行预览和标签。已经加了 React.memo，没什么用。',
      ),
      answer(
        '五千个节点同时在页面上，`memo` 省下的是重新渲染，省不下布局和绘制。该做的是只渲染看得见的那几十条，也就是虚拟列表：',
        '',
        '```tsx',
        "import { VList } from 'virtua';",
        '',
        'export function NoteList({ notes }: { notes: readonly Note[] }) {',
        '  return (',
        "    <VList style={{ height: '100%' }}>",
        '      {notes.map((note) => (',
        '        <NoteRow key={note.id} note={note} />',
        '      ))}',
        '    </VList>',
        '  );',
        '}',
        '```',
        '',
        '另外两点容易忽略：预览文字不要在渲染时截断，存的时候就截好；标签的颜色不要每次都 `new Map()` 去算。',
      ),
      you('换了以后好多了。但是按 Ctrl+F 搜不到没渲染的内容，怎么办？'),
      answer(
        '这是虚拟列表的代价，浏览器只能搜到页面上有的字。常见做法是接管 Ctrl+F，弹出自己的搜索框，在数据里找，找到后滚动到那一条并高亮。记得让 Esc 能关掉它，并且连按两次 Ctrl+F 时放行浏览器自带的搜索。',
      ),
    ],
  },
  {
    key: 'launch-copy',
    title: 'Launch copy in English and 中文',
    daysAgo: 88,
    hour: 11,
    lines: [
      you(
        'We launch a note-taking app in both markets. English line: "Write it down. Find it again." 中文要怎么写才不像翻译腔？',
      ),
      answer(
        'The English works because both halves are short imperatives. A literal version, 「写下来，再找到它」, keeps the words and loses the ease. Three that a Chinese copywriter might have written first:',
        '',
        '1. **记得住，找得到。** Same two beats, and 记 means both *to note* and *to remember*.',
        '2. **随手一记，随时找到。** Softer, for daily use.',
        '3. **写过的，都在。** The shortest. It promises that nothing is lost, which is what people really worry about.',
        '',
        'I would take the first for the poster and the third for the empty state inside the app.',
      ),
      you('第一个好。那英文的 empty state 呢？'),
      answer(
        'For the empty state: **"Nothing here yet. Everything you write will be."** It says the same as 「写过的，都在。」 and turns an empty page into a promise.',
      ),
    ],
  },
  {
    key: 'mortgage',
    title: 'Mortgage: twenty years or thirty',
    daysAgo: 119,
    hour: 19,
    lines: [
      you('We want to borrow 300,000 at 3.6 % fixed. What is the real difference between 20 and 30 years?'),
      answer(
        'The monthly rate follows from',
        '',
        '$$m = P \\cdot \\frac{i}{1 - (1 + i)^{-n}}$$',
        '',
        'with $P = 300{,}000$, $i = 0.036 / 12 = 0.003$ and $n$ the number of months:',
        '',
        '| | 20 years | 30 years |',
        '|---|---:|---:|',
        '| per month | 1,755 | 1,364 |',
        '| paid in all | 421,280 | 491,017 |',
        '| interest | 121,280 | 191,017 |',
        '',
        'Ten more years make each month 391 easier and the whole 69,737 dearer. A common middle way is the thirty-year contract with the right to overpay: you choose the low rate for bad years and pay as if it were twenty in good ones. Ask what overpaying costs; some banks allow 5 % a year for free.',
      ),
      you('Our bank allows 10 % a year without a fee. So thirty it is, and we overpay.'),
    ],
  },
  {
    key: 'backup',
    title: '家里 NAS 和数据库的备份计划',
    daysAgo: 154,
    hour: 22,
    pinned: true,
    lines: [
      you('家里的 NAS 上有照片和一个记账用的 PostgreSQL，想好好做一次备份，别等硬盘坏了才后悔。'),
      answer(
        '记住 3-2-1：三份数据，两种介质，一份不在家里。对你来说可以这样落实：',
        '',
        '- 数据库每天凌晨三点用 `pg_dump` 导出，保留最近十四天；',
        '- 照片每周日用 `restic` 增量备份到移动硬盘，备完拔掉，放进抽屉；',
        '- 每个月把加密后的 `restic` 仓库同步到云上的对象存储。',
        '',
        '```cron',
        '0 3 * * *  pg_dump -Fc ledger > /backup/ledger-$(date +\\%F).dump',
        '0 4 * * 0  restic -r /mnt/usb/restic backup /volume1/photos',
        '0 5 1 * *  rclone sync /mnt/usb/restic remote:restic',
        '```',
        '',
        '最重要的一步常常被忘掉：每季度真的恢复一次。没有恢复过的备份只是一个愿望。',
      ),
      you('密码忘了是不是就全没了？'),
      answer(
        '是的，`restic` 的仓库没有密码谁也打不开。把密码写在纸上，封进信封，和房产证放在一起，再告诉一个家里人信封在哪里。',
      ),
    ],
  },
  {
    key: 'review',
    title: 'Telling a colleague that the draft is not ready',
    daysAgo: 203,
    hour: 16,
    lines: [
      you(
        'Mara sent me her proposal for the quarterly review. It is long and the main point comes on page six. She is proud of it. How do I say it?',
      ),
      answer(
        'Say what you understood, where you understood it, and what you need. All three are facts about you as a reader, so there is nothing to defend against:',
        '',
        '> Thanks, I read it this morning. The point that convinced me is on page six: we lose a third of new users in the import step. If I had known that on page one, I would have read the rest differently. Could you open with it, and move the history into an appendix? I am happy to read it again on Thursday.',
        '',
        'It names the strongest part first and means it, asks for one change rather than ten, and offers your time. Leave out "great work, but".',
      ),
      you('She took it well. Page one now has the number and a chart.'),
    ],
  },
  {
    key: 'phone',
    title: '给妈妈挑一部手机',
    daysAgo: 266,
    hour: 12,
    lines: [
      you('妈妈六十五岁，想换手机。主要是视频通话、看小说、拍花。预算两千以内，字一定要大。'),
      answer(
        '按她的用法，重要性从高到低是：屏幕大而亮、扬声器响、续航够一整天、拍照对焦快。处理器反而不用太在意。挑的时候注意三点：',
        '',
        '1. 屏幕 6.6 英寸以上，户外亮度看峰值，公园里拍花才看得清；',
        '2. 双扬声器，视频时不用贴着耳朵；',
        '3. 系统带「长辈模式」，图标和字一起放大，还能拦截诈骗电话。',
        '',
        '买回来先替她做好几件事：字号调到最大再退一格，把家里人的视频通话放到桌面第一屏，关掉所有自动续费。',
      ),
      you('她老是误触广告，有办法吗？'),
      answer(
        '有。看小说换成没有广告的阅读器，把常看的书下载到本地；浏览器设成默认屏蔽弹窗；应用商店里关掉「未知来源安装」。剩下的，耐心教她认右上角那个小小的叉。',
      ),
    ],
  },
  {
    key: 'bicycle',
    title: 'Disc brakes that squeal in the rain',
    daysAgo: 338,
    hour: 18,
    archived: true,
    lines: [
      you('My bicycle has disc brakes and they scream as soon as it rains. The pads are new.'),
      answer(
        'New pads and water: most likely they were never bedded in, or something oily got on the rotor. In this order:',
        '',
        '1. Wipe the rotor with isopropyl alcohol and a clean cloth. Do not touch it with your fingers afterwards.',
        '2. Take the pads out and rub them on fine sandpaper until the shine is gone.',
        '3. Bed them in: twenty firm stops from 20 km/h to walking pace, without locking the wheel.',
        '',
        'If it still screams, look whether the caliper is centred: loosen its two bolts, pull the lever, and tighten them while you hold it.',
      ),
      you('Step 2 did it. The pads were like glass.'),
    ],
  },
];

/** Makes the sample conversations, dated back from `now` (ms since 1970). Their ids in the source never change. */
export function sampleConversations(now: number): ImportedConversation[] {
  return SAMPLES.map((sample) => {
    const midnight = Math.floor((now - sample.daysAgo * DAY) / DAY) * DAY;
    const start = midnight + sample.hour * 60 * MINUTE;
    const id = (number: number) => `${sample.key}-${number}`;
    const messages = sample.lines.map(({ after: parent, ...line }, at): ImportedMessage => {
      const above = parent ?? at;
      return {
        ...line,
        id: id(at + 1),
        sourceId: id(at + 1),
        parentId: above === 0 ? null : id(above),
        kind: 'message',
        createdAt: start + at * 2 * MINUTE,
        ...(line.role === 'assistant' ? { model: MODEL } : {}),
      };
    });
    return {
      source: { tool: TOOL, id: sample.key },
      meta: {
        title: sample.title,
        titleBy: 'import',
        createdAt: start,
        pinned: sample.pinned ?? false,
        archived: sample.archived ?? false,
        workDir: sample.workDir ?? null,
        sample: true,
      },
      head: id(sample.head ?? sample.lines.length),
      messages,
      ...(sample.checkpoint ? { checkpoints: { [sample.checkpoint[0]]: id(sample.checkpoint[1]) } } : {}),
    };
  });
}
