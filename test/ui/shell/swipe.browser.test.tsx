// The drawer on a phone: a finger that goes sideways opens and closes it, and no other movement does.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, expectAccessible, show } from '../harness.tsx';

const PHONE = { width: 390, height: 844 };

/** Moves fingers from (200, 400) by so many px, on `target`. */
function swipe(target: Element, { x, y = 0, fingers = 1 }: { x: number; y?: number; fingers?: number }) {
  const touches = (by: number) =>
    Array.from(
      { length: fingers },
      (_, identifier) =>
        new Touch({ identifier, target, clientX: 200 + x * by, clientY: 400 + identifier * 60 + y * by }),
    );
  const send = (type: string, changedTouches: Touch[], left = changedTouches) =>
    target.dispatchEvent(
      new TouchEvent(type, { touches: left, changedTouches, bubbles: true, cancelable: true }),
    );
  send('touchstart', touches(0));
  for (const by of [0.25, 0.5, 0.75, 1]) send('touchmove', touches(by));
  send('touchend', touches(1), []);
}

const main = () => page.getByRole('main').element();
const drawer = () => page.getByRole('dialog', { name: 'Sidebar' });

async function answered(words: string) {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: words };
    },
  });
  const id = await app.say('How?');
  await app.idle(id);
  return { app, id };
}

it('is opened by a swipe to the right, and closed by one to the left', async () => {
  await show(await createTestApp(), '/', PHONE);
  swipe(main(), { x: 90 });
  await expect.element(drawer()).toBeVisible();
  await expectAccessible();
  // What lies in it may be scrolled and pulled to the right.
  swipe(drawer().element(), { x: -20, y: -200 });
  swipe(drawer().element(), { x: 90 });
  await expect.element(drawer()).toBeVisible();
  swipe(drawer().getByRole('button').first().element(), { x: -90 });
  await expect.element(drawer()).not.toBeInTheDocument();
});

it('stays closed where one scrolls, zooms, or moves wide code, and on a wide screen', async () => {
  const { app, id } = await answered(`Run it.\n\n\`\`\`sh\n${'long '.repeat(80)}\n\`\`\``);
  await show(app, `/c/${id}`, PHONE);
  await expect.element(page.getByText('Run it.')).toBeVisible();
  swipe(main(), { x: 60, y: 200 });
  swipe(main(), { x: 20 });
  swipe(main(), { x: 90, fingers: 2 });
  swipe(page.getByText('long long').element(), { x: 90 });
  swipe(page.getByRole('textbox', { name: 'Message', exact: true }).element(), { x: 90 });
  swipe(main(), { x: -90 });
  await expect.element(drawer()).not.toBeInTheDocument();
  await page.viewport(1280, 800);
  await expect.element(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
  swipe(main(), { x: 90 });
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
});

it('on the right, as the context panel of a phone, goes by a swipe to the right', async () => {
  const { app, id } = await answered('So.');
  await show(app, `/c/${id}`, PHONE);
  await page.getByRole('button', { name: 'Show context' }).click();
  const panel = page.getByRole('dialog', { name: 'Context' });
  await expect.element(panel).toBeVisible();
  swipe(panel.element(), { x: -90 });
  await expect.element(panel).toBeVisible();
  swipe(panel.element(), { x: 90 });
  await expect.element(panel).not.toBeInTheDocument();
});
