// Says that a temporary conversation was left, because it is in no list, and leads back to it.
import { useEffect } from 'react';
import { isTemporary } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer } from '../shell/offer.ts';

/** Watches which conversation is on the screen. One that was ended or kept has nothing to go back to. */
export function useLeftTemporary(): void {
  const { documents } = useApp();
  const { current } = useSession();
  const { t } = useTranslation('chat');
  const latest = useLatest({ t, navigation: useNavigation() });
  useEffect(() => {
    let shown = current.get();
    return current.subscribe(() => {
      const left = shown;
      shown = current.get();
      if (left === null || left === shown || !isTemporary(left)) return;
      void orElse(documents.read(left), undefined, 'a temporary conversation that was left').then((still) => {
        if (!still || still.messages.size === 0 || current.get() === left) return;
        const { t } = latest.current;
        offer(t('temporary.left'), {
          label: t('temporary.backToIt'),
          onClick: () => latest.current.navigation.openConversation(left),
        });
      });
    });
  }, [documents, current, latest]);
}
