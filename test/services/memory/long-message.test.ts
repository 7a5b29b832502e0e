// A long message asks of several things: each is found as if it had been asked alone.
import { afterEach, expect, it } from 'vitest';
import { conversationOf, openHome } from './home.ts';

const homes: ReturnType<typeof openHome>[] = [];
afterEach(async () => {
  for (const one of homes.splice(0)) await one.close();
});

const TOLD = [
  'The plumber said to turn the brass valve under the boiler when it knocks.',
  'Henrik from the university offered to ask around for tenors for the choir.',
  'The restaurant with the courtyard and the soup is called Lindenhof.',
];
const ASKED = [
  'Which valve did the plumber say to turn when the boiler knocks?',
  'Who offered to ask around for tenors for the choir?',
  'What is the restaurant with the courtyard and the soup called?',
];
const AROUND =
  'My parents visit in May, the guest room wants painting, the hall wants a bookshelf, and every evening there is another errand in town before the shops close.';
const LONG = [...ASKED.map((question) => `${AROUND}\n${question}`), AROUND].join('\n');

/** A library with an answer to each question; `now`: ms since 1970. */
const home = async (now: () => number) => {
  const one = openHome({ now });
  homes.push(one);
  for (const text of TOLD) await one.add(conversationOf([text]));
  for (let at = 0; at < 30; at++)
    await one.add(
      conversationOf([
        `Errand ${at}: paint for the guest room, screws for the bookshelf, shops in town close at ${at}.`,
      ]),
    );
  await one.indexed();
  return async (text: string) =>
    (await one.recall(text)).passages.map(({ passage }) => TOLD.indexOf(passage)).filter((at) => at >= 0);
};

it('every question of it has its passage, none twice', async () => {
  const found = await home(() => Date.UTC(2026, 1, 1));
  for (const [at, question] of ASKED.entries()) expect(await found(question)).toContain(at);
  expect((await found(LONG)).sort()).toEqual([0, 1, 2]);
});

it('where time runs out it is what the whole finds', async () => {
  let time = Date.UTC(2026, 1, 1);
  const found = await home(() => {
    time += 2_000;
    return time;
  });
  expect(await found(LONG)).toEqual([]);
});
