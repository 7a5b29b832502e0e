// Layers of memory: what the next answer gets by itself, what happened recently, and everything.

import { useEffect, useMemo, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Section } from './section.tsx';
import { countSentUnchanged } from './sent-unchanged.ts';

/** Age up to which a conversation is recent, ms. */
const RECENT_MS = 7 * 86_400_000;
const SHOWN = 3;

/** Number of messages of a conversation that are sent unchanged; null until it was read. */
function useSentAsIs(entry: LibraryEntry | undefined): number | null {
  const { documents } = useApp();
  const [sent, setSent] = useState<number | null>(null);
  useEffect(() => {
    setSent(null);
    if (!entry) return;
    let gone = false;
    // Claims nothing about a conversation that cannot be read: opening it says why.
    ignore(
      documents.read(entry.id).then((conversation) => {
        if (!gone && conversation) setSent(countSentUnchanged(conversation));
      }),
      'how much of a conversation is sent as it is',
    );
    return () => {
      gone = true;
    };
  }, [documents, entry]);
  return sent;
}

export function Layers({ entries }: { entries: readonly LibraryEntry[] }) {
  const { t } = useTranslation('memory');
  const navigation = useNavigation();
  const { documents, notes: memory } = useApp();
  const { notes, feedback } = useReadable(memory.state);
  const isKnown = useReadable(documents.library, ({ ready, problem }) => ready && !problem);
  const lastOpen = useReadable(useSession().lastOpen);
  const open = useMemo(() => entries.find(({ id }) => id === lastOpen), [entries, lastOpen]);
  const sent = useSentAsIs(open);
  const layers = useMemo(() => {
    const since = Date.now() - RECENT_MS;
    const working = open ? [open] : [];
    const recent = entries.filter((entry) => entry.updatedAt >= since);
    return [
      { name: 'working', entries: working },
      { name: 'recent', entries: recent },
      { name: 'longTerm', entries },
    ] as const;
  }, [entries, open]);
  const pinned = feedback.filter(({ verdict }) => verdict === 'pinned').length;
  return (
    <Section title={t('screen.layers.title')}>
      <div className="grid grid-cols-1 gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
        {layers.map((layer) => (
          <div key={layer.name} className="min-w-0 bg-paper px-4 py-3.5">
            <h3 className="font-medium">{t(`screen.layers.${layer.name}.name`)}</h3>
            <p className="mt-0.5 text-ink-3 text-xs">{t(`screen.layers.${layer.name}.what`)}</p>
            <p className="mt-2 text-ink-2 tabular-nums">
              {!isKnown
                ? '\u00a0'
                : layer.name !== 'working'
                  ? t('screen.list.count', { count: layer.entries.length })
                  : !open
                    ? t('screen.layers.working.none')
                    : // Renders the line before its number, so that nothing jumps.
                      sent === null
                      ? '\u00a0'
                      : t('screen.list.messages', { count: sent })}
            </p>
            <ul className="mt-1.5 -ml-1.5">
              {layer.entries.slice(0, SHOWN).map((entry) => (
                <li key={entry.id}>
                  <button
                    type="button"
                    title={formatExact(entry.updatedAt)}
                    onClick={() => navigation.openConversation(entry.id)}
                    className="touchable flex w-full items-baseline gap-2 rounded-sm px-1.5 py-1 text-left hover:bg-fill"
                  >
                    <span dir="auto" className="min-w-0 flex-1 truncate">
                      {shownTitle(entry.title, t('untitled'))}
                    </span>
                    <span className="shrink-0 text-ink-3 text-xs">{formatRelative(entry.updatedAt)}</span>
                  </button>
                </li>
              ))}
            </ul>
            {layer.name === 'longTerm' && notes.length + pinned > 0 && (
              <button
                type="button"
                onClick={() => navigation.openScreen('memory', 'notes')}
                className="touchable mt-1.5 rounded-xs text-left text-accent text-xs hover:underline"
              >
                {[
                  notes.length > 0 ? t('screen.layers.notes', { count: notes.length }) : '',
                  pinned > 0 ? t('screen.layers.pinned', { count: pinned }) : '',
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </button>
            )}
          </div>
        ))}
      </div>
    </Section>
  );
}
