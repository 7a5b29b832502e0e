// The compiler settings of each context refuse what is not there: shown by files that break
// the rule, compiled as that context is.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkTypes } from './types.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, 'node_modules/.cache');
mkdirSync(CACHE, { recursive: true });
/**
 * Inside the project, so that the packages of types are found; ignored by git, and by Vite, which elsewhere reads all
 * anew and reloads its page when settings of the compiler appear.
 */
const folder = mkdtempSync(join(CACHE, 'types-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Context → code that it must refuse, each with the name that it does not know; and code that it must let through. */
const CASES: Record<string, { refused: readonly (readonly [code: string, name: string])[]; fine: string }> = {
  src: {
    refused: [
      ["import { readFileSync } from 'node:fs'; readFileSync('x');", 'node:fs'],
      ['process.exit(1);', 'process'],
      ['export const scope: DedicatedWorkerGlobalScope | null = null;', 'DedicatedWorkerGlobalScope'],
    ],
    fine: "document.createElement('p'); await navigator.serviceWorker.ready; localStorage.clear();",
  },
  'src/workers': {
    refused: [
      ["document.createElement('p');", 'document'],
      ['window.close();', 'window'],
      ['localStorage.clear();', 'localStorage'],
      ['process.exit(1);', 'process'],
    ],
    fine: "self.addEventListener('message', () => 1); await navigator.locks.query();",
  },
  'src/workers/service': {
    refused: [
      ["document.createElement('p');", 'document'],
      ['window.close();', 'window'],
      ['localStorage.clear();', 'localStorage'],
      ['process.exit(1);', 'process'],
      ["new Worker('x');", 'Worker'],
      ['new XMLHttpRequest();', 'XMLHttpRequest'],
      ['postMessage(1);', 'postMessage'],
    ],
    fine: "addEventListener('fetch', (event) => event.respondWith(fetch(event.request))); await skipWaiting();",
  },
  'src/relay': {
    refused: [
      ["document.createElement('p');", 'document'],
      ['localStorage.clear();', 'localStorage'],
    ],
    fine: "import { readFileSync } from 'node:fs'; readFileSync('x'); process.exit(1);",
  },
  'src/domain': {
    refused: [
      ["document.createElement('p');", 'document'],
      ['process.exit(1);', 'process'],
      ["await fetch('/x');", 'fetch'],
    ],
    fine: 'export const now = Date.now() + Math.random();',
  },
};

describe('the compiler settings', () => {
  it.each(Object.entries(CASES))('of %s', async (context, { refused, fine }) => {
    const place = mkdtempSync(join(folder, 'context-'));
    const write = (name: string, code: string) => writeFileSync(join(place, name), `${code}\nexport {};\n`);
    for (const [at, [code]] of refused.entries()) write(`refused-${at}.ts`, code);
    write('fine.ts', fine);
    writeFileSync(
      join(place, 'tsconfig.json'),
      JSON.stringify({ extends: relative(place, join(ROOT, context, 'tsconfig.json')), include: ['*.ts'] }),
    );
    const { said } = await checkTypes(relative(ROOT, place));
    for (const [at, [code, name]] of refused.entries())
      expect(said, code).toMatch(new RegExp(`refused-${at}\\.ts\\(.*error TS\\d+: .*${name}`));
    expect(said).not.toContain('fine.ts');
  });
});
