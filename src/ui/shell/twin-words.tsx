// Beside a title that several conversations have: the part of the first line that tells this one apart.
import { useEffect, useState } from 'react';
import { asConversationId } from '../../domain/base/ids.ts';
import { ignore } from '../../domain/base/log.ts';
import type { LibraryEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { classes } from './controls.tsx';
import { nearestTwins } from './twin-titles.ts';

/** Words that tell a conversation apart from others of its title; empty while nothing does, or while it is read. */
export function useTwinWords(entry: LibraryEntry): string {
  const { documents } = useApp();
  const twins = useReadable(documents.library, ({ entries }) => nearestTwins(entries, entry));
  const [words, setWords] = useState('');
  useEffect(() => {
    if (twins === '') return setWords('');
    let wanted = true;
    const read = async () => {
      const { wordsApart } = await import('./twins.ts');
      const found = await wordsApart(documents, entry.id, twins.split(' ').map(asConversationId));
      if (wanted) setWords(found);
    };
    ignore(read(), 'the times of the conversations still tell them apart');
    return () => {
      wanted = false;
    };
  }, [documents, entry, twins]);
  return words;
}

/** Fills the room between a title and what stands at the end of its row. */
export function TwinWords({ words }: { words: string }) {
  return (
    <span
      dir="auto"
      className={classes('flex-1 truncate text-ink-3 text-xs', words ? 'min-w-24' : 'min-w-0')}
    >
      {words}
    </span>
  );
}

/** The words beside the title of `entry`, read once it is shown. */
export function TwinWordsOf({ entry }: { entry: LibraryEntry }) {
  return <TwinWords words={useTwinWords(entry)} />;
}
