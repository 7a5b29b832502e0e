// The numbers of a list as they were written: CommonMark counts on from the first, and a
// list from ten down to one would go up.
import type { List } from 'mdast';
import type { CompileContext, Extension as FromMarkdown, Token } from 'mdast-util-from-markdown';

declare module 'mdast' {
  interface ListItemData {
    /** As it was written. */
    number?: number;
  }
}

/** Keeps the number of each item in the syntax tree. */
export const numbersFromMarkdown: FromMarkdown = {
  exit: {
    listItemValue(this: CompileContext, token: Token) {
      const item = this.stack.at(-1);
      if (item?.type === 'listItem') item.data = { ...item.data, number: Number(this.sliceSerialize(token)) };
    },
  },
};

/**
 * The number of each item: as written, or counted up if two that follow each other are
 * written alike (`1.` before every item).
 */
export function numbersOf({ children, start }: List): readonly number[] {
  const first = start ?? 1;
  const written = children.map(({ data }, at) => data?.number ?? first + at);
  return written.some((number, at) => number === written[at - 1])
    ? children.map((_, at) => first + at)
    : written;
}
