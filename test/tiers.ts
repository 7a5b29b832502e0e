// Which tests `npm test` runs and which only `npm run test:all`. Said by names, so that a file or a journey tells it by
// itself: `*.long.test.ts`, `*.long.browser.test.tsx` and journeys without the tag `@gate` run in `npm run test:all`
// only. Within a file of the gate, `deep` and `runs` of `scale.ts` say the same of one test and of how often it tries.

/** Whether this is `npm run test:all`. Read here for Node; `scale.ts` knows it in a browser, too. */
export const IS_ALL = Boolean(process.env.TEST_ALL);

const LONG = ['test/**/*.long.test.{ts,tsx}', 'test/**/*.long.browser.test.{ts,tsx}'];

/** Run in Chromium, by `vitest.browser.config.ts`; all others run in Node, by `vitest.config.ts`. */
export const IN_BROWSER = ['test/**/*.browser.test.{ts,tsx}'];

/** A long file that is named runs. */
const isNamed = process.argv.some((argument) => argument.includes('.long'));

/** What this run leaves to `npm run test:all`. */
export const LEFT_OUT = IS_ALL || isNamed ? [] : LONG;

/** Long files before all others, however short their text is: none may be left for one of two workers at the end. */
export const longFirst = <File extends { readonly moduleId: string }>(files: readonly File[]): File[] => {
  const isLong = ({ moduleId }: File) => moduleId.includes('.long.');
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))];
};
