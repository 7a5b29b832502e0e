// The words of a text as they stand on the screen, read by the parser that draws them: so
// they are found as they are seen. Pure.
import type { ElementContent, RootContent } from 'hast';
import { NestingGuard } from '../nesting.ts';
import { AnswerReader } from './reader.ts';
import { elementsOf } from './tree.ts';

/** Longer texts are drawn as they were written. Characters. */
export const PLAIN_FROM = 200_000;

/** A word never spans two of these elements; both reading here and marking on the screen split at them. */
export const BLOCK_TAGS: readonly string[] =
  'p li td th h1 h2 h3 h4 h5 h6 pre blockquote dt dd div section'.split(' ');
const BLOCKS = new Set(BLOCK_TAGS);

/** Nothing in it but letters, spaces and what ends sentences: it is drawn as it was written. */
const PLAIN = /^[^\\`*_~<>&|$[\]#+=:/@\r\t-]*$/;
const hasNumber = /^ {0,3}\d{1,9}[.)]/m;

class Words {
  #words = '';
  #formulas = '';
  #block: unknown = null;

  /** `block` holds the nodes. */
  add(nodes: readonly (RootContent | ElementContent)[], block: unknown): void {
    for (const node of nodes) {
      if (node.type === 'text') this.#say(node.value, block);
      else if (node.type === 'element') {
        const { tagName, properties, children } = node;
        if (properties.dataFormula !== undefined) this.#formulas += ` ${children.map(said).join('')} `;
        else if (tagName === 'img') this.#say(`${properties.alt ?? ''}`, block);
        else if (tagName === 'br') this.#say('\n', block);
        else this.add(children, BLOCKS.has(tagName) ? node : block);
      }
    }
  }

  #say(words: string, block: unknown): void {
    this.#words += block === this.#block ? words : ` ${words}`;
    this.#block = block;
  }

  /** Formulas come last: as they were written they stand nowhere on the screen. */
  get all(): string {
    return this.#words + this.#formulas;
  }
}

const said = (node: ElementContent): string => (node.type === 'text' ? node.value : '');

/** The words of Markdown, blocks and lines apart by white space. */
export function drawnWords(text: string): string {
  if ((PLAIN.test(text) && !hasNumber.test(text)) || text.length > PLAIN_FROM) return text;
  if (new NestingGuard().isTooDeep(text)) return text;
  const { blocks, footnotes } = new AnswerReader().read(text, false);
  const words = new Words();
  for (const block of blocks) words.add(elementsOf(block.nodes, block.definitions, false).children, block);
  for (const note of footnotes)
    words.add(elementsOf(note.node.children, note.definitions, false).children, note);
  return words.all;
}
