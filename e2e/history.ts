// A little history to bring along, as the export of another app.

/**
 * Text of a ChatGPT export with one conversation for each pair of question and answer, a
 * week apart, the last one a week ago.
 */
export function chatgptHistory(talks: readonly { title: string; turns: readonly string[] }[]): string {
  const week = 7 * 86_400;
  const now = Date.now() / 1000;
  return JSON.stringify(
    talks.map(({ title, turns }, index) => {
      const start = now - (talks.length - index) * week;
      const id = (turn: number) => `talk-${index}-${turn}`;
      const nodes = turns.map((words, turn) => [
        id(turn),
        {
          id: id(turn),
          parent: turn === 0 ? 'root' : id(turn - 1),
          children: turn === turns.length - 1 ? [] : [id(turn + 1)],
          message: {
            id: id(turn),
            author: { role: turn % 2 === 0 ? 'user' : 'assistant', name: null, metadata: {} },
            create_time: start + turn * 60,
            content: { content_type: 'text', parts: [words] },
            status: 'finished_successfully',
            weight: 1,
            recipient: 'all',
            metadata: {},
          },
        },
      ]);
      return {
        title,
        create_time: start,
        update_time: start + turns.length * 60,
        conversation_id: `talk-${index}`,
        current_node: id(turns.length - 1),
        is_archived: false,
        mapping: Object.fromEntries([
          ['root', { id: 'root', parent: null, children: [id(0)], message: null }],
          ...nodes,
        ]),
      };
    }),
  );
}

/** A little history in two languages, each talk about something else. */
export const HISTORY = [
  {
    title: 'Backup of the photos',
    turns: [
      'How often should the photo disk be backed up?',
      'Run restic every night at three; keep thirty daily and twelve monthly snapshots.',
      'And where does the password live?',
      'In the sealed envelope in the kitchen drawer.',
    ],
  },
  {
    title: '数据库备份',
    turns: [
      '数据库什么时候备份？',
      '数据库备份每天凌晨三点执行，保留三十天。',
      '恢复演练多久做一次？',
      '每个季度做一次恢复演练，记录用时。',
    ],
  },
  {
    title: 'Balcony tomatoes',
    turns: [
      'My balcony tomatoes have yellow leaves.',
      'Water them in the morning only and feed them with potassium every second week.',
    ],
  },
  { title: '杭州两日游', turns: ['周末去杭州怎么安排？', '第一天游西湖和灵隐寺，第二天去西溪湿地坐船。'] },
  {
    title: 'Slow orders query',
    turns: [
      'The orders page takes nine seconds.',
      'There is no index on orders.created_at; add one concurrently and run analyze.',
    ],
  },
  {
    title: 'Night train',
    turns: [
      'Can two bicycles travel on the night train to Venice?',
      'Yes, with a reservation; the bicycle carriage is the last one.',
    ],
  },
] as const;
