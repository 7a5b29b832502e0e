// Documents of every kind, made up here: what is in them comes out with its place, and what cannot be
// read is refused with the right reason.
import { describe, expect, it } from 'vitest';
import { cmapIn, packCmaps } from '../../../src/adapters/extractors/cmaps.ts';
import { EXTRACT_LIMITS } from '../../../src/adapters/extractors/extractor.ts';
import { documentType } from '../../../src/adapters/extractors/index.ts';
import { openPackage } from '../../../src/adapters/extractors/zip-package.ts';
import {
  bookFile,
  CHINESE_FONT,
  excelFile,
  openDocumentFile,
  PROTECTED,
  pdfFile,
  slidesFile,
  wordFile,
  wordParagraph,
  zipOf,
} from '../../fixtures/documents.ts';
import { runs } from '../../scale.ts';
import { describeExtractor, extracted, sectionsOf } from '../../suites/extractor.suite.ts';

const text = (words: string) => new TextEncoder().encode(words);
const LETTER = [
  [
    { text: 'Insurance', size: 20, y: 780 },
    { text: 'The policy covers water dam-', y: 740 },
    { text: 'age up to 40,000 euros.', y: 726 },
    { text: 'It does not cover floods.', y: 690 },
  ],
  [{ text: 'Claims go to Ms. Okafor.', y: 780 }],
];

describe('a PDF', () => {
  describeExtractor('a.pdf', async () => pdfFile(LETTER));

  it('gives page after page; lines are put together, and what is tall is a heading', async () => {
    expect(await sectionsOf('a.pdf', pdfFile(LETTER))).toEqual([
      'page 1: ## Insurance\n\nThe policy covers water damage up to 40,000 euros.\n\nIt does not cover floods.',
      'page 2: Claims go to Ms. Okafor.',
    ]);
  });

  it('is read where it names a Chinese character map that it does not bring along', async () => {
    const file = pdfFile([[{ text: 'd6d0b9fad2f8d0d0', y: 700 }]], { font: CHINESE_FONT });
    expect(await sectionsOf('账单.pdf', file)).toEqual(['page 1: 中国银行']);
  });

  it('without words, with a password, or that is none, is refused for what it is', async () => {
    expect(await extracted('scan.pdf', pdfFile([[], []]))).toMatchObject({ ok: false, reason: 'noText' });
    expect(await extracted('a.pdf', pdfFile(LETTER, { trailer: PROTECTED }))).toMatchObject({
      reason: 'encrypted',
    });
    expect(await extracted('a.pdf', text('no PDF at all'))).toMatchObject({ reason: 'damaged' });
  });

  it('of hundreds of pages is read whole', async () => {
    const count = runs(500, 120);
    const pages = Array.from({ length: count }, (_, at) => [{ text: `This is page ${at + 1}.`, y: 700 }]);
    const sections = await sectionsOf('long.pdf', pdfFile(pages));
    expect(sections).toHaveLength(count);
    expect(sections.at(-1)).toBe(`page ${count}: This is page ${count}.`);
  });
});

describe('a Word file', () => {
  describeExtractor('a.docx', () => wordFile());

  it('gives the pages that Word noted, with headings, lists, tables and footnotes, and without what was deleted', async () => {
    expect(await sectionsOf('a.docx', await wordFile())).toEqual([
      'page 1: # Lease agreement\n\nThe rent is 1,250 euros, due on the third working day.\n\nNotice is three months[^2]\n\n[^2]: From the end of a quarter.',
      'page 2: # Repairs\n\n- the landlord: the roof\n\n- the tenant: the sink\n\n| Room | Area |\n| --- | --- |\n| 厨房 | 12 \\| 3 |',
    ]);
  });

  it('is parted at its headings where no page was noted', async () => {
    const heading = (words: string) => wordParagraph(words, '<w:outlineLvl w:val="0"/>');
    const body = [heading('One'), wordParagraph('first'), heading('Two'), wordParagraph('second')].join('');
    expect(await sectionsOf('a.docx', await wordFile(body))).toEqual([
      'section One: # One\n\nfirst',
      'section Two: # Two\n\nsecond',
    ]);
  });

  it('keeps the notes at its end beside those at the foot of a page', async () => {
    const body = `<w:p><w:r><w:t>As Ibn Sina says</w:t></w:r><w:r><w:endnoteReference w:id="2"/></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
    expect(await sectionsOf('a.docx', await wordFile(body))).toEqual([
      'As Ibn Sina says[^e2][^2]\n\n[^e2]: Canon, book one.\n\n[^2]: From the end of a quarter.',
    ]);
  });

  it('of Word 97, or with a password, is refused with what to do', async () => {
    const compound = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    const name = [...'EncryptedPackage'].flatMap((letter) => [letter.charCodeAt(0), 0]);
    expect(await extracted('old.doc', new Uint8Array(compound))).toMatchObject({ reason: 'oldFormat' });
    expect(await extracted('new.docx', new Uint8Array([...compound, 69, 1, ...name]))).toMatchObject({
      reason: 'encrypted',
    });
  });
});

describe('an Excel file', () => {
  describeExtractor('a.xlsx', () => excelFile());

  it('gives sheets as tables with the range of cells; dates, shares and results as they are shown', async () => {
    expect(await sectionsOf('a.xlsx', await excelFile())).toEqual([
      'sheet Costs A1:C5: | Item | Paid | Share |\n| --- | --- | --- |\n| Boiler | 2025-12-01 | 12.5% |\n| Boiler! |  | TRUE |',
      'sheet 预算 A3:B3: |  | 水费 |\n| --- | --- |',
    ]);
  });

  it('gives a formula where no result of it was stored', async () => {
    const row =
      '<row r="1"><c r="A1"><v>7</v></c><c r="B1"><f>A1*1.19</f><v></v></c><c r="C1"><f>A1</f><v>7</v></c></row>';
    expect(await sectionsOf('a.xlsx', await excelFile({ A: row }))).toEqual([
      'sheet A A1:C1: | 7 | =A1*1.19 | 7 |\n| --- | --- | --- |',
    ]);
  });

  it('that is long comes in pieces, each under the head of its columns', async () => {
    const rows = Array.from(
      { length: 400 },
      (_, at) =>
        `<row r="${at + 1}"><c r="A${at + 1}" t="inlineStr"><is><t>${at === 0 ? 'Number' : `item ${at}`}</t></is></c></row>`,
    ).join('');
    const sections = await sectionsOf('a.xlsx', await excelFile({ Long: rows }));
    expect(sections.length).toBeGreaterThan(3);
    expect(sections[1]).toMatch(/^sheet Long A\d+:A\d+: \| Number \|\n\| --- \|\n\| item \d+ \|/);
    expect(sections.at(-1)).toContain('| item 399 |');
  });
});

describe('slides, books and texts of other programs', () => {
  describeExtractor('a.pptx', slidesFile);
  describeExtractor('a.epub', () => bookFile());
  describeExtractor('a.odt', () => openDocumentFile());

  it('slides come in the order in which they are shown, with tables and notes', async () => {
    expect(await sectionsOf('a.pptx', await slidesFile())).toEqual([
      'slide 1: ## Roadmap\n\nLighthouse by March',
      'slide 2: ## Money\n\n| Quarter | Sum |\n| --- | --- |\n| Q3 | 48,000 |\n\nNotes: Ask Marta for the figures',
    ]);
  });

  it('chapters come by the names of the table of contents', async () => {
    expect(await sectionsOf('a.epub', await bookFile())).toEqual([
      'chapter The harbour: The Marigold lay at anchor.',
      'chapter The storm: # II\n\nAt night\nthe wind rose.',
    ]);
  });

  it('a chapter is read to its end, whatever is empty in it', async () => {
    const page =
      '<html><head><title/><script src="a.js"/></head><body><p>Before <a id="p2"/>it.</p><div><object data="a.mp4"/><p>Behind it.</p></div></body></html>';
    expect(await sectionsOf('a.epub', await bookFile({ 'OEBPS/one.xhtml': page }))).toEqual([
      'chapter The harbour: Before it.\n\nBehind it.',
      expect.any(String),
    ]);
  });

  it('a book that is protected is refused; one whose fonts alone are is not', async () => {
    const sealed = (algorithm: string) =>
      bookFile({
        'META-INF/encryption.xml': `<encryption><EncryptionMethod Algorithm="${algorithm}"/></encryption>`,
      });
    expect(
      await extracted('a.epub', await sealed('http://www.w3.org/2001/04/xmlenc#aes128-cbc')),
    ).toMatchObject({
      reason: 'encrypted',
    });
    expect(await extracted('a.epub', await sealed('http://www.idpf.org/2008/embedding'))).toMatchObject({
      ok: true,
    });
  });

  it('an OpenDocument text is parted at its headings', async () => {
    expect(await sectionsOf('a.odt', await openDocumentFile())).toEqual([
      'section Garden: # Garden\n\nPlant  in April.\n\n- beans',
      'section Orchard: # Orchard\n\nPrune in February.',
    ]);
    const text =
      '<text:p>Rent<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Cold.</text:p></text:note-body></text:note> is due.<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p><text:list><text:list-header><text:p>Tools</text:p></text:list-header><text:list-item><text:p>spade</text:p></text:list-item></text:list>';
    expect(await sectionsOf('a.odt', await openDocumentFile('', text))).toEqual([
      'Rent[^1] is due.\n\n[^1]: Cold.\n\nIn a box\n\nTools\n\n- spade',
    ]);
    expect(await extracted('a.odt', await openDocumentFile('<manifest:encryption-data/>'))).toMatchObject({
      reason: 'encrypted',
    });
  });
});

describe('pages and tables of text', () => {
  const PAGE =
    '<html><head><title>Recipes</title><style>p{}</style></head><body><nav>Home</nav><h1>Bread</h1><p>Bake at <b>230</b>&nbsp;°C.</p><ul><li>flour<ol><li>rye</li></ol></li><li>salt</li></ul><script>alert(1)</script><h2>Soup</h2><pre>a\n  b</pre><table><tr><th>Leek</th><td>2</td></tr></table></body></html>';
  describeExtractor('a.html', async () => text(PAGE));
  describeExtractor('a.csv', async () => text('a,b\n1,2\n'));

  it('HTML gives what people read of it, under its headings', async () => {
    expect(await sectionsOf('a.html', text(PAGE))).toEqual([
      'Recipes',
      'section Bread: # Bread\n\nBake at 230 °C.\n\n- flour\n  1. rye\n- salt',
      'section Soup: ## Soup\n\n```\na\n  b\n```\n\n| Leek | 2 |\n| --- | --- |',
    ]);
  });

  it('words stand apart in headings and cells, and what no one reads stays out of them', async () => {
    const page =
      '<h1>Bread<br>and soup</h1><p>x</p><table><tr><td>Salt</td><td><p>one<br>spoon</p><ul><li>sea</li><li>rock</li></ul><style>td{}</style></td></tr></table>';
    expect(await sectionsOf('a.html', text(page))).toEqual([
      'section Bread and soup: # Bread and soup\n\nx\n\n| Salt | one spoon - sea - rock |\n| --- | --- |',
    ]);
  });

  it('values are read by whatever parts them, with quotes, in the encoding they are in', async () => {
    expect(await sectionsOf('a.csv', text('name;note\n"Li; Wei";"said ""yes""\nand left"\n'))).toEqual([
      'rows 1–2: | name | note |\n| --- | --- |\n| Li; Wei | said "yes" and left |',
    ]);
    const gbk = new Uint8Array([
      0xd0, 0xd5, 0xc3, 0xfb, 0x2c, 0xb5, 0xd8, 0xd6, 0xb7, 0x0a, 0xc0, 0xee, 0x2c, 0xb1, 0xb1, 0xbe, 0xa9,
    ]);
    expect((await sectionsOf('客户.csv', gbk))[0]).toContain('| 姓名 | 地址 |');
    const latin = Uint8Array.from('Café;Zürich\nnaïve;1', (letter) => letter.charCodeAt(0));
    expect((await sectionsOf('a.csv', latin))[0]).toContain('| Café | Zürich |');
  });
});

it('words keep together where a reading stands above them, and the reading is left out', async () => {
  const ruby = (words: string, reading: string, prefix = 'w') =>
    `<${prefix}:ruby><${prefix}:rt><w:r><w:t>${reading}</w:t></w:r></${prefix}:rt><${prefix}:rubyBase><w:r><w:t>${words}</w:t></w:r></${prefix}:rubyBase></${prefix}:ruby>`;
  const word = `<w:p><w:r><w:t>住在</w:t></w:r><w:r>${ruby('重庆', 'chóngqìng')}</w:r></w:p>`;
  expect(await sectionsOf('a.docx', await wordFile(word))).toEqual(['住在重庆']);
  const web = '<p>住在<ruby>重<rp>(</rp><rt>chóng</rt><rp>)</rp>庆<rt>qìng</rt></ruby></p>';
  expect(await sectionsOf('a.html', text(web))).toEqual(['住在重庆']);
  const openText =
    '<text:p>住在<text:ruby><text:ruby-base>重庆</text:ruby-base><text:ruby-text>chóngqìng</text:ruby-text></text:ruby></text:p>';
  expect(await sectionsOf('a.odt', await openDocumentFile('', openText))).toEqual(['住在重庆']);
  const cells =
    '<row r="1"><c r="A1" t="inlineStr"><is><t>重庆</t><rPh sb="0" eb="2"><t>chóngqìng</t></rPh></is></c></row>';
  expect(await sectionsOf('a.xlsx', await excelFile({ A: cells }))).toEqual([
    'sheet A A1:A1: | 重庆 |\n| --- |',
  ]);
});

describe('bounds', () => {
  it('what a file would unpack to is added up before anything is unpacked, and a liar is caught while it is', async () => {
    const bomb = await zipOf({ 'word/document.xml': 'a'.repeat(500_000) });
    await expect(openPackage(bomb, { unpacked: 100_000, entry: 100_000, entries: 10 })).rejects.toMatchObject(
      {
        reason: 'tooLarge',
      },
    );
    const zip = await openPackage(bomb, { unpacked: 1_000_000, entry: 100_000, entries: 10 });
    await expect(zip.text('word/document.xml')).rejects.toMatchObject({ reason: 'tooLarge' });
    // The sizes in the directory are made small: what comes out is counted all the same.
    const liar = bomb.slice();
    const view = new DataView(liar.buffer);
    for (let at = 0; at + 4 < liar.length; at += 1)
      if (view.getUint32(at, true) === 500_000) view.setUint32(at, 500, true);
    const lying = await openPackage(liar, { unpacked: 100_000, entry: 100_000, entries: 10 });
    await expect(lying.text('word/document.xml')).rejects.toThrow();
  });

  it('what is nested without end is refused, and entities of its own mean nothing', async () => {
    const deep = '<w:p>'.repeat(EXTRACT_LIMITS.depth + 10);
    expect(await extracted('a.docx', await wordFile(deep))).toMatchObject({ ok: false, reason: 'damaged' });
    const laughs =
      '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><html><body><p>&b; fine</p></body></html>';
    expect((await sectionsOf('a.html', text(laughs))).join('')).toContain('fine');
  });

  it('more words than are kept are cut, and it says so', async () => {
    const result = await extracted('a.html', text(`<p>${'word '.repeat(EXTRACT_LIMITS.text / 4)}</p>`));
    expect(result).toMatchObject({ ok: true, extract: { cut: true } });
    if (result.ok) expect(result.extract.sections[0]?.text.length).toBe(EXTRACT_LIMITS.text);
  });

  it('a package without words, and one that is another thing than its name says, are refused', async () => {
    expect(await extracted('a.docx', await wordFile(wordParagraph(' ')))).toMatchObject({ reason: 'noText' });
    expect(await extracted('a.docx', await zipOf({ 'a.txt': 'a' }))).toMatchObject({ reason: 'damaged' });
    expect(await extracted('a.docx', await zipOf({ 'word/document.xml': 'a' }, 'secret'))).toMatchObject({
      reason: 'encrypted',
    });
  });
});

it('a document is known by its ending, else by its type', () => {
  expect(documentType('Plan.PDF', '')).toBe('application/pdf');
  expect(documentType('plan', 'application/pdf')).toBe('application/pdf');
  expect(documentType('old.xls', 'application/vnd.ms-excel')).toBe('application/x-ole-storage');
  expect(documentType('notes.txt', 'text/plain')).toBeNull();
  expect(documentType('a.md', 'text/markdown')).toBeNull();
});

it('character maps come out of their file as they went in', () => {
  const packed = packCmaps(
    new Map([
      ['A', new Uint8Array([1, 2])],
      ['B-H', new Uint8Array([3])],
    ]),
  );
  expect(cmapIn(packed, 'B-H')).toEqual(new Uint8Array([3]));
  expect(cmapIn(packed, 'C')).toBeNull();
});
