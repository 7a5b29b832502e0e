// Loads the remaining words for parts of the first screen that use a later namespace.
import { useEffect } from 'react';
import { ignore } from '../../domain/base/log.ts';
import { useReadable } from '../hooks/app.tsx';
import { allWords, type Language, wholeLanguages } from './index.ts';
import { useTranslation } from './use-translation.ts';

/** True once all words of the current language are loaded. Requests them if they are `wanted`. */
export function useAllWords(wanted: boolean): boolean {
  const language = useTranslation('shell').language as Language;
  const isWhole = useReadable(wholeLanguages, (languages) => languages.has(language));
  useEffect(() => {
    if (wanted && !isWhole)
      ignore(allWords(language), 'words of later screens; without them their line is left out');
  }, [wanted, isWhole, language]);
  return isWhole;
}
