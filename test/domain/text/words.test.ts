import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageOf } from '../../../src/domain/text/language-stems.ts';
import { dateWords } from '../../../src/domain/text/spellings.ts';
import { queryWords, termsOf, words } from '../../../src/domain/text/words.ts';

const list = (text: string) => words(text).split(' ');
/** How many words of the question are found in the passage. */
const shared = (question: string, passage: string) =>
  queryWords(question)
    .split(' ')
    .filter((word) => list(passage).includes(word)).length;

describe('the search words of a text', () => {
  it('know no stress of Russian', () => {
    expect(list('кафе́ и за́мок')).toEqual(expect.arrayContaining(list('кафе')));
    expect(queryWords('за́мок').split(' ')).toContain('замок');
  });

  it('take no number for a time or a date', () => {
    for (const text of ['1:2:3', '16:9', '3.14h20', '120240305', '25h10', '99991345'])
      expect(list(text).filter((word) => /^(?:day|month)\d|^(?:25x10|14x20)$/.test(word))).toEqual([]);
  });

  it('leave English function words out and share a stem', () => {
    expect(words('How do I configure the connections?')).toBe('configur connect');
    expect(shared('configuring a connection', 'How do I configure the connections?')).toBe(2);
  });

  it('take contractions and possessives apart from their word', () => {
    expect(words("I don’t like Caroline's pottery")).toBe('like carolin potteri');
  });

  it('give an identifier in pieces and whole', () => {
    expect(list('parseHTTPRequest')).toEqual(['pars', 'http', 'request', 'parsehttprequest']);
    expect(list('max_total_tokens')).toEqual(['max', 'total', 'token', 'maxtotaltoken']);
    expect(list('src/adapters/log.ts')).toEqual(
      expect.arrayContaining(['adapt', 'log', 'ts', 'srcadapterslogt']),
    );
    expect(list('v1.2.3')).toContain('v1x2x3');
    expect(list('3.14')).toContain('3x14');
  });

  it('keep numbers', () => {
    expect(list('port 5432 in 2024')).toEqual(['port', '5432', '2024']);
  });

  it('cut Chinese into words and pairs', () => {
    expect(list('数据库备份每天凌晨执行')).toEqual(
      expect.arrayContaining(['数据', '据库', '备份', '凌晨', '执行']),
    );
    expect(shared('什么时候备份数据库', '数据库备份每天凌晨执行')).toBeGreaterThanOrEqual(3);
    expect(shared('什么时候备份数据库', '今天天气很好，我们去公园')).toBe(0);
  });

  it.each([
    ['軟體', '软件'],
    ['資料庫', '数据库'],
    ['網路', '网络'],
    ['程式碼', '代码'],
    ['預設', '默认'],
    ['檔案', '文件'],
    ['伺服器', '服务器'],
    ['滑鼠', '鼠标'],
    ['影片', '视频'],
    ['計程車', '出租车'],
    ['人工智慧', '人工智能'],
    ['紐西蘭', '新西兰'],
  ])('meet in the words of Taiwan and China: %s, %s', (ofTaiwan, ofChina) => {
    expect(shared(ofTaiwan, `我们的${ofChina}很好`)).toBeGreaterThan(0);
    expect(shared(ofChina, `我們的${ofTaiwan}很好`)).toBeGreaterThan(0);
    // The word itself comes first.
    const times = (passage: string) =>
      list(passage).filter((word) => queryWords(ofChina).split(' ').includes(word)).length;
    expect(times(ofChina)).toBeGreaterThan(times(ofTaiwan));
    expect(shared(ofTaiwan, ofTaiwan)).toBeGreaterThan(shared(ofTaiwan, ofChina));
  });

  it('leave words of China and Japan that look the same as they are', () => {
    expect(shared('程序', '解這個方程式')).toBe(0);
    expect(shared('特朗普', '四川普通话')).toBe(0);
    expect(list('登出来的文章')).not.toContain('退出');
    expect(list('档案馆的软体动物')).toEqual(expect.not.arrayContaining(['文件', '软件']));
    expect(list('設定を変更する')).not.toContain('设置');
  });

  it('read texts of mixed languages', () => {
    const mixed = list('用 Docker 部署 PostgreSQL 数据库，版本16');
    expect(mixed).toEqual(
      expect.arrayContaining(['docker', 'sql', 'postgresql', '部署', '数据', '版本', '16']),
    );
    expect(list('東京タワーへ行きたい')).toEqual(expect.arrayContaining(['東京', 'タワ']));
    expect(list('안녕하세요 세계')).toEqual(expect.arrayContaining(['안녕하세요', '안녕', '세계']));
  });

  it('fold full-width and compatibility characters', () => {
    expect(words('ＡＰＩ ﬁle')).toBe('api file');
  });

  it('meet whatever way a date is written', () => {
    for (const date of ['2023-05-02', '2023年5月2日', 'May 2nd, 2023', '2 May 2023', 'the 2nd of May, 2023'])
      expect(list(date)).toEqual(expect.arrayContaining(['day05x02', 'month2023x05']));
    for (const date of ['5月2号', 'May 2', '2nd of May']) expect(list(date)).toContain('day05x02');
    expect(list('May 2023')).toContain('month2023x05');
    expect(words('Sept. 3')).toContain('day09x03');
    expect(dateWords(new Date(2023, 4, 2, 23, 59).getTime())).toBe('day05x02 month2023x05');
    expect(dateWords(0)).toBe('');
    expect(dateWords(Number.NaN)).toBe('');
  });

  it.each([
    ['RTX4090', 'rtx 4090'],
    ['下午三点开会', '15:00'],
    ['晚上八点半', '20:30'],
    ['上午十点一刻', '10:15'],
    ['午後3時', '15:00'],
    ['오후 3시 30분', '15:30'],
    ['第三季度', 'Q3'],
    ['real time', 'realtime'],
    ['ice-cream', 'ice cream'],
    ['$1.5bn', '1,500,000,000'],
    ['5 ft', '5ft'],
    ['a cheque', 'check'],
    ['what I learnt', 'learned'],
    ['paediatrics', 'pediatric'],
    ['anaesthetist', 'anesthetist'],
    ['haemoglobin', 'hemoglobin'],
    ['encyclopaedia', 'encyclopedia'],
    ['leukaemia', 'leukemia'],
    ['our health care plan', 'healthcare'],
    ['healthcare costs', 'health care'],
    ['a new tooth brush', 'toothbrush'],
    ['the life cycle', 'lifecycles'],
    ['the house keeper’s key', 'housekeeper'],
    ['air port transfer', 'airport'],
    ['Hugging Face', 'huggingface'],
    ['Tik Tok', 'TikTok'],
    ['KB5034441', 'kb 5034441'],
    ['1920 × 1080', '1920x1080'],
    ['a 2 x 4 board', '2x4'],
    ['at 7.30pm', '19:30'],
    ['she withdrew', 'withdraw'],
    ['he gave it away', 'giving'],
    ['a rebuilt engine', 'rebuild'],
    ['fuelled', 'fuel'],
    ['skilful', 'skillful'],
    ['bacteria', 'bacterium'],
    ['front-end', 'front end'],
    ['a voice mail', 'voicemails'],
    ['the K8s cluster', 'Kubernetes'],
    ['kubernetes upgrade', 'k8s'],
    ['a11y audit', 'accessibility'],
    ['i18n', 'internationalization'],
    ['iOS 17', 'ios17'],
    ['Python 3.12', 'python3.12'],
    ['GPT-4o', 'gpt4o'],
    ['getUserName', 'getusername'],
    ['iPadOS', 'ipados'],
    ["l'hôtel", 'hotel'],
    ['O’Brien', 'brien'],
    ['AT&T', 'at&t'],
    ['Zürich', 'Zuerich'],
    ['Größe', 'groesse'],
    ['Schlüssel', 'schluessel'],
    ['die Straßenbahnhöfe', 'strassenbahnhoefe'],
    ['um 14h30', '14:30'],
    ['09:05', '9h05'],
    ['at 2:30 pm', '14:30'],
    ['at 3pm', '15:00'],
    ['下午2点半', '14:30'],
    ['下午3点', '15:00'],
    ['scan_20240305.pdf', '2024-03-05'],
    ['20240305', '5 March 2024'],
    ['ёлка', 'елка'],
    ['مُحَمَّد', 'محمد'],
    ['أحمد', 'احمد'],
    ['מַיִם', 'מים'],
    ['soft\u00adhyphen and zero\u200bwidth', 'softhyphen zerowidth'],
    ['+86 138-0013-8000', '13800138000'],
    ['(555) 123-4567', '5551234567'],
    ['1.299,00 €', '1299'],
    ['1\u00a0299,50 €', '1299.5'],
    ['a party 🎉', '🎉'],
    ['thumbs 👍🏽', '👍'],
    ['children and mice', 'child mouse'],
    ['commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it', '9fceb02'],
    ['9FCEB02D0AE598E95DC970B74767F19372D61AF8', '9fceb02d0a'],
    ['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'e3b0c44298fc'],
    ['React.useState returns a pair', 'usestate'],
    ['app/lib/getUserById.ts', 'getuserbyid'],
    ['the analyses of wolves', 'analysis wolf'],
    ['IBAN DE89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
    ['ISBN 978-3-16-148410-0', '9783161484100'],
    ['4111 1111 1111 1111', '4111-1111-1111-1111'],
    ['order 112-1234567-1234567', '11212345671234567'],
    ['110101 1990 0101 1234', '110101199001011234'],
    ['invoice INV-2024-0042', 'INV20240042'],
    ['十月三日开会', '10月3日'],
    ['三月十五号', 'March 15'],
    ['2025년 3월 4일', '2025-03-04'],
    ['am 04.03.2025', '4.3.2025'],
    ['三千五百元', '3500元'],
    ['三千五', '3500'],
    ['一万零三百', '10300'],
    ['五万块', '50,000'],
    ['5万', '50000'],
    ['二十三岁', '23岁'],
    ['10k users', '10,000 users'],
    ['1.5 million', '1500000'],
    ['error 0x80070005', '80070005'],
    ['5 mL of it', '5ml'],
    ['30 mins', '30min'],
    ['30 minutes', '30min'],
    ['24h', '24 hours'],
    ['1TB', '1 terabyte'],
    ['10 kilometres', '10km'],
    ['07911 123456', '07911123456'],
    ['log in', 'login'],
    ['set up', 'setup'],
    ['time zones', 'timezone'],
    ['file names', 'filename'],
    ['VS Code', 'vscode'],
    ['we bought it', 'buy'],
    ['they wrote', 'written'],
    ['it ran', 'running'],
    ['dying', 'die'],
    ['parentheses', 'parenthesis'],
    ['colourful', 'colorful'],
    ['behaviour', 'behaviors'],
    ['centre', 'center'],
    ['organise', 'organize'],
    ['optimisation', 'optimization'],
    ['analyse', 'analyzing'],
    ['defence', 'defense'],
    ['catalogues', 'catalog'],
    ['星期三', '周三'],
    ['下週日', '星期天'],
    ['礼拜五', '星期五'],
    ['打ち合わせ', '打合せ'],
    ['申し込み', '申込'],
    ['取り扱い', '取扱'],
    ['книги', 'книга'],
    ['настройки сервера', 'сервер'],
    ['настройки', 'настройка'],
    ['базы данных', 'база'],
    ['الكتاب', 'كتاب'],
    ['والكتاب', 'كتاب'],
    ['بالعربية', 'العربية'],
    ['للمدرسة', 'مدرسة'],
    ['الشركات', 'شركة'],
    ['the flight leaves', 'leave'],
    ['הבית', 'בית'],
    ['ובבית', 'בית'],
    ['בירושלים', 'ירושלים'],
    ['getUserName', 'username'],
    ['process.env.DB_FILE_NAME', 'filename'],
    ['in the 90’s', '90s'],
    ['iOS 17’s widgets', 'ios 17'],
    ['1_000_000', '1000000'],
    ['1.5M', '1,500,000'],
    ['2B', '2 billion'],
    ['1百万', '1000000'],
    ['am 3. Mai 2024', '2024-05-03'],
    ['3 de mayo de 2024', 'May 3rd'],
    ['le 1er février', 'February 1'],
    ['12 марта 2024', '2024/3/12'],
    ['dezembro de 2024', 'December 2024'],
    ['three statuses', 'status'],
    ['she focused on it', 'focus'],
    ['aliases', 'alias'],
    ['new lenses', 'lens'],
    ['the quizzes', 'quiz'],
    ['接著', '接着'],
    ['瞭解', '了解'],
    ['回覆', '回复'],
    ['憑藉', '凭借'],
    ['彷彿', '仿佛'],
    ['傢俱', '家具'],
    ['黒い', '黑い'],
    ['徒歩', '徒步'],
    ['衞生', '衛生'],
  ])('meet however they are written: %s, %s', (one, other) => {
    expect(shared(other, one)).toBeGreaterThan(0);
    expect(shared(one, other)).toBeGreaterThan(0);
  });

  it.each([
    ['promise', 'promize'],
    ['exercise', 'exercize'],
    ['expertise', 'expertize'],
    ['four hours', 'for'],
    ['一周三次', '星期三'],
    ['every day', 'everyday'],
    ['it may be so', 'maybe'],
    ['לך', 'מלך'],
    ['وقت', 'قت'],
    ['50 MB', '50,000,000'],
  ])('do not meet what only looks alike: %s, %s', (one, other) => {
    expect(shared(other, one)).toBe(0);
  });

  it.each([
    [
      'Où as-tu acheté mes billets ?',
      'Hier je voulais acheter un billet, mais les guichets sont fermés.',
      'achet',
    ],
    ['Quand part notre cheval ?', 'Nous avons vu les chevaux dans le pré.', 'cheval'],
    ['Gdzie są moje bilety?', 'Kupiłem dwa bilety do Krakowa.', 'bilet'],
    ['Kiedy kupiłam książkę?', 'W sobotę kupił książki dla mamy.', 'ksiazk'],
    ['Kitabım nerede?', 'Kitaplarımı rafta bıraktım ve unuttum.', 'kitap'],
    ['Randevum ne zaman?', 'Doktor bana salı günü için randevu verdi.', 'randev'],
    ['Missä lääkäri on?', 'Kävin eilen lääkärissä ja sain reseptin.', 'laakar'],
    ['Milloin menemme kauppaan?', 'Kaupassa oli tänään paljon ihmisiä ja meteliä.', 'kaup'],
    ['Wo sind meine Bücher?', 'Ich habe das Buch im Regal gefunden.', 'buch'],
    ['Wann habe ich die Lampe gekauft?', 'Gestern wollte ich noch eine neue Lampe kaufen.', 'kauf'],
    ['¿Dónde están mis billetes?', 'Compré el billete para el tren de las ocho.', 'billet'],
    ['¿Cuándo hablé con el médico?', 'Mañana hay que hablar con los médicos del centro.', 'habl'],
    ['Dove sono i miei libri?', 'Ho lasciato il libro sul tavolo della cucina.', 'libr'],
    ['Onde estão minhas reservas?', 'A reserva do hotel foi feita para uma pessoa, não duas.', 'reserv'],
    ['Waar zijn mijn sleutels?', 'Ik heb de sleutel in de keuken gelegd.', 'sleutel'],
    ['Wanneer heb ik de huur betaald?', 'De huur moet voor het einde van de maand betaald worden.', 'betal'],
    ['Welke huizen hebben wij bekeken?', 'Het huis aan de gracht was niet duur.', 'hui'],
    ['Var är mina nycklar?', 'Jag har lagt nyckeln på bordet i köket.', 'nyckl'],
    ['När betalade jag hyran?', 'Hyran ska betalas på fredag och inte senare.', 'betal'],
    ['Vilken lägenhet såg vi på?', 'Lägenheten på Kungsgatan är för dyr.', 'lagenh'],
  ])('meet in the endings of ten languages: %s', (question, passage, stem) => {
    expect(queryWords(question).split(' ')).toContain(stem);
    expect(list(passage)).toContain(stem);
  });
  it.each([
    'Where are my tickets, and the café in Zürich?',
    'Who was Lech Wałęsa, and what did he do before the strike of the shipyard?',
    'Das Boot and Der Spiegel are German, El País is Spanish.',
    'Los Angeles, El Paso and San José: which one is the nearest to Las Vegas by car?',
    'SELECT la.id FROM les AS la WHERE la.est > 5 ORDER BY la.du, la.name; -- what is it for?',
    '我的票在哪里？',
    'Where is Åre, and how far is it from Malmö?',
    'Vincent van Gogh met Paul Gauguin; dat files have op codes.',
  ])('of other languages are as they were: %s', (text) => expect(languageOf(text)).toBeUndefined());

  it('are letters and digits only, so that any tokenizer splits them alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(words(text)).toMatch(/^$|^[\p{L}\p{M}\p{N}ー]+( [\p{L}\p{M}\p{N}ー]+)*$/u);
        expect(words(text)).toBe(words(text).toLowerCase());
      }),
    );
  });

  it('find a text by any of its own stretches of words', () => {
    const vocabulary = fc.constantFrom(
      'kernel',
      'database',
      'Backup',
      '数据库备份',
      '凌晨',
      'runQuery',
      'tax 2024',
      '—',
      '；',
    );
    fc.assert(
      fc.property(
        fc.array(vocabulary, { minLength: 1, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (parts, a, b) => {
          const from = a % parts.length;
          const question = parts.slice(from, from + 1 + (b % (parts.length - from))).join(' ');
          const passage = new Set(list(parts.join(' ')));
          for (const word of queryWords(question).split(' ').filter(Boolean))
            expect(passage.has(word)).toBe(true);
        },
      ),
    );
  });

  it('stay bounded', () => {
    const huge = 'word '.repeat(100_000) + '数据库'.repeat(100_000);
    const before = process.cpuUsage();
    expect(words(huge).length).toBeLessThan(200_000);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    expect(queryWords(Array.from({ length: 5_000 }, (_, i) => `term${i}`).join(' ')).split(' ')).toHaveLength(
      96,
    );
    expect(words('a'.repeat(500))).toBe('');
  });

  it('ask for each word once', () => {
    expect(queryWords('backup backups backup')).toBe('backup');
  });
});

it('the quick words of a text are words of the index, but for Han across two words', () => {
  const said =
    'Deploy src/net/pool.ts v1.2.3 with readFile, the wolves of O’Brien at 14:30 on café_menu: 部署数据库 ไทย';
  const index = new Set(words(said).split(' '));
  expect(termsOf(said).filter((term) => !index.has(term))).toEqual(
    ['署数', '据库'].filter((pair) => !index.has(pair)),
  );
});
