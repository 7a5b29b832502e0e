// Keeps public functions of src documented (CONTRIBUTING.md).
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { undocumentedFunctions } from './house/docstrings.ts';
import { readTree, type SourceFile } from './house/source.ts';

// Read outside of the test: on a busy machine this takes longer than a test may.
const undocumented = readTree().source.flatMap(undocumentedFunctions);

it('has no public function without a docstring', () => {
  expect(undocumented).toEqual([]);
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
