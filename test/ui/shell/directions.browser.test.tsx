// Whatever a person or a model wrote runs in its own direction, wherever it is drawn: here every such
// text is Arabic, in an English interface.
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { newConversationId, newMessageId } from '../../../src/domain/base/ids.ts';
import type { Message, Part, RecalledPassage } from '../../../src/domain/chat/message.ts';
import type { Memory } from '../../../src/services/memory/memory.ts';
import { createTestApp, show } from '../harness.tsx';

const ARABIC = /\p{Script=Arabic}/u;

/** Texts on the page that are Arabic and run from left to right. */
function wrongWay(): string[] {
  const wrong: string[] = [];
  const isWrong = (element: Element) => getComputedStyle(element).direction !== 'rtl';
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    if (
      !parentElement ||
      !ARABIC.test(data) ||
      parentElement.closest('.sr-only, [role=status], script, style')
    )
      continue;
    if (parentElement.checkVisibility() && isWrong(parentElement)) wrong.push(data);
  }
  for (const field of document.querySelectorAll<HTMLInputElement>('input, textarea'))
    if (ARABIC.test(field.value) && isWrong(field)) wrong.push(`field: ${field.value}`);
  return wrong;
}

async function written() {
  const app = await createTestApp();
  const old = await app.say('سؤال قديم عن المفتاح');
  await app.idle(old);
  const [source] = (await app.documents.read(old))?.messages.values() ?? [];
  if (!source) throw new Error('Nothing was said');
  await app.notes.write({ text: 'ملاحظة عن الساعة', kind: 'rule' });
  const passage = (final: number, said: string): RecalledPassage => ({
    conversationId: old,
    messageId: source.id,
    title: 'عنوان المحادثة القديمة',
    createdAt: source.createdAt,
    role: 'user',
    passage: said,
    neighbours: [
      { messageId: 'n', role: 'system', text: 'رسالة مجاورة', createdAt: source.createdAt, side: 'before' },
    ],
    scores: { vector: 0.8, keyword: 0.5, hybrid: 0.7, decay: 1, final },
    tokens: 9,
  });
  const id = newConversationId();
  const message = (role: Message['role'], parentId: Message['parentId'], parts: Part[]): Message => ({
    id: newMessageId(),
    parentId,
    role,
    kind: 'message',
    createdAt: Date.now(),
    parts,
  });
  const question = message('user', null, [{ type: 'text', text: 'أين المفتاح؟' }]);
  const call = message('assistant', question.id, [
    {
      type: 'recall',
      query: 'أين المفتاح؟',
      threshold: 0.75,
      passages: [passage(0.95, 'المفتاح خلف الساعة')],
      nearMisses: [passage(0.7, 'الساعة سريعة')],
    },
    { type: 'reasoning', text: 'أفكر في الأمر' },
    { type: 'tool-call', callId: '1', name: 'look', arguments: '{"q":"مفتاح"}' },
  ]);
  const result = message('tool', call.id, [{ type: 'tool-result', callId: '1', text: 'نتيجة الأداة' }]);
  const answer = message('assistant', result.id, [{ type: 'text', text: 'خلف الساعة.' }]);
  await app.documents.change(id, {
    messages: [question, call, result, answer],
    meta: { head: answer.id, title: 'محادثة عن المفتاح' },
  });
  return { app, id, old, source };
}

it('in a conversation: titles, recalled passages, thoughts, and the work of tools', async () => {
  const { app, id } = await written();
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('خلف الساعة.', { exact: true })).toBeVisible();
  expect(wrongWay()).toEqual([]);
  await page
    .getByRole('region', { name: /Recalled from/ })
    .getByRole('button')
    .first()
    .click();
  await page.getByRole('button', { name: '1 weaker match, not used' }).click();
  await page.getByRole('button', { name: 'Why this?' }).first().click();
  await expect.element(page.getByText('رسالة مجاورة')).toBeVisible();
  await page.getByRole('button', { name: /^.?\s*Thought/ }).click();
  await expect.element(page.getByText('أفكر في الأمر')).toBeVisible();
  await page.getByRole('button', { name: /look/ }).click();
  await expect.element(page.getByText('نتيجة الأداة')).toBeVisible();
  // The laid out arguments are JSON, which begins with a bracket and a Latin name.
  expect(wrongWay().filter((text) => !text.startsWith('{'))).toEqual([]);
});

it('in the palette: what is typed, titles, and hits', async () => {
  const { app, old, source } = await written();
  (app.memory as { search: Memory['search'] }).search = async ({ onHits }) =>
    onHits(
      [
        {
          conversationId: old,
          messageId: source.id,
          title: 'عنوان المحادثة القديمة',
          role: 'user',
          createdAt: 0,
          snippet: 'سؤال قديم عن المفتاح',
          source: null,
          scores: null,
          archived: false,
        },
      ],
      true,
    );
  await show(app, '/');
  await userEvent.keyboard('{Control>}k{/Control}');
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('المفتاح');
  await expect.element(page.getByRole('option', { name: /سؤال قديم/ }).first()).toBeVisible();
  expect(wrongWay()).toEqual([]);
});

it.each(['/memory/notes', '/settings/prompts'])('on %s: notes and prompts', async (path) => {
  const { app } = await written();
  await app.prompts.savePrompt({ name: 'رسالة', text: 'اكتب رسالة', description: 'وصف' });
  await show(app, path);
  await expect
    .element(page.getByText(path === '/memory/notes' ? 'ملاحظة عن الساعة' : 'وصف').first())
    .toBeVisible();
  expect(wrongWay()).toEqual([]);
});
