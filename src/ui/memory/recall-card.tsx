// Recall card: how close each passage is and why, and the near misses.
import { ChevronRight, History } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { AppliedNote, RecalledPassage } from '../../domain/chat/message.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';
import { AppliedNotes } from './applied-notes.tsx';
import { nearOnes } from './closeness.ts';
import { Passage } from './passage.tsx';
import { useUnusableTest } from './usable-passages.ts';

interface RecallCardProps {
  passages: readonly RecalledPassage[];
  /** Only near ones are shown, unless they were sent. */
  nearMisses: readonly RecalledPassage[];
  /** Passages that the person unticked. */
  leftOut?: readonly RecalledPassage[] | undefined;
  /** Notes that apply, which went along. */
  applied?: readonly AppliedNote[] | undefined;
  threshold: number;
  /** The near misses were sent after all, because nothing came closer. */
  nearMissesGiven?: boolean | undefined;
  /** No model is asked, so the cost does not matter. */
  unsent?: boolean;
  /** Query of the search: its words are marked. */
  query: string;
  /** When the query was asked, ms since 1970; absent: just now. */
  askedAt?: number | undefined;
  /** Name of the asking tool, in a second line of the header. */
  asked?: ReactNode;
  /** Content at the end of the opened card. */
  foot?: ReactNode;
  onOpen: (passage: RecalledPassage) => void;
  defaultOpen?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function RecallCard({
  passages,
  nearMisses: below,
  leftOut = [],
  applied = [],
  nearMissesGiven = false,
  unsent = false,
  threshold,
  query,
  askedAt,
  asked,
  foot,
  onOpen,
  defaultOpen = false,
  onOpenChange,
}: RecallCardProps) {
  const { t } = useTranslation('memory');
  const [open, setOpen] = useState(defaultOpen);
  const body = useId();
  const nearMisses = nearMissesGiven ? below : nearOnes(below);
  const given = nearMissesGiven ? nearMisses : passages;
  const isUnusable = useUnusableTest();
  const isOut = ({ passage, ...said }: RecalledPassage): boolean => isUnusable({ ...said, text: passage });
  const tokens = [...given, ...applied].reduce((sum, one) => sum + one.tokens, 0);
  if (passages.length + nearMisses.length + leftOut.length + applied.length === 0) return null;
  const unused = [
    { name: 'leftOut', help: 'leftOutHelp', listed: leftOut, folds: false },
    {
      name: nearMissesGiven ? 'nearMissesGiven' : 'nearMisses',
      help: nearMissesGiven ? 'nearMissesGivenHelp' : 'nearMissesHelp',
      listed: nearMisses,
      // Beside used passages they are shown only on demand.
      folds: passages.length > 0 && !nearMissesGiven,
    },
  ] as const;
  return (
    <section
      aria-label={t('card.label')}
      className="@container overflow-hidden rounded-lg border border-memory-line bg-memory-soft text-sm"
    >
      <button
        type="button"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => {
          setOpen(!open);
          onOpenChange?.(!open);
        }}
        className="touchable -outline-offset-2 flex w-full items-center gap-2 px-3 py-2 text-left font-medium text-memory hover:bg-memory-mark/40"
      >
        <History size={15} aria-hidden className="shrink-0" />
        <span className="min-w-0 flex-1">
          <span className="block truncate">
            <CardTitle
              {...{ given, applied, nearMissesGiven, tokens, unsent }}
              none={leftOut.length > 0 ? 'noneUsed' : 'none'}
            />
          </span>
          {asked && <span className="block truncate font-normal text-ink-2 text-xs">{asked}</span>}
        </span>
        <span className="sr-only">{open ? t('card.hide') : t('card.show')}</span>
        <ChevronRight
          size={15}
          aria-hidden
          className={classes('shrink-0 transition-transform', open && 'rotate-90')}
        />
      </button>
      {open && (
        <div id={body} className="border-memory-line border-t">
          {applied.length > 0 && <AppliedNotes applied={applied} />}
          {passages.length > 0 && (
            <Given
              {...{ passages, threshold, query, askedAt, onOpen }}
              below={applied.length > 0}
              isOut={passages === given ? isOut : null}
            />
          )}
          {unused.map(
            ({ name, help, listed, folds }) =>
              listed.length > 0 && (
                <Unused
                  key={name}
                  title={t(`card.${name}`, { count: listed.length })}
                  help={t(`card.${help}`)}
                  folds={folds}
                  below={passages.length + applied.length > 0}
                >
                  {listed.map((passage) => (
                    <Passage
                      key={`${passage.messageId} ${passage.passage}`}
                      {...{ passage, threshold, query, askedAt, onOpen }}
                      missed
                      sent={listed === given}
                      unusable={listed === given && isOut(passage)}
                    />
                  ))}
                </Unused>
              ),
          )}
          {foot && (
            <div className="border-memory-line border-t px-3 *:my-0.5 [&>div>button:hover]:bg-memory-mark/40">
              {foot}
            </div>
          )}
        </div>
      )}
    </section>
  );
}

/** Says how many passages were sent, or that none were. */
function CardTitle({
  given,
  applied,
  nearMissesGiven,
  tokens,
  unsent,
  none,
}: {
  given: readonly RecalledPassage[];
  applied: readonly AppliedNote[];
  nearMissesGiven: boolean;
  tokens: number;
  unsent: boolean;
  none: 'none' | 'noneUsed';
}) {
  const { t } = useTranslation('memory');
  return (
    <>
      {given.length + applied.length > 0 ? (
        <>
          {[
            ...(given.length > 0
              ? [t(nearMissesGiven ? 'card.nearMissesGiven' : 'card.passages', { count: given.length })]
              : []),
            ...(applied.length > 0 ? [t('applied.count', { count: applied.length })] : []),
          ].join(' · ')}
          {!unsent && <span className="font-normal"> · {t('card.tokens', { count: tokens })}</span>}
        </>
      ) : (
        t(`card.${none}`)
      )}
    </>
  );
}

/** Lists the sent passages. `isOut`: null if they were not sent after all. */
function Given({
  passages,
  below,
  isOut,
  threshold,
  query,
  askedAt,
  onOpen,
}: {
  passages: readonly RecalledPassage[];
  /** True if notes stand above. */
  below: boolean;
  isOut: ((passage: RecalledPassage) => boolean) | null;
  threshold: number;
  query: string;
  askedAt: number | undefined;
  onOpen: (passage: RecalledPassage) => void;
}) {
  return (
    <ol className={classes('divide-y divide-memory-line/60', below && 'border-memory-line/60 border-t')}>
      {passages.map((passage) => (
        <Passage
          key={`${passage.messageId} ${passage.passage}`}
          {...{ passage, threshold, query, askedAt, onOpen }}
          unusable={isOut?.(passage) ?? false}
        />
      ))}
    </ol>
  );
}

/**
 * Lists passages that were found but not used, below a line that says why; with
 * `folds` only that line is shown at first.
 */
function Unused({
  title,
  help,
  folds,
  below,
  children,
}: {
  title: string;
  help: string;
  folds: boolean;
  /** True if other passages stand above. */
  below: boolean;
  children: ReactNode;
}) {
  const [unfolded, setUnfolded] = useState(false);
  const list = useId();
  const open = unfolded || !folds;
  const head = (
    <>
      <span className="font-medium text-ink-2">{title}</span>
      <span>{help}</span>
    </>
  );
  return (
    <div className={classes('bg-paper/60', below && 'border-memory-line border-t')}>
      {folds ? (
        <button
          type="button"
          aria-expanded={open}
          aria-controls={list}
          onClick={() => setUnfolded(!unfolded)}
          className="touchable -outline-offset-2 flex w-full items-center gap-2 px-3 py-1.5 text-left text-ink-3 text-xs hover:bg-memory-mark/40"
        >
          <span className="flex min-w-0 flex-1 flex-wrap gap-x-2">{head}</span>
          <ChevronRight
            size={15}
            aria-hidden
            className={classes('shrink-0 transition-transform', open && 'rotate-90')}
          />
        </button>
      ) : (
        <p className="flex flex-wrap gap-x-2 px-3 pt-2 pb-1 text-ink-3 text-xs">{head}</p>
      )}
      <ol id={list} hidden={!open} className="pb-1">
        {open && children}
      </ol>
    </div>
  );
}
