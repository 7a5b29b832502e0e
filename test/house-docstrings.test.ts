// Lets public functions without a docstring only become fewer. Whoever documents some lowers the number here in the same commit.
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { undocumentedFunctions } from './house/docstrings.ts';
import { readTree, type SourceFile } from './house/source.ts';

/** Public functions of `src` without a docstring. This number may only fall. */
const MOST = 92;

it('has no more public functions without a docstring', () => {
  const found = readTree().source.flatMap(undocumentedFunctions);
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(MOST);
});

it('finds functions however they are exported, and leaves components and documented overloads out', () => {
  const text = [
    'export function bare() {}',
    'export const arrow = () => 1;',
    'function listed() {}',
    'export { listed };',
    'export default function () {}',
    '/** Says it. */',
    '// biome-ignore lint/x: reason',
    'export function said() {}',
    '/** Says it. */',
    'export function over(one: string): void;',
    'export function over(one: unknown): void {}',
    '// No docstring.',
    'export async function remark() {}',
    'export function Component() {}',
    'export const value = 1;',
    'function own() {}',
  ].join('\n');
  const { program } = parseSync('x.tsx', text, { lang: 'tsx' });
  const file = { path: 'x.tsx', text, program, imports: [], exports: [] } as unknown as SourceFile;
  expect(undocumentedFunctions(file)).toEqual([
    'x.tsx bare',
    'x.tsx arrow',
    'x.tsx listed',
    'x.tsx default',
    'x.tsx remark',
  ]);
});
