// Short questions, each with a message of a chat history, labelled by hand: does the message answer the question, or at
// least belong to it? Everyday life and programming; English, Chinese and both mixed. Unrelated pairs share a topic or
// a word, as the best results do when a search finds nothing. All written for this project.

interface CalibrationPair {
  readonly query: string;
  readonly passage: string;
  readonly related: boolean;
  readonly language: 'en' | 'zh' | 'mixed';
}

const pair = (query: string, passage: string, related: boolean): CalibrationPair => {
  const han = [query, passage].map((text) => /\p{sc=Han}/u.test(text));
  const latin = [query, passage].map((text) => /\b[a-z]+ [a-z]+\b/.test(text));
  const language = !han.includes(true) ? 'en' : latin.includes(true) ? 'mixed' : 'zh';
  return { query, passage, related, language };
};
const yes = (query: string, passage: string): CalibrationPair => pair(query, passage, true);
const no = (query: string, passage: string): CalibrationPair => pair(query, passage, false);

export const CALIBRATION_PAIRS: readonly CalibrationPair[] = [
  yes(
    'Where did we go on holiday last summer?',
    'The week in Lisbon in July was lovely, we took the old tram every day.',
  ),
  yes(
    'What is my sister allergic to?',
    'Careful with the cake: Anna gets a rash from hazelnuts, my sister always did.',
  ),
  yes(
    'What did the doctor say about my knee?',
    'Back from the clinic. No surgery, six weeks of exercises and then another scan of the knee.',
  ),
  yes(
    'Which book did you recommend for learning chess?',
    'For a beginner I would take Silman’s endgame course, it explains chess plainly.',
  ),
  yes('When is the rent due?', 'The landlord wants the rent on the third of each month, by bank transfer.'),
  yes(
    'How do I get the red wine stain out?',
    'Salt first, then cold sparkling water; after an hour wash the tablecloth as usual and the wine is gone.',
  ),
  yes(
    'Why was the trip to Oslo cancelled?',
    'There was a strike at the airport, so we never flew to Norway.',
  ),
  yes(
    'Why does the login test fail on the build server?',
    'The login test times out there because the clock of the CI machine runs two minutes behind and the token is not valid yet.',
  ),
  yes(
    'How do we back up the database?',
    'Every night at three pg_dump writes a dump of Postgres, which is copied to the other building.',
  ),
  yes(
    'How can I cancel a fetch request?',
    'Pass the signal of an AbortController to fetch and call abort() when the component goes away.',
  ),
  yes(
    'What was slow in the search endpoint?',
    'Profiling showed a missing index: the query scanned all rows, with the index it takes 4 ms.',
  ),
  yes(
    'Which port does the proxy listen on?',
    'nginx forwards 8443 to the app, so open 8443 in the firewall.',
  ),
  yes('我上次去日本是什么时候？', '去年四月我在京都待了五天，樱花正好开了。'),
  yes('妈妈喜欢吃什么？', '给我妈过生日，点了她最爱的清蒸鲈鱼和糯米藕。'),
  yes('你推荐我看哪部电影？', '如果想轻松一点，可以看《海蒂和爷爷》，画面很美。'),
  yes('怎么缓解失眠？', '睡前一小时不看手机，泡泡脚，再做十分钟深呼吸，会更容易睡着。'),
  yes('面试是哪一天？', '人事刚打来电话，约我下周二上午十点去公司面试。'),
  yes('数据库怎么备份？', '每天凌晨三点把数据库导出，然后同步到另一台机器上。'),
  yes('为什么页面加载这么慢？', '首屏要下载六兆的脚本，拆包并懒加载图表之后快了三秒。'),
  yes('怎么撤销上一次提交？', '用 git reset --soft HEAD~1，改动会保留在暂存区。'),
  yes(
    'React 组件为什么一直重新渲染？',
    'useEffect 的依赖里放了每次新建的对象，所以无限循环，用 useMemo 包一下就好。',
  ),
  yes('docker 容器连不上 Postgres', '容器里的 localhost 是它自己，要把 host 改成 compose 里的服务名 db。'),
  yes('what was the plan for the 中秋节 dinner', '中秋节那天晚上去外婆家吃饭，我们带月饼和水果。'),
  yes(
    '上次说的 rate limit 是多少',
    'The API allows 60 requests a minute per key, after that it answers 429.',
  ),

  no(
    'Where did we go on holiday last summer?',
    'Summer sale: the linen shirts are thirty percent off until Sunday.',
  ),
  no('What is my sister allergic to?', 'My sister starts her new job at the library in May.'),
  no(
    'What did the doctor say about my knee?',
    'Please remind me to renew the health insurance before the end of the year.',
  ),
  no(
    'Which book did you recommend for learning chess?',
    'I returned all the books to the library yesterday, no fines this time.',
  ),
  no('When is the rent due?', 'We painted the kitchen of the flat in a light yellow.'),
  no('How do I get the red wine stain out?', 'For six guests two bottles of red wine should be enough.'),
  no('Why was the trip to Oslo cancelled?', 'My passport arrived by mail, valid for ten years.'),
  no(
    'Why does the login test fail on the build server?',
    'Let us move the settings page to the new design next sprint.',
  ),
  no(
    'How do we back up the database?',
    'The column type should be timestamptz, not a string with a date in it.',
  ),
  no('How can I cancel a fetch request?', 'A generic constraint in TypeScript is written with extends.'),
  no(
    'What was slow in the search endpoint?',
    'The logo on the search page should be a little smaller on phones.',
  ),
  no('Which port does the proxy listen on?', 'Rename the branch before you open the pull request.'),
  no('我上次去日本是什么时候？', '我最近在学做寿司，醋饭总是太黏。'),
  no('妈妈喜欢吃什么？', '妈妈昨天把旧沙发卖掉了。'),
  no('你推荐我看哪部电影？', '电影院旁边新开了一家健身房。'),
  no('怎么缓解失眠？', '我买了一张新的书桌，放在卧室窗边。'),
  no('面试是哪一天？', '公司食堂这周换了新的菜单。'),
  no('数据库怎么备份？', '这个表的主键应该用自增整数还是 UUID？'),
  no('为什么页面加载这么慢？', '页面标题的字体改成了思源黑体。'),
  no('怎么撤销上一次提交？', '代码评审约在周四下午，请大家提前看一下文档。'),
  no('React 组件为什么一直重新渲染？', '我们决定用 CSS 变量来做深色主题。'),
  no('docker 容器连不上 Postgres', 'Python 里列表推导式比 map 更容易读。'),
  no('what was the plan for the 中秋节 dinner', '那家餐厅的空调坏了，吃得一身汗。'),
  no('上次说的 rate limit 是多少', 'The speed limit on that road was lowered to thirty.'),
];
