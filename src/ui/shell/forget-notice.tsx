// Says how a forgetting ended whose window was closed meanwhile. Draws nothing itself.
import { useEffect } from 'react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer } from './offer.ts';

export function ForgetNotice(): null {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  const session = useSession();
  const step = useReadable(forget.state, (state) => state.step);
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once for each end
  useEffect(() => {
    if ((step !== 'done' && step !== 'failed') || session.forgetting.get() !== null) return;
    offer(t(step === 'done' ? 'doneAway' : 'failed'), {
      label: t('show'),
      onClick: () => session.forgetting.set({ words: '' }),
    });
  }, [step]);
  return null;
}
