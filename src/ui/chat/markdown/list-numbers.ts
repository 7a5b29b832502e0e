// The marks of a list as they were written: CommonMark counts on from the first number, and a list from ten down to
// one would go up; `007.` and `1)` would be `7.` and `1.`, and `+ 5 %` a point before five.
import type { List, ListItem } from 'mdast';
import type { CompileContext, Extension as FromMarkdown, Token } from 'mdast-util-from-markdown';

declare module 'mdast' {
  interface ListItemData {
    /** Its number and sign as they were written: `007.`, `1)`, `+`. */
    written?: string;
  }
}

function keepWritten(this: CompileContext, token: Token) {
  const item = this.stack.at(-1);
  if (item?.type !== 'listItem') return;
  const before = token.type === 'listItemMarker' ? (item.data?.written ?? '') : '';
  item.data = { ...item.data, written: before + this.sliceSerialize(token) };
}

/** Keeps the mark of each item in the syntax tree. */
export const numbersFromMarkdown: FromMarkdown = {
  exit: { listItemValue: keepWritten, listItemMarker: keepWritten },
};

/**
 * The number of each item: as written, or counted up if two that follow each other are
 * written alike (`1.` before every item).
 */
export function numbersOf({ children, start }: List): readonly number[] {
  const first = start ?? 1;
  const written = children.map(({ data }, at) => {
    const number = Number.parseInt(data?.written ?? '', 10);
    return Number.isNaN(number) ? first + at : number;
  });
  return written.some((number, at) => number === written[at - 1])
    ? children.map((_, at) => first + at)
    : written;
}

/** A sum or a measure, whose sign belongs to it. */
const MEASURE = /^[$€£¥]? ?\d[\d.,]*(?:[-–]\d+)? ?(?:[°%$€£¥℃℉]|deg|percent|[CFK]\b|$)/;

const signed = ({ children: [first], data }: ListItem, isLone: boolean): boolean => {
  const [words] = first?.type === 'paragraph' ? first.children : [];
  if (words?.type !== 'text') return false;
  const isAmount = /^[$€£¥]?\d/.test(words.value);
  return data?.written === '+' ? isAmount : isAmount && (isLone || MEASURE.test(words.value.slice(0, 40)));
};

/**
 * The mark of each item as it was written: number and sign, or the sign alone where it belongs to the number behind
 * it. Undefined: a point, in any list.
 */
export function marksOf(list: List): readonly (string | undefined)[] {
  const { children, ordered } = list;
  if (!ordered) {
    const [first] = children;
    const isSign = /^[-+]$/.test(first?.data?.written ?? '');
    return children.map(({ data }) =>
      isSign && children.every((item) => signed(item, children.length === 1)) ? data?.written : undefined,
    );
  }
  const numbers = numbersOf(list);
  const [zeros = ''] = /^0*\d+/.exec(children[0]?.data?.written ?? '') ?? [];
  return children.map(({ data }, at) => {
    const [digits = '', sign] = (data?.written ?? '').split(/(?=\D)/);
    const number = `${numbers[at]}`;
    const isOwn = digits !== '' && Number(digits) === numbers[at];
    return (isOwn ? digits : number.padStart(/^0\d/.test(zeros) ? zeros.length : 0, '0')) + (sign ?? '.');
  });
}
