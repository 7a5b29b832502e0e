// Signs at the top right have words beside them where there is room, and names where there is none.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

it.each([
  ['en', 'Temporary conversation', 'Add instructions', 'Instructions', 'Show context', 'Context'],
  ['zh', '临时对话', '添加自定义指令', '自定义指令', '展开上下文', '上下文'],
] as const)(
  'has words beside its signs on a wide window, %s',
  async (language, temporary, instruct, instructions, panel, context) => {
    const app = await createTestApp({ reply: () => [{ type: 'text-delta', text: 'Yes.' }] });
    await app.settings.set('ui.language', language);
    const id = await app.say('Is it open?');
    await app.idle(id);
    const leave = await show(app, '/');
    const shown = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true });
    const words = (name: string) =>
      shown(name).element().querySelector<HTMLElement>('span')?.offsetWidth ?? 0;
    await expect.element(shown(temporary)).toHaveTextContent(temporary);
    await expect.element(shown(instruct)).toHaveTextContent(instructions);
    expect([words(temporary), words(instruct)].every((width) => width > 20)).toBe(true);
    await expectAccessible();
    await page.viewport(390, 844);
    await expect.poll(() => [words(temporary), words(instruct)]).toEqual([0, 0]);
    await expectAccessible();
    leave();
    await show(app, `/c/${id}`);
    await expect.element(shown(panel)).toHaveTextContent(context);
    expect(words(panel)).toBeGreaterThan(20);
    await expectAccessible();
  },
);
