// When a tooltip opens: for a pointer and for the keyboard, not for focus that comes back by itself.
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { Tooltip, TooltipProvider } from '../../../src/ui/shell/controls.tsx';

let root: Root | undefined;
let place: HTMLElement | undefined;
afterEach(() => {
  root?.unmount();
  place?.remove();
});

async function shown() {
  place = document.createElement('div');
  document.body.append(place);
  root = createRoot(place);
  root.render(
    <TooltipProvider>
      <button type="button">Other</button>
      <Tooltip content="What it does">
        <button type="button">Told of</button>
      </Tooltip>
    </TooltipProvider>,
  );
  await expect.element(page.getByRole('button', { name: 'Told of' })).toBeVisible();
}
const tooltip = page.getByRole('tooltip', { name: 'What it does' });

it('stays closed when focus comes back after a click', async () => {
  await shown();
  await page.getByRole('button', { name: 'Other' }).click();
  const button = page.getByRole('button', { name: 'Told of' }).element() as HTMLElement;
  button.focus();
  await expect.element(page.getByRole('button', { name: 'Told of' })).toHaveFocus();
  expect(tooltip.elements()).toHaveLength(0);
});

it('opens for the keyboard', async () => {
  await shown();
  await page.getByRole('button', { name: 'Other' }).click();
  await userEvent.keyboard('{Tab}');
  await expect.element(tooltip).toBeInTheDocument();
});

it('lets a click through to what it lies on', async () => {
  await shown();
  const below = document.createElement('button');
  below.textContent = 'Below';
  const clicked = new Promise((resolve) => below.addEventListener('click', () => resolve('clicked')));
  place?.append(below);
  await page.getByRole('button', { name: 'Other' }).click();
  await userEvent.keyboard('{Tab}');
  await expect.element(tooltip).toBeInTheDocument();
  const { left, top, width, height } = tooltip.element().getBoundingClientRect();
  Object.assign(below.style, {
    position: 'fixed',
    left: `${left}px`,
    top: `${top}px`,
    width: `${width}px`,
    height: `${height}px`,
  });
  await page.getByRole('button', { name: 'Below' }).click();
  expect(await clicked).toBe('clicked');
});
