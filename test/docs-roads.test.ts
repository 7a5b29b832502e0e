// Follows the four roads of docs/architecture.md: each `name()` of a drawing is called by a name above it.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';
import { readTree } from './house/source.ts';

const ROOT = resolve(import.meta.dirname, '..');
const { source } = readTree();
const PATHS = source.map(({ path }) => path);

/** For each function, method and class of a file, all names that its body mentions. */
type Mentions = ReadonlyMap<string, ReadonlySet<string>>;

interface SyntaxNode {
  readonly type: string;
  readonly name?: string;
  readonly [key: string]: unknown;
}
const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
const nameOf = (node: unknown): string | undefined =>
  isNode(node) && /^Private(?:Identifier|Name)$|^Identifier$/.test(node.type) ? node.name : undefined;

/** Name that a node defines: of a declaration always, of a member or a constant if its value can hold code. */
function definedBy(node: SyntaxNode): unknown {
  if (/^(?:Function|Class)Declaration$/.test(node.type)) return node.id;
  if (node.type === 'MethodDefinition') return node.key;
  const value = node.type === 'VariableDeclarator' ? node.init : node.value;
  const holds = isNode(value) && /Function|Call|Object|Class|Conditional/.test(value.type);
  if (node.type === 'VariableDeclarator') return holds ? node.id : undefined;
  return /^Property(?:Definition)?$/.test(node.type) && holds ? node.key : undefined;
}

function mentionsIn(path: string): Mentions {
  const { program } = parseSync(path, readFileSync(join(ROOT, path), 'utf8'), {
    lang: path.endsWith('x') ? 'tsx' : 'ts',
  });
  const found = new Map<string, Set<string>>();
  const walk = (node: unknown, within: readonly string[]): void => {
    if (Array.isArray(node)) for (const each of node) walk(each, within);
    // Types call nothing.
    if (!isNode(node) || node.type === 'ImportDeclaration' || /^TS(?!As|NonNull|Satisfies)/.test(node.type))
      return;
    const own = definedBy(node);
    const name = nameOf(own);
    if (name !== undefined) found.set(name, found.get(name) ?? new Set());
    const inside = name === undefined ? within : [...within, name];
    const mentioned = nameOf(node);
    if (mentioned !== undefined) for (const one of within) found.get(one)?.add(mentioned);
    for (const [key, value] of Object.entries(node))
      if (value !== own && key !== 'typeAnnotation') walk(value, inside);
  };
  walk(program, []);
  return found;
}
const read = new Map<string, Mentions>();
const mentionsOf = (path: string): Mentions => {
  const known = read.get(path) ?? mentionsIn(path);
  read.set(path, known);
  return known;
};

/** True if `from` of the file calls `to`, itself or by way of others in its file. */
function calls(path: string, from: string, to: string): boolean {
  const mentions = mentionsOf(path);
  const seen = new Set([from]);
  for (const at of seen)
    for (const name of mentions.get(at) ?? []) {
      if (name === to) return true;
      if (mentions.has(name)) seen.add(name);
    }
  return false;
}

interface Step {
  readonly path: string;
  readonly name: string;
  readonly line: string;
}

/** Steps of a drawing, in reading order. A name belongs to the path before it, on its line or above. */
function stepsOf(drawing: string): Step[] {
  let path = '';
  const steps: Step[] = [];
  for (const line of drawing.split('\n'))
    for (const [token, file, name = ''] of line.matchAll(/([\w./-]+\.tsx?)\b|([A-Za-z]\w*)\(\)/g)) {
      if (file === undefined) steps.push({ path, name, line: line.trim() });
      else if (file.startsWith('src/')) path = file;
      // In the folder of the file before it, where that has one of this name; else it is named in passing.
      else if (line.slice(line.indexOf(token) + token.length).startsWith(' ')) {
        const beside = join(path, '..', file);
        if (PATHS.includes(beside) && new RegExp(`${file.replace('.', '\\.')} \\w+\\(\\)`).test(line))
          path = beside;
      }
    }
  return steps;
}

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const roads = [...page.matchAll(/## (The road of [^\n]+)\n[\s\S]*?```\n([\s\S]*?)```/g)].map(
  ([, title = '', drawing = '']) => ({ title, steps: stepsOf(drawing) }),
);

it('finds four roads, and the names on them', () => {
  expect(roads.map(({ title }) => title)).toHaveLength(4);
  for (const { title, steps } of roads) expect(steps.length, title).toBeGreaterThan(8);
});

it.each(roads)('$title: each name is in its file, and called by one above it', ({ steps }) => {
  const wrong = steps.flatMap((step, at) => {
    const { path, name, line } = step;
    const before = steps.slice(0, at);
    if (name === 'subscribe') return [];
    if (!mentionsOf(path).has(name) && !new RegExp(`\\.${name}\\(\\)`).test(line))
      return [`${path} has no ${name}(): ${line}`];
    const follows =
      at === 0 ||
      before.some((one) => calls(one.path, one.name, name)) ||
      // A reader of the log is called by what it subscribed to.
      (before.some((one) => one.name === 'subscribe') && calls(path, name, 'subscribe'));
    return follows ? [] : [`nothing above calls ${name}() of ${path}: ${line}`];
  });
  expect(wrong, 'docs/architecture.md: name the caller, or another name').toEqual([]);
});

it('tells a call from a name that is only there', () => {
  const queue = 'src/services/documents/append-queue.ts';
  expect(calls(queue, 'enqueue', 'flush')).toBe(true);
  expect(calls(queue, 'flush', 'enqueue')).toBe(false);
});
