// Quiet line at an answer: why memory was asked, and why it could not be asked or only searched words.

import type { PartOf } from '../../domain/chat/message.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { type RecallRemark, remarksOn } from './recall-notes.ts';

/**
 * State if memory was not ready: `waiting` to be asked again, later passages `found` for an answer of its own, or
 * found `later` than a model answered.
 */
type SearchedAgain = 'waiting' | 'found' | 'later' | 'nothing';

export function RecallNote({
  recall,
  searchedAgain,
}: {
  recall: PartOf<'recall'>;
  searchedAgain?: SearchedAgain | undefined;
}) {
  const { t } = useTranslation('memory');
  const problemWords = useProblemWords();
  const words = (remark: RecallRemark): string => {
    switch (remark.say) {
      case 'trigger':
        return t(`card.trigger.${remark.trigger}`);
      case 'searchedFor':
        return t('card.searchedFor', { query: remark.query.replace(/\s+/g, ' ') });
      case 'none':
        return t('card.none');
      case 'slow':
        if (searchedAgain === 'waiting') return t('card.again.waitingSlow');
        return t(searchedAgain ? `card.again.${searchedAgain}` : 'card.slow');
      case 'notReady':
        return t(searchedAgain ? `card.again.${searchedAgain}` : 'card.notReady');
      case 'skipped':
        return t('card.skipped', { why: problemWords(remark.problem).what });
      case 'words':
        return t('card.wordsOnly', { why: problemWords(remark.problem).what });
    }
  };
  const remarks = remarksOn(recall);
  const { scope } = recall;
  if (remarks.length === 0 && !scope) return null;
  return (
    <p
      role={searchedAgain ? 'status' : undefined}
      className="mt-1 mb-2 text-ink-3 text-xs [overflow-wrap:anywhere]"
      data-recall-note
    >
      {sentences(
        ...remarks.map(words),
        scope && t(scope.name === '' ? 'card.scope.gone' : `card.scope.${scope.reach}`, { name: scope.name }),
      )}
    </p>
  );
}
