// A passage that may be sent along, with a checkbox: in the composer and in /recall --explain.
import { useRef } from 'react';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import { Judgement } from './judgement.tsx';
import { excerpt, MarkedText } from './marked-text.tsx';
import { passageTitle } from './passage-title.ts';
import { ClosenessMark } from './scores.tsx';

/** Moves the focus from a row about to disappear to its neighbour, or to the text field. */
function goOn(row: HTMLLIElement | null): void {
  if (!row?.contains(document.activeElement)) return;
  const beside = row.nextElementSibling ?? row.previousElementSibling;
  const next = beside?.querySelector('input') ?? document.querySelector<HTMLElement>('textarea');
  next?.focus();
}

/** List item: title, age, cost in tokens, closeness, and the passage with the query's words marked. */
export function PassageChoice({
  passage,
  query,
  ticked,
  onTick,
}: {
  passage: RecalledPassage;
  query: string;
  ticked: boolean;
  onTick: (ticked: boolean) => void;
}) {
  const { t } = useTranslation('memory');
  const { t: ts } = useTranslation('shell');
  const row = useRef<HTMLLIElement>(null);
  const title = passageTitle(passage, t);
  return (
    <li ref={row} className="group/passage @container relative">
      <label
        className={classes(
          'flex cursor-pointer gap-2.5 px-3 py-2 hover:bg-memory-mark/30',
          !ticked && 'text-ink-3',
        )}
      >
        <input
          type="checkbox"
          checked={ticked}
          aria-label={t('chip.use', { title })}
          onChange={(event) => onTick(event.target.checked)}
          className="mt-0.5 size-4 shrink-0 accent-memory"
        />
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2">
            {/* Beside the verdict buttons, which lie over the row. */}
            <span className="flex min-w-0 flex-1 items-baseline gap-x-1.5 pointer-fine:pr-22 @max-md:flex-wrap">
              <span
                dir="auto"
                title={title}
                className={classes('min-w-0 max-w-full truncate', ticked && 'font-medium')}
              >
                {title}
              </span>
              <span className="shrink-0 text-ink-3 text-xs">
                <time
                  dateTime={new Date(passage.createdAt).toISOString()}
                  title={formatExact(passage.createdAt)}
                >
                  {formatRelative(passage.createdAt)}
                </time>
                {' · '}
                {t('card.tokens', { count: passage.tokens })}
              </span>
            </span>
            <ClosenessMark scores={passage.scores} />
          </span>
          <span
            dir="auto"
            className={classes('line-clamp-2 [overflow-wrap:anywhere]', ticked && 'text-ink-2')}
          >
            <MarkedText text={excerpt(passage.passage, query)} query={query} />
          </span>
        </span>
      </label>
      {/* Outside the label, which toggles the checkbox. On touch screens only on an unticked row, to ask why. */}
      <span
        className={classes(
          'pointer-fine:absolute pointer-fine:top-1 pointer-fine:right-32 pointer-coarse:pb-1 pointer-coarse:pl-8',
          ticked && 'pointer-coarse:not-has-aria-pressed:hidden',
        )}
      >
        <Judgement
          passage={passage}
          query={query}
          floating
          onGiven={(verdict) => {
            if (verdict === 'never') goOn(row.current);
            onTick(verdict === 'pinned');
          }}
          onForbidden={(undo) =>
            offer(t('feedback.forbidden'), {
              description: title,
              label: ts('undo'),
              onClick: () => {
                undo();
                onTick(ticked);
              },
            })
          }
        />
      </span>
    </li>
  );
}
