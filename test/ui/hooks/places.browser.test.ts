// Back closes layers over a page, with the browser's own history.
import { afterAll, expect, it } from 'vitest';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { createPlaces } from '../../../src/ui/hooks/navigation.tsx';

const address = location.href;
afterAll(() => history.replaceState(null, '', address));

const scene = () => {
  const places = createPlaces();
  const stop = places.subscribe(() => undefined);
  const open = (id: string) =>
    places.go({ screen: 'conversation', conversationId: asConversationId(id), messageId: null });
  open('one');
  open('two');
  const closed: string[] = [];
  const cover = (name: string) => places.cover(() => closed.push(name));
  /** Goes back; until `steps` entries have been left. */
  const back = async (steps = 1) => {
    const arrived = new Promise<void>((resolve) => {
      let left = steps;
      const hear = () => {
        left -= 1;
        if (left > 0) return;
        window.removeEventListener('popstate', hear);
        resolve();
      };
      window.addEventListener('popstate', hear);
    });
    history.back();
    await arrived;
  };
  const at = () => {
    const { route } = places.get();
    return route.screen === 'conversation' ? route.conversationId : route.screen;
  };
  const replace = (id: string) =>
    places.go(
      { screen: 'conversation', conversationId: asConversationId(id), messageId: null },
      { replace: true },
    );
  return { cover, back, closed, at, stop, open, replace };
};

it('Back closes one layer at a time, then leads back', async () => {
  const { cover, back, closed, at, stop } = scene();
  cover('drawer');
  cover('dialog');
  await back();
  await back();
  expect(closed).toEqual(['dialog', 'drawer']);
  expect(at()).toBe('two');
  await back();
  expect(at()).toBe('one');
  stop();
});

it('Back closes what still lies there where something over it went by itself', async () => {
  const { cover, back, closed, at, stop } = scene();
  cover('palette');
  // Stands in while the palette's code is on its way.
  const comesSoon = cover('frame');
  comesSoon();
  await back();
  expect(closed).toEqual(['palette']);
  expect(at()).toBe('two');
  // Back skips the entry that was left.
  await back(2);
  expect(at()).toBe('one');
  stop();
});

it('Back leads to the page that took the place of another one, also where a closed layer had left its entry', async () => {
  const { cover, back, at, stop, open, replace } = scene();
  const closeDialog = cover('dialog');
  closeDialog();
  // The first message of a new conversation.
  replace('begun');
  open('source');
  await back();
  expect(at()).toBe('begun');
  stop();
});
