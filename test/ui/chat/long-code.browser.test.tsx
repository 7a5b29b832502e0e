// Long code opens at once: only what is near the eye has colours, and everything is there to read, find and copy.
import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

const LINES = 4_000;
const code = Array.from({ length: LINES }, (_, at) => `const value${at} = f(${at}, "text"); // ${at}`).join(
  '\n',
);

it('draws colours only where one looks, and every line', async () => {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: `\`\`\`ts\n${code}\n\`\`\`\n\nThe end.` };
    },
  });
  const id = await app.say('Write it.');
  await app.idle(id);
  await show(app, `/c/${id}`);
  await expect.element(page.getByText('The end.')).toBeVisible();
  const body = () => document.querySelector('.code-block code') as HTMLElement;
  const spans = () => [...body().querySelectorAll<HTMLElement>('span[style]')];
  /** Whether a line has colours. */
  const coloured = (words: string) => spans().some(({ textContent }) => textContent.includes(words));

  await expect.poll(() => coloured(`// ${LINES - 1}`)).toBe(true);
  expect(spans().length).toBeLessThan(LINES);
  expect(coloured('// 2000')).toBe(false);
  expect(body().textContent).toBe(code);

  // Where one scrolls to, colours come.
  document.querySelector('.code-block')?.scrollIntoView({ block: 'start' });
  await expect.poll(() => coloured('// 10')).toBe(true);
  expect(body().textContent).toBe(code);
  expect(spans().length).toBeLessThan(LINES);
});

it('has no element for a blank, nor for what looks like what stands beside it', async () => {
  const short = 'export function copy(from: string): number {\n  return measure( from );\n\n  // end\n}';
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: `\`\`\`ts\n${short}\n\`\`\`\n\nThe end.` };
    },
  });
  const id = await app.say('Write it.');
  await app.idle(id);
  await show(app, `/c/${id}`);
  const spans = () => [...document.querySelectorAll<HTMLElement>('.code-block code span[style]')];
  await expect.poll(() => spans().length).toBeGreaterThan(5);
  expect(document.querySelector('.code-block code')?.textContent).toBe(short);
  expect(spans().filter(({ textContent }) => textContent.trim() === '')).toEqual([]);
  const isLikeNext = (span: HTMLElement) =>
    span.nextSibling instanceof HTMLElement && span.nextSibling.style.cssText === span.style.cssText;
  expect(spans().filter(isLikeNext)).toEqual([]);
  // What is coloured keeps its colour.
  const colourOf = (words: string) =>
    spans().find(({ textContent }) => textContent.trim().startsWith(words))?.style.cssText;
  expect(colourOf('return')).toBe(colourOf('export'));
  expect(colourOf('return')).not.toBe(colourOf('measure'));
});
