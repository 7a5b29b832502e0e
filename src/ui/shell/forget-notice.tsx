// Reports how a forgetting ended whose dialog was closed or whose page was reloaded, and withdraws notices, those of
// the system too, that would undo it or name it; cleans outcomes of commands. Draws nothing itself.
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { closeSystemNotices } from '../../adapters/browser/system-notices.ts';
import { ignore, orElse } from '../../domain/base/log.ts';
import type { ForgetState } from '../../services/forget/forget.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer, withdrawNotices } from './offer.ts';

/** Stores the id of what is being forgotten, without its words, so that the next page can report the end. */
const UNDER_WAY = 'forgetting-told';

export function ForgetNotice(): null {
  const { t } = useTranslation('forget');
  const { forget } = useApp();
  const session = useSession();
  const step = useReadable(forget.state, (state) => state.step);
  useEffect(
    () =>
      forget.onForgetting(({ clean }) => {
        withdrawNotices();
        session.readAloud.stop();
        session.outcomes.update((all) => new Map([...all].map(([place, shown]) => [place, clean(shown)])));
        ignore(closeSystemNotices(), 'notices of the system; they go when somebody reads them');
      }),
    [forget, session],
  );
  const say = (words: string, prepare = async () => {}) =>
    offer(words, {
      label: t('show'),
      onClick: () => void prepare().then(() => session.forgetting.set({ words: '' })),
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: reports each end once
  useEffect(() => {
    if ((step === 'done' || step === 'failed') && session.forgetting.get() === null)
      say(t(step === 'done' ? 'doneAway' : 'failed'));
  }, [step]);
  useEndAfterReload((id) =>
    say(t('doneAfterReload'), async () => {
      const report = await orElse(
        forget.reportOf(id),
        undefined,
        'the report; the list of what was forgotten stands there',
      );
      if (report) forget.reopen(report);
    }),
  );
  return null;
}

const idOf = (state: ForgetState): string | null => ('plan' in state ? state.plan.record.id : null);

/** Stores what this page is forgetting, and calls `onEnd` once the forgetting of an earlier page has ended. */
function useEndAfterReload(onEnd: (id: string) => void): void {
  const { forget, settings } = useApp();
  const own = useReadable(forget.state, idOf);
  const hadOwn = useRef(false);
  const [left, setLeft] = useState<string | null>(null);
  const ended = useEffectEvent(onEnd);
  useEffect(() => {
    ignore(
      settings.recallItem<string>(UNDER_WAY).then((id) => setLeft(id ?? null)),
      'what an earlier page was forgetting; the list of what was forgotten says it, too',
    );
  }, [settings]);
  useEffect(() => {
    if (own === null && !hadOwn.current) return;
    hadOwn.current = own !== null;
    ignore(
      settings.keepItem(UNDER_WAY, own ?? undefined),
      'what is being forgotten; after a reload the list of what was forgotten says it',
    );
  }, [settings, own]);
  const isOver = useReadable(
    forget.records,
    useCallback(
      (records) =>
        records.some(
          ({ id, confirmed }) => id === left && [...confirmed.values()].some((one) => one.left === 0),
        ),
      [left],
    ),
  );
  useEffect(() => {
    if (!isOver || left === null) return;
    ignore(settings.keepItem(UNDER_WAY, undefined), 'a notice that was shown; it comes again after a reload');
    ended(left);
  }, [settings, isOver, left]);
}
