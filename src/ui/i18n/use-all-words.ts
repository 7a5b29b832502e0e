// For what is on the first screen and says words of a namespace that comes later.
import { useEffect } from 'react';
import { ignore } from '../../domain/base/log.ts';
import { useReadable } from '../hooks/app.tsx';
import { allWords, type Language, wholeLanguages } from './index.ts';
import { useTranslation } from './use-translation.ts';

/** True once every word of the language in force is there. Asks for them where they are `wanted`. */
export function useAllWords(wanted: boolean): boolean {
  const language = useTranslation('shell').language as Language;
  const isWhole = useReadable(wholeLanguages, (languages) => languages.has(language));
  useEffect(() => {
    if (wanted && !isWhole)
      ignore(allWords(language), 'words of later screens; without them their line is left out');
  }, [wanted, isWhole, language]);
  return isWhole;
}
