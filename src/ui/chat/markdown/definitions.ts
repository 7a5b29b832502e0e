// Definitions of links that nothing refers to, or that come a second time: Markdown hides them, and somebody wrote them to be read. Pure.
import type { Definition, Nodes, RootContent } from 'mdast';

/** Names of all that links and pictures refer to. */
function referredTo(nodes: readonly Nodes[], found: Set<string> = new Set()): Set<string> {
  for (const node of nodes) {
    if (node.type === 'linkReference' || node.type === 'imageReference') found.add(node.identifier);
    if ('children' in node) referredTo(node.children as Nodes[], found);
  }
  return found;
}

/** A definition as it was written, its address a link. */
const wordsOf = ({ label, identifier, url, title }: Definition): RootContent => ({
  type: 'paragraph',
  children: [
    { type: 'text', value: `[${label ?? identifier}]: ` },
    { type: 'link', url, children: [{ type: 'text', value: url }] },
    ...(title ? [{ type: 'text' as const, value: ` "${title}"` }] : []),
  ],
});

/** Of a whole text: makes words of each definition that does no work. Nodes have to be given in their order, each once. */
export function loneDefinitionsIn(nodes: readonly RootContent[]): (node: RootContent) => RootContent {
  const wanted = referredTo(nodes);
  const shown = (node: RootContent): RootContent => {
    if (node.type === 'definition') return wanted.delete(node.identifier) ? node : wordsOf(node);
    return 'children' in node
      ? ({ ...node, children: (node.children as RootContent[]).map(shown) } as RootContent)
      : node;
  };
  return shown;
}
