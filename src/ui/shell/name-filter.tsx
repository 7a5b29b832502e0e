// A filter by name above a long list: keeps what fits, and says how much that is.
import type { ComponentProps } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';

/** Items from which on a list has a filter. */
export const FILTERED_FROM = 12;

/** Returns the items whose name has every word of the filter, in any order and case. */
export function withWords<Item>(
  items: readonly Item[],
  filter: string,
  nameOf: (item: Item) => string,
): readonly Item[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter((item) => {
    const name = nameOf(item).toLowerCase();
    return words.every((word) => name.includes(word));
  });
}

/**
 * The filter's field; `label` is its name and its placeholder. Below it stands how many of all items fit, which a
 * screen reader says, too. Other properties are the field's.
 */
export function FilterField({
  label,
  value,
  onFilter,
  count,
  total,
  ...field
}: {
  label: string;
  value: string;
  onFilter: (filter: string) => void;
  count: number;
  total: number;
} & Omit<ComponentProps<'input'>, 'value' | 'onChange'>) {
  const { t } = useTranslation('shell');
  const words = value.trim();
  return (
    <div>
      <input
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onFilter(event.target.value)}
        aria-label={label}
        placeholder={label}
        className="touchable h-9 w-full rounded-md border border-line-strong bg-paper px-3 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 pointer-coarse:text-base"
        {...field}
      />
      <p role="status" className="px-2 text-ink-3 text-xs [overflow-wrap:anywhere]">
        {words === ''
          ? null
          : count === 0
            ? t('filter.none', { words })
            : t('filter.found', { count, total })}
      </p>
    </div>
  );
}
