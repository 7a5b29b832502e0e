// All patterns that are written in the source, and hostile texts made for each of them.
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { parseAst } from 'rolldown/parseAst';
import { countSteps, TooManySteps } from './regex-steps.ts';

const SRC = resolve(import.meta.dirname, '../../src');

export interface Written {
  readonly file: string;
  readonly pattern: RegExp;
}

/** Every regular-expression literal in `src`. */
export function patternsInSource(): Written[] {
  const found: Written[] = [];
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file) || file.endsWith('.d.ts')) continue;
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) {
        for (const one of node) visit(one);
        return;
      }
      if (typeof node !== 'object' || node === null) return;
      const { regex } = node as { regex?: { pattern: string; flags: string } };
      if (regex && typeof regex.pattern === 'string')
        found.push({
          file: file.replaceAll('\\', '/'),
          pattern: new RegExp(regex.pattern, regex.flags),
        });
      else for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(readFileSync(resolve(SRC, file), 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }));
  }
  return found;
}

/** One character of each class that patterns tell apart. */
const SIGNS = [
  ...'aAzZeE09 \t\n\r.,;:!?"\'`()[]{}<>|/\\-_*#~+=$%@&^',
  ...'中文。！？，：“”「」（）…éßя가あー',
  '\u0301',
  '\u200b',
  '😀',
  '\u0000',
];
const parser = new RegExpParser({ ecmaVersion: 2025 });

/** A short text that a node matches, as far as that can be told from the node alone. */
function example(node: AST.Node, flags: string): string {
  switch (node.type) {
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'CharacterSet':
    case 'CharacterClass':
    case 'ExpressionCharacterClass': {
      const single = new RegExp(`^(?:${node.raw})$`, flags.replace(/[gymd]/g, ''));
      return SIGNS.find((sign) => single.test(sign)) ?? '';
    }
    case 'Group':
    case 'CapturingGroup':
    case 'Pattern':
      return node.alternatives[0] ? example(node.alternatives[0], flags) : '';
    case 'Alternative':
      return node.elements.map((one) => example(one, flags)).join('');
    case 'Quantifier':
      return example(node.element, flags).repeat(Math.min(Math.max(node.min, 1), 8));
    default:
      return '';
  }
}

/** Texts to repeat for a pattern: what its repetitions match, alone and behind what stands before them. */
function* pumps(pattern: RegExp): Generator<readonly [before: string, pump: string]> {
  const { source, flags } = pattern;
  const tree = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const seen = new Set<string>();
  const once = function* (before: string, pump: string): Generator<readonly [string, string]> {
    const key = `${before}\u0001${pump}`;
    if (pump && !seen.has(key)) {
      seen.add(key);
      yield [before, pump];
    }
  };
  const walk = function* (node: AST.Node, before: string): Generator<readonly [string, string]> {
    if (node.type === 'Quantifier') {
      if (node.max > 16) {
        yield* once('', example(node.element, flags));
        yield* once(before, example(node.element, flags));
        yield* once('', before + example(node.element, flags));
        if ('raw' in node.element && /^Character(?:Set|Class)?$/.test(node.element.type)) {
          const single = new RegExp(`^(?:${node.element.raw})$`, flags.replace(/[gymd]/g, ''));
          for (const sign of SIGNS)
            if (single.test(sign)) {
              yield* once('', sign);
              yield* once(before, sign);
            }
        }
      }
      yield* walk(node.element, before);
    } else if (node.type === 'Alternative') {
      let held = before;
      for (const element of node.elements) {
        yield* walk(element, held);
        held += example(element, flags);
      }
      yield* once('', held);
    } else if ('alternatives' in node) for (const one of node.alternatives) yield* walk(one, before);
  };
  yield* walk(tree, '');
}

/** Two lengths whose work is compared, in characters. */
const [SHORT, LONG] = [250, 500];

/** The hostile text for which a pattern's work grows faster than its length; null where none was found. */
export function hostileTextFor(pattern: RegExp): string | null {
  const everywhere = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  const stepsFor = (before: string, pump: string, after: string, length: number): number => {
    const steps = { taken: 0, limit: 400_000 };
    try {
      countSteps(everywhere, before + pump.repeat(Math.ceil(length / pump.length)) + after, 0, steps);
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      return Number.POSITIVE_INFINITY;
    }
    return steps.taken;
  };
  for (const [before, pump] of pumps(pattern))
    for (const after of ['\u0001', '\n']) {
      const short = stepsFor(before, pump, after, SHORT);
      // Less than six steps for each character: what grows with the square has a dozen for each of twice as many.
      if (short < 6 * SHORT) continue;
      const long = stepsFor(before, pump, after, LONG);
      if (long === Number.POSITIVE_INFINITY || long > 2.7 * short)
        return JSON.stringify([before, pump, after]);
    }
  return null;
}
