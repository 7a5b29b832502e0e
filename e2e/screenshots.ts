// `npm run screenshots [-- --only NAME,NAME] [--size NAME,NAME] [--language en|zh] [--theme light|dark]
// [--dist DIR] [--out DIR]`:
// every screen and state in four sizes, light and dark, English and Chinese; it names those that scroll sideways.
// It needs a built app (`npm run build`, or the one in `--dist`). Pictures go to `screenshots/`.
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright';
import { preview } from 'vite';
import { BROWSER_ARGS, ensureBrowser } from '../test/browser.ts';
import { atRest, SCREENS, settle, withLibrary } from './screens.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    size: { type: 'string' },
    language: { type: 'string' },
    theme: { type: 'string' },
    dist: { type: 'string' },
    out: { type: 'string', default: 'screenshots' },
  },
});
/** CSS pixels. `zoomed` is a wide screen at 200 %. */
const SIZES = {
  wide: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 640 },
  zoomed: { width: 640, height: 400 },
};
const sizes = Object.entries(SIZES).filter(([name]) => values.size?.split(',').includes(name) ?? true);
const PORT = Number(process.env.E2E_PORT ?? 4398);
mkdirSync(values.out, { recursive: true });
const server = await preview({
  preview: { port: PORT, strictPort: true },
  logLevel: 'silent',
  ...(values.dist ? { build: { outDir: values.dist } } : {}),
});
const browser = await chromium.launch({ executablePath: ensureBrowser(), args: [...BROWSER_ARGS] });
const failed: string[] = [];
const sideways: string[] = [];
const names = values.only?.split(',') ?? [''];
const wanted = SCREENS.filter((screen) => names.some((name) => screen.name.includes(name)));
const themes = (['light', 'dark'] as const).filter((one) => one === (values.theme ?? one));
const languages = (['en-US', 'zh-CN'] as const).filter((one) => one.startsWith(values.language ?? ''));
for (const locale of languages) {
  const context = await browser.newContext({ locale, viewport: SIZES.wide });
  // The runner names inner functions with a helper that the page does not have.
  await context.addInitScript('globalThis.__name = (made) => made');
  for (const library of [false, true]) {
    const screens = wanted.filter((screen) => screen.library === library);
    if (screens.length === 0) continue;
    const page = await context.newPage();
    await page.goto(`http://localhost:${PORT}/?console`);
    await page.waitForFunction(() => globalThis.recollect?.app.documents.library.get().ready);
    if (library) await withLibrary(page);
    for (const screen of screens)
      for (const [size, viewport] of sizes) {
        await page.setViewportSize(viewport);
        try {
          await screen.go(page, size !== 'wide');
          if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
            sideways.push(`${screen.name} ${size} ${locale}`);
          for (const theme of themes) {
            await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
            await atRest(page);
            await page.screenshot({
              path: `${values.out}/${screen.name}-${size}-${theme}-${locale.slice(0, 2)}.png`,
            });
          }
          await settle(page);
        } catch (error) {
          failed.push(`${screen.name} ${size} ${locale}: ${String(error).split('\n')[0]}`);
          await page.keyboard.press('Escape');
        }
      }
    await page.close();
  }
  await context.close();
}
await browser.close();
await server.close();
console.log(
  `${(wanted.length * sizes.length * languages.length - failed.length) * themes.length} pictures in ${values.out}/`,
);
for (const line of failed) console.error(`not taken: ${line}`);
for (const line of sideways) console.error(`scrolls sideways: ${line}`);
process.exit(failed.length + sideways.length === 0 ? 0 : 1);
