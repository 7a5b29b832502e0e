// Reads the source tree as modules and finds unused exports, import circles, long functions and silent catches.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseSync } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');
/** The longest that a function may be, in lines. */
export const MAX_LINES = 120;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
interface Import {
  /** A path below the root; undefined for a package. */
  readonly file: string | undefined;
  readonly isType: boolean;
  readonly names: readonly { readonly name: string; readonly isType: boolean }[];
}
export interface SourceFile {
  /** Below the root, with slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
  readonly program: Node;
  readonly text: string;
}

/** Every TypeScript file below the folder, declaration files left out. */
const listFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts') && !file.includes('node_modules'));

/** All names of a module at once: `import * as it`, or a dynamic import. */
const ALL = '*';

const whole = (file: string | undefined): Import => ({
  file,
  isType: true,
  names: [{ name: ALL, isType: true }],
});

const readSource = (path: string): SourceFile => readText(path, readFileSync(join(ROOT, path), 'utf8'));

/** Reads the text of one module; `path` below the root. */
export function readText(path: string, text: string): SourceFile {
  const { program, module } = parseSync(path, text, { lang: path.endsWith('x') ? 'tsx' : 'ts' });
  const target = (request: string): string | undefined =>
    request.startsWith('.')
      ? join(dirname(path), request.replace(/\?.*$/, '')).replaceAll('\\', '/')
      : undefined;
  const imports: Import[] = module.staticImports.map(({ moduleRequest, entries }) => ({
    file: target(moduleRequest.value),
    isType: entries.length > 0 && entries.every(({ isType }) => isType),
    names: entries.map(({ importName, isType }) => ({
      name:
        importName.kind === 'Name'
          ? (importName.name ?? ALL)
          : importName.kind === 'Default'
            ? 'default'
            : ALL,
      isType,
    })),
  }));
  const exported: string[] = [];
  for (const { entries } of module.staticExports)
    for (const { exportName, importName, moduleRequest, isType } of entries) {
      if (moduleRequest)
        imports.push({
          file: target(moduleRequest.value),
          isType,
          names: [{ name: importName.kind === 'Name' ? (importName.name ?? ALL) : ALL, isType }],
        });
      if (exportName.kind === 'Default') exported.push('default');
      else if (exportName.name) exported.push(exportName.name);
    }
  // Dynamic imports load later: they make no circle, but they use every name.
  for (const match of text.matchAll(/import\(\s*['"]([^'"]+)['"]|new URL\(\s*['"](\.[^'"]+)['"]/g))
    imports.push(whole(target(match[1] ?? match[2] ?? '')));
  return { path, imports, exports: exported, program: program as unknown as Node, text };
}

const readAll = (folder: string): SourceFile[] => listFiles(folder).sort().map(readSource);

/** `src` alone, and every file that may use it. */
export function readTree(): { source: readonly SourceFile[]; users: readonly SourceFile[] } {
  const source = readAll('src');
  const config = readSource('vite.config.ts');
  // The build puts files of the source in the place of packages.
  const named = [...config.text.matchAll(/'(src\/[^']+\.tsx?)'/g)].map(([, file]) => whole(file as string));
  const builds = { ...config, imports: [...config.imports, ...named] };
  return { source, users: [...source, ...readAll('test'), ...readAll('e2e'), builds] };
}

/** Exports that no other file imports, as `path name`. */
export function unusedExports(source: readonly SourceFile[], users: readonly SourceFile[]): string[] {
  const used = new Map<string, Set<string>>();
  for (const { imports } of users)
    for (const { file, names } of imports) {
      if (!file) continue;
      const known = used.get(file) ?? new Set();
      used.set(file, known);
      for (const { name } of names) known.add(name);
    }
  return source.flatMap(({ path, exports }) => {
    const known = used.get(path);
    // Catalogues are imported by a pattern.
    if (known?.has(ALL) || /^src\/ui\/i18n\/(en|zh)\//.test(path)) return [];
    return exports.filter((name) => !known?.has(name)).map((name) => `${path} ${name}`);
  });
}

/**
 * Files that reach themselves over imports; `types`: over imports of types, too. Imports that load later are left out.
 */
export function filesInCircles(source: readonly SourceFile[], types: boolean): string[] {
  const targets = new Map(
    source.map(({ path, imports }) => [
      path,
      imports
        .filter(({ file, isType, names }) => file && (types || !isType) && !names.some(isLater))
        .map(({ file }) => file as string),
    ]),
  );
  return source
    .map(({ path }) => path)
    .filter((path) => {
      const seen = new Set<string>();
      const open = [...(targets.get(path) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (next === path) return true;
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(...(targets.get(next) ?? []));
      }
      return false;
    });
}

const isLater = ({ name, isType }: { name: string; isType: boolean }): boolean => name === ALL && isType;

/** Calls `visit` with every node below `node`. */
function walkTree(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const each of node) walkTree(each, visit);
  else if (typeof node === 'object' && node !== null) {
    if ('type' in node) visit(node as Node);
    for (const value of Object.values(node)) if (typeof value === 'object') walkTree(value, visit);
  }
}

type Handler = Node & { params?: Node[]; body?: Node & { body?: Node[] } };

/**
 * Where an error is dropped unread: a `catch` without its error, or a rejection handler
 * that neither takes it nor does anything.
 */
export function silentCatches({ program }: SourceFile): number {
  let count = 0;
  walkTree(program, (node) => {
    if (node.type === 'CatchClause') {
      const { param, body } = node as Node & {
        param: (Node & { name?: string }) | null;
        body: Node & { body: Node[] };
      };
      const isUnread = param === null || (param.name !== undefined && !names(body, param.name));
      if (body.body.length === 0 || (isUnread && !contains(body, 'ThrowStatement'))) count += 1;
    } else if (node.type === 'CallExpression') {
      const { callee, arguments: passed } = node as Node & {
        callee: Node & { property?: { name?: string } };
        arguments: Handler[];
      };
      const name = callee.type === 'MemberExpression' ? callee.property?.name : undefined;
      const handler = name === 'catch' ? passed[0] : name === 'then' ? passed[1] : undefined;
      if (handler && dropsError(handler)) count += 1;
    }
  });
  return count;
}

function dropsError({ type, params, body }: Handler): boolean {
  if (!/^(Arrow)?FunctionExpression$/.test(type) || !body) return false;
  if (body.type === 'BlockStatement' && body.body?.length === 0) return true;
  if (params?.length) return false;
  // State that is set shows that something failed, but not what.
  let acts = ['AssignmentExpression', 'NewExpression', 'ThrowStatement'].some((kind) => contains(body, kind));
  walkTree(body, (node) => {
    acts ||= node.type === 'CallExpression' && !/^(set([A-Z]\w*)?|t)$/.test(calledName(node) ?? '');
  });
  return !acts;
}

/** Whether the node reads this name. */
function names(node: Node, name: string): boolean {
  let found = false;
  walkTree(node, (inner) => {
    found ||= inner.type === 'Identifier' && (inner as Node & { name?: string }).name === name;
  });
  return found;
}

function contains(node: Node, type: string): boolean {
  let found = false;
  walkTree(node, (inner) => {
    found ||= inner.type === type;
  });
  return found;
}

interface Assigned {
  /** Text of the variable or field, or of the look-up in a map, that gets the value. */
  readonly target: string;
  readonly value: Node;
}

/**
 * Targets set to a promise that waits for their own earlier value, be it by way of constants of a function:
 * `x = x.then(…)`, `const turn = x.then(…); x = orElse(turn, …)`, the same with `map.get(key)` and `map.set(key, …)`.
 */
export function promiseQueues({ program, text }: SourceFile): string[] {
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  const found: string[] = [];
  const visitFunction = (body: Node): void => {
    const constants = new Map<string, Node>();
    const assigned: Assigned[] = [];
    walkWithin(body, visitFunction, (node) => {
      const { id, init, left, right, callee, arguments: passed } = node as Parts;
      if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && init)
        constants.set(textOf(id), init);
      if (node.type === 'AssignmentExpression' && left && right)
        assigned.push({ target: textOf(left), value: right });
      const [key, value] = passed ?? [];
      if (callee?.object && key && value && callee.property?.name === 'set')
        assigned.push({ target: `${textOf(callee.object)}.get(${textOf(key)})`, value });
    });
    for (const { target, value } of assigned)
      if (waitsFor(value, target, constants, textOf, new Set([target]))) found.push(target);
  };
  visitFunction(program);
  return found;
}

type Parts = Node & {
  id?: Node;
  init?: Node | null;
  left?: Node;
  right?: Node;
  object?: Node;
  property?: { name?: string };
  argument?: Node | null;
  callee?: Node & { object?: Node; property?: { name?: string } };
  arguments?: Node[];
};
const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const THEN = /^(?:then|catch|finally)$/;

/** Visits the nodes of one function; `inner` gets the functions in it. */
function walkWithin(node: unknown, inner: (body: Node) => void, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const each of node) walkWithin(each, inner, visit);
  else if (typeof node === 'object' && node !== null) {
    const { type, params, body } = node as Handler;
    if (FUNCTION.test(type) && body) {
      walkWithin(params, inner, visit);
      inner(body);
      return;
    }
    if (type) visit(node as Node);
    for (const value of Object.values(node)) if (typeof value === 'object') walkWithin(value, inner, visit);
  }
}

/** True if the value goes on after `target`, by `then` or by `await` in a function of its own. */
function waitsFor(
  value: Node,
  target: string,
  constants: ReadonlyMap<string, Node>,
  textOf: (node: Node) => string,
  seen: Set<string>,
): boolean {
  let waits = false;
  const reads = (node: Node): boolean => mentions(node, target, constants, textOf, new Set());
  walkTree(value, (node) => {
    const { callee } = node as Parts;
    if (node.type === 'CallExpression' && callee?.object && THEN.test(callee.property?.name ?? ''))
      waits ||= reads(callee.object);
    if (FUNCTION.test(node.type))
      walkTree(node, (inner) => {
        const { argument: awaited } = inner as Parts;
        if (inner.type === 'AwaitExpression' && awaited) waits ||= reads(awaited);
      });
    if (node.type !== 'Identifier') return;
    const name = textOf(node);
    const constant = constants.get(name);
    if (!constant || seen.has(name)) return;
    seen.add(name);
    waits ||= waitsFor(constant, target, constants, textOf, seen);
  });
  return waits;
}

/** True if the node or a constant in it reads `target`. */
function mentions(
  node: Node,
  target: string,
  constants: ReadonlyMap<string, Node>,
  textOf: (node: Node) => string,
  seen: Set<string>,
): boolean {
  let found = false;
  const fields = new Set<number>();
  walkTree(node, (inner) => {
    const { object, property } = inner as Parts;
    // `engine.ask()` reads a field of the target, and waits for nothing that it held before.
    if (object && textOf(object) === target && !THEN.test(property?.name ?? '')) fields.add(object.start);
    const text = textOf(inner);
    found ||= text === target && !fields.has(inner.start);
    const constant = inner.type === 'Identifier' && !seen.has(text) ? constants.get(text) : undefined;
    if (!constant) return;
    seen.add(text);
    found ||= mentions(constant, target, constants, textOf, seen);
  });
  return found;
}

/** How many functions are over `MAX_LINES` lines. */
export function longFunctions({ program, text }: SourceFile): number {
  let count = 0;
  walkTree(program, ({ type, start, end }) => {
    if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) return;
    if (text.slice(start, end).split('\n').length > MAX_LINES) count += 1;
  });
  return count;
}

/** A list of tests inside a function is not its work: these calls are not counted. */
const TEST_CALL = /^(?:describe|it|test)\b/;

/** How many functions of a test are over `MAX_LINES` lines, the tests in them left out. */
export function longTestFunctions({ program, text }: SourceFile): number {
  const linesOf = ({ start, end }: Node): number => text.slice(start, end).split('\n').length;
  const functions: Node[] = [];
  const tests: Node[] = [];
  walkTree(program, (node) => {
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type))
      functions.push(node);
    if (node.type !== 'CallExpression') return;
    const { callee } = node as Node & { callee: Node };
    if (TEST_CALL.test(text.slice(callee.start, callee.end))) tests.push(node);
  });
  const isIn = (inner: Node, outer: Node): boolean => inner.start > outer.start && inner.end <= outer.end;
  return functions.filter((one) => {
    const within = tests.filter((test) => isIn(test, one));
    const outermost = within.filter((test) => !within.some((other) => isIn(test, other)));
    return linesOf(one) - outermost.reduce((sum, test) => sum + linesOf(test), 0) > MAX_LINES;
  }).length;
}

/**
 * Calls that run their function at once, so while a component renders; what is read of
 * something that changes is one of them.
 */
const RUNS_AT_ONCE = /^(useMemo|useState|useReadable|useSyncExternalStore|map|flatMap|forEach|filter)$/;

type Function = Node & { id?: Named; params: Node[]; body: Node };
type Named = Node & { name?: string };
const isFunction = (node: Node): node is Function =>
  /^(FunctionDeclaration|(Arrow)?FunctionExpression)$/.test(node.type);
const isRendered = (name: string | undefined): boolean => name !== undefined && /^(use)?[A-Z]/.test(name);

/**
 * Lines on which a component or a hook writes a ref while it renders:
 * `latest.current = …` outside of effects and handlers.
 */
export function refsWrittenInRender({ program, text }: SourceFile): number[] {
  const written = new Set<number>();
  // Below the body of a component or hook, without the functions in it that run later.
  const look = (node: Node): void => {
    const { left, argument } = node as Node & { left?: Node; argument?: Node };
    const target = /^(Assignment|Update)Expression$/.test(node.type) ? (left ?? argument) : undefined;
    const property = (target as (Node & { property?: Named }) | undefined)?.property;
    if (property?.name === 'current') written.add(text.slice(0, node.start).split('\n').length);
    const atOnce = node.type === 'CallExpression' && RUNS_AT_ONCE.test(calledName(node) ?? '');
    for (const each of childrenOf(node))
      if (!isFunction(each)) look(each);
      else if (atOnce) look(each.body);
  };
  walkTree(program, (node) => {
    const { id, init } = node as Node & { id?: Named | null; init?: Node | null };
    const made = node.type === 'VariableDeclarator' ? init : node;
    if (made && isFunction(made) && isRendered(id?.name)) look(made.body);
  });
  return [...written].sort((a, b) => a - b);
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value);

/** Last name of what is called: `useMemo`, and `map` of `rows.map`. */
function calledName(node: Node): string | undefined {
  const { callee } = node as Node & { callee: Named & { property?: Named } };
  return callee.name ?? callee.property?.name;
}

/** Names of the types and classes that a file exports where it declares them. */
export function exportedTypes({ program }: SourceFile): string[] {
  const { body } = program as Node & { body: readonly (Node & { declaration?: Node & { id?: Named } })[] };
  return body.flatMap(({ type, declaration }) =>
    type === 'ExportNamedDeclaration' &&
    declaration?.id?.name !== undefined &&
    /^(?:TSInterface|TSTypeAlias|Class|TSEnum)Declaration$/.test(declaration.type)
      ? [declaration.id.name]
      : [],
  );
}

/**
 * Where a file repeats something by the clock, as line numbers: an interval, or a
 * loop that waits for a timer by itself.
 */
export function repeatsByClock({ program, text }: SourceFile): number[] {
  const found = new Set<number>();
  const note = (node: Node) => found.add(text.slice(0, node.start).split('\n').length);
  walkTree(program, (node) => {
    if (node.type === 'CallExpression' && calledName(node) === 'setInterval') note(node);
    if (!/^(?:While|DoWhile|For|ForOf)Statement$/.test(node.type)) return;
    walkTree(node, (inner) => {
      const { argument } = inner as Node & { argument?: Node };
      if (inner.type === 'AwaitExpression' && argument && isTimer(argument)) note(inner);
    });
  });
  return [...found].sort((a, b) => a - b);
}

/** A promise that only a timer fulfils: `pause(ms)`, `sleep(ms)`, or one that is made with `setTimeout` here. */
function isTimer(node: Node): boolean {
  if (node.type === 'CallExpression') return /^(?:pause|sleep|delay)$/.test(calledName(node) ?? '');
  if (node.type !== 'NewExpression') return false;
  let sets = false;
  walkTree(node, (inner) => {
    sets ||= inner.type === 'CallExpression' && calledName(inner) === 'setTimeout';
  });
  return sets;
}
