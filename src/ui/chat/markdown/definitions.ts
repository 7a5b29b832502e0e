// Finds link definitions that nothing refers to, or that are repeated: Markdown hides them, although
// the author wrote them to be read. Pure.
import type { Definition, Nodes, RootContent } from 'mdast';

/** Collects the names that links and pictures refer to. */
function referredTo(nodes: readonly Nodes[], found: Set<string> = new Set()): Set<string> {
  for (const node of nodes) {
    if (node.type === 'linkReference' || node.type === 'imageReference') found.add(node.identifier);
    if ('children' in node) referredTo(node.children as Nodes[], found);
  }
  return found;
}

/** Turns a definition into its own words, with its address as a link. */
const asParagraph = ({ label, identifier, url, title }: Definition): RootContent => ({
  type: 'paragraph',
  children: [
    { type: 'text', value: `[${label ?? identifier}]: ` },
    { type: 'link', url, children: [{ type: 'text', value: url }] },
    ...(title ? [{ type: 'text' as const, value: ` "${title}"` }] : []),
  ],
});

/**
 * Returns a function that turns unused definitions of a whole text into words. Pass it the nodes in order, each once.
 */
export function loneDefinitionsIn(nodes: readonly RootContent[]): (node: RootContent) => RootContent {
  const wanted = referredTo(nodes);
  const shown = (node: RootContent): RootContent => {
    if (node.type === 'definition') return wanted.delete(node.identifier) ? node : asParagraph(node);
    return 'children' in node
      ? ({ ...node, children: (node.children as RootContent[]).map(shown) } as RootContent)
      : node;
  };
  return shown;
}
