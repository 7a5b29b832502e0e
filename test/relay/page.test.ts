// Holds docs/relay.md to the relay: every option with its default, every flag, every close code, by its whole name.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { CLOSE } from '../../src/relay/limits.ts';
import { HELP, readOptions } from '../../src/relay/options.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/relay.md'), 'utf8');
/** Cells of each row of a table, by the first. */
const rows = [...page.matchAll(/^\| ([^|]*) \| ?([^|]*)\|/gm)].map(([, first = '', second = '']) => ({
  names: [...first.matchAll(/`([A-Z_]+)`/g)].map(([, name = '']) => name),
  first,
  second: second.trim(),
}));
const code = ['options', 'limits']
  .map((name) => readFileSync(join(ROOT, `src/relay/${name}.ts`), 'utf8'))
  .join('\n');
const variables = [...code.matchAll(/^ {2,4}([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name);

const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
/** Numbers of a cell, in bytes where a unit says so: `16 MiB, 1 KiB, 50,000`. */
const numbersIn = (cell: string): number[] =>
  [...cell.matchAll(/(\d{1,3}(?:,\d{3})+|\d+)(?: (KiB|MiB|GiB))?/g)].map(
    ([, number = '', unit]) => Number(number.replaceAll(',', '')) * (unit ? (UNITS[unit] ?? 1) : 1),
  );

it('names every variable once, and none that there is not', () => {
  expect(variables.length).toBeGreaterThan(25);
  const named = rows.flatMap(({ names }) => names);
  expect([...named].sort()).toEqual([...new Set(variables)].sort());
});

it('gives the default of every limit', () => {
  const { limits } = readOptions([], {});
  const given = new Map<string, number>();
  for (const { names, second } of rows) {
    const numbers = numbersIn(second);
    for (const [at, name] of names.entries()) given.set(name, numbers[at] ?? Number.NaN);
  }
  const wrong = variables
    .filter((name) => /_(?:MAX|PER_SECOND|SECONDS)/.test(name))
    .filter((name) => {
      const set = readOptions([], { [name]: String(given.get(name)) }).limits;
      return JSON.stringify(set) !== JSON.stringify(limits);
    });
  expect(wrong, 'the default column of docs/relay.md').toEqual([]);
  expect(rows.find(({ names }) => names.includes('PORT'))?.second).toBe('127.0.0.1, 4180');
});

it('lists the flags that `--help` explains', () => {
  const flags = (text: string) => [...new Set(text.match(/--[a-z][a-z-]+/g) ?? [])].sort();
  const [, listed = ''] = /^Flags: (.*)\. Environment:/m.exec(page) ?? [];
  expect(flags(listed)).toEqual(flags(HELP));
});

it('says of every close code what a client does then', () => {
  const said = rows.filter(({ first }) => /^\d{4}$/.test(first)).map(({ first }) => Number(first));
  expect(said.sort()).toEqual(Object.values(CLOSE).sort());
});

it('keeps what it stores out of git and out of an image that is built beside it', () => {
  const { data } = readOptions([], {});
  for (const list of ['.gitignore', '.dockerignore']) {
    const left = readFileSync(join(ROOT, list), 'utf8').split('\n');
    // Its backups as well, which lie beside it.
    expect(left, list).toContain(`${data}*`);
  }
});
