// Finds the pages and documents that an answer of another app cites, in any of the shapes in which exports name them.
import { isFields } from '../../domain/base/json.ts';
import { shortenCited } from '../../domain/chat/cited.ts';
import type { Part } from '../../domain/chat/message.ts';

/** A page: its address, and its title if known. A document has no address, but the words that were cited. */
interface Page {
  readonly url: string;
  readonly title?: string;
  readonly cited?: string;
}

/** Most pages kept of one answer. */
const MOST_PAGES = 100;
const DEEPEST = 8;

/**
 * Lists each page and each place in a document once, in the order in which they are named; leaves out other addresses.
 */
export function pagesIn(value: unknown): Page[] {
  const pages = new Map<string, Page>();
  const walk = (value: unknown, depth: number): void => {
    if (depth > DEEPEST || pages.size >= MOST_PAGES) return;
    if (Array.isArray(value)) for (const item of value) walk(item, depth + 1);
    if (!isFields(value)) return;
    const { url, title } = value;
    if (typeof url === 'string' && /^https?:\/\/[^\s/]/i.test(url)) {
      const name = typeof title === 'string' ? title.trim() : '';
      if (!pages.get(url)?.title) pages.set(url, name === '' ? { url } : { url, title: name });
    } else if (typeof value.cited_text === 'string' && value.cited_text.trim() !== '') {
      const name = [value.document_title, title].find((one) => typeof one === 'string' && one.trim() !== '');
      const cited = shortenCited(value.cited_text);
      const page = { url: '', ...(typeof name === 'string' ? { title: name.trim() } : {}), cited };
      pages.set(JSON.stringify(page), page);
    }
    for (const inner of Object.values(value)) if (typeof inner === 'object') walk(inner, depth + 1);
  };
  walk(value, 0);
  return [...pages.values()];
}

/** Returns the parts with these pages as the sources of the last text. */
export function withPages(parts: readonly Part[], pages: readonly Page[]): Part[] {
  const at = parts.findLastIndex((part) => part.type === 'text');
  const text = parts[at];
  return text?.type === 'text' && pages.length > 0
    ? parts.with(at, { ...text, sources: pages.map((page) => ({ ...page })) })
    : [...parts];
}
