// Callouts: quotations that begin with `[!NOTE]`, as GitHub and Obsidian have them, and containers between lines
// of colons (`:::writing{…}`), as ChatGPT and documentation tools write them. Their kind and title become a
// label; no word of them is lost. Pure.
import type { Blockquote, Paragraph, PhrasingContent, RootContent } from 'mdast';
import type { CompileContext, Extension as FromMarkdown } from 'mdast-util-from-markdown';
import type { Construct, Extension } from 'micromark-util-types';
import { consumeTo } from './reading-as.ts';

/** A line of colons: `opening` holds what stands behind them; undefined: it ends a container. */
interface ContainerMark {
  type: 'containerMark';
  opening?: string;
  value: string;
  position?: Paragraph['position'];
}
declare module 'mdast' {
  interface RootContentMap {
    containerMark: ContainerMark;
  }
}
declare module 'micromark-util-types' {
  interface TokenTypeMap {
    containerMark: 'containerMark';
  }
}

const COLON = 58;
const OPENING = /^:{3,}[ \t]*(?=[A-Za-z{])([^\r\n]{1,300})$/;
const CLOSING = /^:{3,}[ \t]*$/;

/** The micromark extension for one text. Its constructs take whole lines of colons. */
export function containerSyntax(source: string): Extension {
  const mark: Construct = {
    name: 'containerMark',
    tokenize(effects, ok, nok) {
      return (code) => {
        const at = this.now().offset;
        const line = /^[^\r\n]*/.exec(source.slice(at, at + 400))?.[0] ?? '';
        if (!OPENING.test(line) && !CLOSING.test(line)) return nok(code);
        effects.enter('containerMark');
        return consumeTo(at + line.length, this, effects, ['containerMark'], ok)(code);
      };
    },
  };
  return source.includes(':::') ? { flow: { [COLON]: mark } } : {};
}

/** Puts the marks into the syntax tree. */
export const containersFromMarkdown: FromMarkdown = {
  enter: {
    containerMark(this: CompileContext, token) {
      const value = this.sliceSerialize(token);
      const opening = OPENING.exec(value)?.[1]?.trim();
      this.enter(
        { type: 'containerMark', value, ...(opening === undefined ? {} : { opening }) } as never,
        token,
      );
    },
  },
  exit: {
    containerMark(this: CompileContext, token) {
      this.exit(token);
    },
  },
};

/** A quotation with a label: `kind` in small letters, as it was written otherwise. */
interface Callout {
  readonly kind: string;
  readonly title: readonly PhrasingContent[];
  readonly children: readonly RootContent[];
}

const ALERT = /^\[!([A-Za-z][\w-]{0,30})\][+-]?[ \t]*/;

/** A quotation as a callout, if its first words say so, or it stood between marks. */
export function calloutOf({ children, data }: Blockquote): Callout | undefined {
  const { container } = (data ?? {}) as { readonly container?: string };
  if (container !== undefined) {
    const { kind, title } = nameOf(container);
    return { kind, title: textNodes(title), children };
  }
  const [first, ...others] = children;
  if (first?.type !== 'paragraph') return undefined;
  const [begin, ...more] = first.children;
  const [mark, kind = ''] = begin?.type === 'text' ? (ALERT.exec(begin.value) ?? []) : [];
  if (mark === undefined || begin?.type !== 'text') return undefined;
  const words: PhrasingContent[] = [{ ...begin, value: begin.value.slice(mark.length) }, ...more];
  const at = words.findIndex(
    (word) => word.type === 'break' || (word.type === 'text' && /[\r\n]/.test(word.value)),
  );
  const end = words[at];
  const value = end?.type === 'text' ? end.value : '';
  const line = value.search(/[\r\n]/);
  const [head, rest] = [value.slice(0, Math.max(0, line)).trimEnd(), value.slice(line + 1)];
  const title = at < 0 ? words : [...words.slice(0, at), ...textNodes(head)];
  const body = at < 0 ? [] : [...textNodes(rest), ...words.slice(at + 1)];
  return {
    kind: kind.toLowerCase(),
    title: title.filter((word) => word.type !== 'text' || word.value !== ''),
    children: [...(body.length > 0 ? [{ ...first, children: body }] : []), ...others],
  };
}
const textNodes = (value: string): PhrasingContent[] => (value === '' ? [] : [{ type: 'text', value }]);

const ATTRIBUTE = /([\w-]+)=("[^"]*"|'[^']*'|[^\s{}"']+)|[^\s{}[\]=]+/g;

/** The name of a container, and the words that its attributes and its title say. */
function nameOf(opening: string): { kind: string; title: string } {
  const [, kind = '', rest = ''] = /^([A-Za-z][\w-]*)?([\s\S]*)$/.exec(opening) ?? [];
  const said = [...rest.matchAll(ATTRIBUTE)].filter(([, name]) => name !== 'id');
  const title = said.map(([word, name, value]) =>
    name === undefined ? word : value?.replace(/^["']|["']$/g, ''),
  );
  return {
    kind: kind.toLowerCase(),
    title: title.join(said.some(([, name]) => name !== undefined) ? ' · ' : ' '),
  };
}

/**
 * Joins what stands between marks into callouts; marks without their other half are
 * words. `partial`: the end may still come.
 */
export function withContainers(nodes: readonly RootContent[], partial: boolean): RootContent[] {
  if (!nodes.some(({ type }) => type === 'containerMark')) return [...nodes];
  const open: { mark: ContainerMark; children: RootContent[] }[] = [];
  const root: RootContent[] = [];
  const add = (...more: RootContent[]) => (open.at(-1)?.children ?? root).push(...more);
  const words = ({ value, position }: ContainerMark): RootContent => ({
    type: 'paragraph',
    children: [{ type: 'text', value }],
    ...(position ? { position } : {}),
  });
  const close = () => {
    const { mark, children } = open.pop() as (typeof open)[number];
    add({ type: 'blockquote', children, data: { container: mark.opening } } as RootContent);
  };
  for (const node of nodes) {
    if (node.type !== 'containerMark') add(node);
    else if (node.opening !== undefined) open.push({ mark: node, children: [] });
    else if (open.length > 0) close();
    else add(words(node));
  }
  while (open.length > 0) {
    if (partial) {
      close();
      continue;
    }
    const { mark, children } = open.pop() as (typeof open)[number];
    add(words(mark), ...children);
  }
  return root;
}

/** How many containers are open after a node, of those open before. */
export const openContainers = (
  before: number,
  { type, opening }: { type: string; opening?: string },
): number =>
  type !== 'containerMark' ? before : opening === undefined ? Math.max(0, before - 1) : before + 1;
