// What the bench measures: a build of the sources as they are, or a sentence that says otherwise; and a wait that ends.
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtFolder, notBuiltFrom } from './built.ts';
import { inTime } from './waiting.ts';

const root = mkdtempSync(join(tmpdir(), 'recollect-built-'));
afterAll(() => rmSync(root, { recursive: true }));
/** Writes a file that was changed at this time, s. */
function put(name: string, changedAt: number): void {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, changedAt, changedAt);
}
put('src/ui/root.tsx', 100);
put('other/index.html', 50);
put('dist/index.html', 200);

describe('the build that is measured', () => {
  it('is of the sources as they are', async () => {
    expect(notBuiltFrom(join(root, 'dist'), root)).toBeNull();
    const progress: string[] = [];
    expect(await builtFolder(undefined, root, (what) => progress.push(what))).toBe(join(root, 'dist'));
    expect(progress).toEqual([]);
  });

  it('is told apart where a source has changed since, or it is missing', () => {
    expect(notBuiltFrom(join(root, 'other'), root)).toBe(
      `${join('src', 'ui', 'root.tsx')} has changed since`,
    );
    expect(notBuiltFrom(join(root, 'none'), root)).toBe('there is none yet');
  });

  it('is taken as it is where it was named, and said to be another; none is refused', async () => {
    const progress: string[] = [];
    expect(await builtFolder('other', root, (what) => progress.push(what))).toBe(join(root, 'other'));
    expect(progress.join()).toMatch(
      /^The build in other is not of these sources \(.*root\.tsx has changed since\)/,
    );
    await expect(builtFolder('none', root, () => {})).rejects.toThrow('There is no build in none.');
  });
});

it('a wait that cannot end fails with what it waited for', async () => {
  await expect(inTime(5, 'the page unlocks', () => new Promise(() => {}))).rejects.toThrow(
    'Waited 0.005 s in vain: the page unlocks.',
  );
  await expect(inTime(60_000, 'x', async () => 1)).resolves.toBe(1);
  await expect(inTime(60_000, 'x', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});
