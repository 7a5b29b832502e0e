// Documents in the composer: read in their own worker, shown while they are, cancelled,
// refused with a reason, opened at a page.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type MessageId, newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import { sourceLine } from '../../../src/domain/chat/files.ts';
import type { Message, RecalledPassage } from '../../../src/domain/chat/message.ts';
import { CHINESE_FONT, excelFile, PROTECTED, pdfFile, wordFile } from '../../fixtures/documents.ts';
import { deep } from '../../scale.ts';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const LEASE = [
  [
    { text: 'Lease', size: 20, y: 780 },
    { text: 'The rent is 1,250 euros, due on the third.', y: 740 },
  ],
  [{ text: 'Notice is three months, in writing.', y: 780 }],
];
const pdf = (name: string, bytes = pdfFile(LEASE)) => new File([bytes], name, { type: 'application/pdf' });

async function started() {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: 'Three months.' };
    },
  });
  await show(app, '/');
  await expect.element(page.getByRole('button', { name: 'Attach files' })).toBeVisible();
  const pick = async (...files: File[]) => {
    const input = document.querySelector<HTMLInputElement>('input[type=file]');
    if (!input) throw new Error('No file input');
    const given = new DataTransfer();
    for (const file of files) given.items.add(file);
    input.files = given.files;
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  return { app, pick };
}

it('takes several at once, and sends their words', async () => {
  const { app, pick } = await started();
  await pick(
    pdf('Lease.pdf'),
    new File([await wordFile()], 'Lease.docx'),
    pdf('账单.pdf', pdfFile([[{ text: 'd6d0b9fad2f8d0d0', y: 700 }]], { font: CHINESE_FONT })),
  );
  const attached = page.getByRole('list', { name: 'Attached files' });
  await expect.element(attached.getByRole('button', { name: '账单.pdf' }).first()).toBeVisible();
  await expect.element(attached.getByRole('button', { name: 'Lease.docx' }).first()).toBeVisible();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the notice?');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('article', { name: 'Answer' })).toHaveTextContent(/Three months/);
  const [entry] = app.documents.library.get().entries;
  if (!entry) throw new Error('No conversation');
  const said = await app.documents.read(entry.id);
  const parts = [...(said?.messages.values() ?? [])].flatMap(({ parts }) => parts);
  expect(
    parts.flatMap((part) => (part.type === 'file' ? [part.extract?.sections.at(-1)?.text] : [])),
  ).toEqual(['Notice is three months, in writing.', expect.stringContaining('厨房'), '中国银行']);
});

it('shows the pages of a document, and closes it again', async () => {
  const { pick } = await started();
  await pick(pdf('Lease.pdf'));
  // Until it is read, the button that stops it has its name as well.
  const attached = page.getByRole('list', { name: 'Attached files' });
  await attached.getByRole('button', { name: 'Lease.pdf' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Lease.pdf' });
  await expect.element(dialog.getByRole('region', { name: 'page 2' })).toHaveTextContent(/three months/);
  await expect.element(dialog.getByRole('button', { name: 'Save the file' })).toBeVisible();
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
});

/** A conversation that was given the lease, and another whose answer recalled its second page. */
async function recalled() {
  const app = await createTestApp();
  const said = (role: Message['role'], parentId: MessageId | null, parts: Message['parts']): Message => ({
    id: newMessageId(),
    parentId,
    role,
    kind: 'message',
    createdAt: Date.now(),
    parts,
  });
  const sections = ['The rent is 1,250 euros.', 'Notice is three months, in writing.'].map((text, at) => ({
    place: { kind: 'page', name: String(at + 1) },
    text,
  }));
  const source = said('user', null, [
    { type: 'text', text: 'Keep this lease.' },
    { type: 'file', mediaType: 'application/pdf', name: 'Lease.pdf', extract: { sections, bytes: 9_000 } },
  ]);
  const old = newConversationId();
  await app.documents.change(old, { messages: [source], meta: { head: source.id, title: 'The lease' } });
  const passages = sections.map(
    ({ place, text }): RecalledPassage => ({
      conversationId: old,
      messageId: source.id,
      title: 'The lease',
      createdAt: source.createdAt,
      role: 'user',
      passage: `${sourceLine('Lease.pdf', place)}\n${text}`,
      neighbours: [],
      scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final: 0.9, boosts: [] },
      tokens: 9,
    }),
  );
  const query = 'How long is the notice?';
  const question = said('user', null, [{ type: 'text', text: query }]);
  const answer = said('assistant', question.id, [
    { type: 'recall', query, threshold: 0.75, passages: passages.slice(1), nearMisses: passages.slice(0, 1) },
    { type: 'text', text: 'Three months.' },
  ]);
  const id = newConversationId();
  await app.documents.change(id, {
    messages: [question, answer],
    meta: { head: answer.id, title: 'Notice' },
  });
  return { app, id, old };
}

it('names the page of a recalled passage, and opens the document at it', async () => {
  const { app, id, old } = await recalled();
  await show(app, `/c/${id}`);
  const card = page.getByRole('region', { name: /Recalled from/ });
  await card.getByRole('button').first().click();
  const found = card.getByRole('listitem').first();
  await expect.element(found).toHaveTextContent(/Lease\.pdf\s*page 2/);
  // Only the index has the line that names the file.
  expect(found.element().textContent).not.toContain('[');
  await expectAccessible();
  await found.getByRole('button', { name: 'Notice is three months, in writing.' }).click();
  const dialog = page.getByRole('dialog', { name: 'Lease.pdf' });
  await expect.element(dialog.getByRole('region', { name: 'page 2' })).toHaveFocus();
  expect(location.pathname).toContain(old);
  await expectAccessible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  // Opened by hand it begins at its beginning.
  await page.getByRole('article', { name: 'You' }).getByRole('button', { name: 'Lease.pdf' }).click();
  await expect.element(dialog.getByRole('region', { name: 'page 2' })).toBeVisible();
  await expect.element(dialog.getByRole('region', { name: 'page 2' })).not.toHaveFocus();
});

it('says why a file was left out, and what it could not take of another', async () => {
  const { pick } = await started();
  await pick(
    pdf('Secret.pdf', pdfFile(LEASE, { trailer: PROTECTED })),
    pdf('Scan.pdf', pdfFile([[]])),
    new File([new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])], 'old.doc'),
  );
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent(/Secret.pdf.*password.*old.doc.*old format/);
  await expect.element(page.getByText(/Scan.pdf.*only pictures of text/)).toBeVisible();
  await expectAccessible();
});

deep('goes on saying why a file was left out, once another has been read', async () => {
  const { pick } = await started();
  const pages = Array.from({ length: 1_000 }, (_, at) => [{ text: `Page ${at + 1}.`, y: 700 }]);
  await pick(pdf('Manual.pdf', pdfFile(pages)));
  await expect.element(page.getByRole('list', { name: 'Files being read' })).toBeVisible();
  await pick(pdf('Secret.pdf', pdfFile(LEASE, { trailer: PROTECTED })));
  const remove = page.getByRole('button', { name: 'Remove Manual.pdf' });
  await expect.element(remove).toBeVisible();
  await expect.element(page.getByRole('alert')).toHaveTextContent(/Secret.pdf.*password/);
});

it('is cancelled while it is read, by the keyboard as well, and nothing is sent before the rest is there', async () => {
  const { app, pick } = await started();
  const pages = Array.from({ length: 20_000 }, (_, at) => [{ text: `Page ${at + 1}.`, y: 700 }]);
  const long = pdf('Manual.pdf', pdfFile(pages));
  await pick(long, new File([await excelFile()], 'Costs.xlsx'));
  const reading = page.getByRole('list', { name: 'Files being read' });
  await expect.element(reading.getByRole('progressbar', { name: 'Manual.pdf' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Message' }).fill('Too early');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText(/still being read/)).toBeVisible();
  expect(app.documents.library.get().entries).toHaveLength(0);
  const cancel = reading.getByRole('button', { name: 'Stop reading “Manual.pdf”' });
  (cancel.element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('button', { name: 'Remove Costs.xlsx' })).toBeVisible();
  await expect.element(reading).not.toBeInTheDocument();
  expect(page.getByText('Manual.pdf').elements()).toHaveLength(0);
});

deep('speaks Chinese', async () => {
  const { app, pick } = await started();
  await app.settings.set('ui.language', 'zh');
  await expect.element(page.getByRole('button', { name: '添加文件' })).toBeVisible();
  await pick(pdf('租约.pdf'), pdf('扫描.pdf', pdfFile([[]])));
  await expect.element(page.getByText(/“扫描.pdf”里没有文字/)).toBeVisible();
  await page.getByRole('button', { name: '租约.pdf' }).first().click();
  await expect.element(page.getByRole('region', { name: '第 2 页' })).toBeVisible();
  await expectAccessible();
});

it('shows how much is read in the accent of all progress, not in the green of what is saved', async () => {
  const { pick } = await started();
  const pages = Array.from({ length: 20_000 }, (_, at) => [{ text: `Page ${at + 1}.`, y: 700 }]);
  await pick(pdf('Manual.pdf', pdfFile(pages)));
  const bar = page.getByRole('progressbar', { name: 'Manual.pdf' });
  await expect.element(bar).toBeVisible();
  const done = bar.element().firstElementChild;
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = 'var(--accent)';
  expect(done && getComputedStyle(done).backgroundColor).toBe(getComputedStyle(probe).color);
  probe.remove();
  await expectAccessible();
  await page
    .getByRole('button', { name: /Manual.pdf/ })
    .last()
    .click();
});
