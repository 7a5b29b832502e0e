// Temporary conversations: how they begin, what they say about themselves, and how they end or are kept.
import { Ghost } from 'lucide-react';
import { toast } from 'sonner';
import { type ConversationId, newTemporaryId } from '../../domain/base/ids.ts';
import { wholeOf } from '../../services/documents/documents.ts';
import { useApp } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';

/** The switch on the empty page. */
export function TemporarySwitch({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation('chat');
  return (
    <IconButton
      label={t('temporary.title')}
      pressed={on}
      icon={<Ghost size={17} aria-hidden />}
      words={t('temporary.title')}
      onClick={() => onChange(!on)}
    />
  );
}

/** Text of the empty page while the switch is on. Without a model, memory answers here, too. */
export function TemporaryWords({ hasModel }: { hasModel: boolean }) {
  const { t } = useTranslation('chat');
  return (
    <div className="flex flex-col items-center gap-3 px-5 text-center">
      <Ghost size={34} aria-hidden className="text-ink-3" />
      <h1 className="font-semibold text-xl tracking-tight">{t('temporary.title')}</h1>
      <p className="max-w-112 text-balance break-keep text-ink-2">{t('temporary.words')}</p>
      <p className="max-w-112 text-balance break-keep text-ink-3 text-sm">
        {t(hasModel ? 'temporary.others' : 'temporary.memoryAnswers')}
      </p>
    </div>
  );
}

/** Page shown in place of a temporary conversation that has ended. */
export function TemporaryEnded() {
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-3 px-5 pb-24 text-center">
      <Ghost size={34} aria-hidden className="text-ink-3" />
      <h1 className="font-semibold text-xl tracking-tight">{t('temporary.ended')}</h1>
      <p className="max-w-112 text-balance break-keep text-ink-2">{t('temporary.over')}</p>
      <Button onClick={navigation.newConversation}>{t('startNew')}</Button>
    </div>
  );
}

/** Bar above a temporary conversation while it lasts. */
export function TemporaryBar({ id, busy }: { id: ConversationId; busy: boolean }) {
  const app = useApp();
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const report = useReport();
  const session = useSession();
  const keep = () => {
    const keeping = app.documents.keep(id).then(async (kept) => {
      toast(t('temporary.kept'), { id: kept });
      app.memory.wake('changed');
      if (session.current.get() !== id) return;
      await session.composer.get()?.moveTo(kept);
      navigation.openConversation(kept, null, { replace: true });
    });
    keeping.catch(report);
  };
  const end = async () => {
    app.chat.stop(id);
    const ended = await app.documents.read(id);
    await app.documents.erase([id]);
    navigation.newConversation();
    if (!ended) return;
    const again = newTemporaryId();
    offer(t('temporary.endedNow'), {
      label: t('undo'),
      onClick: () =>
        void app.documents
          .change(again, wholeOf(ended))
          .then(() => navigation.openConversation(again), report),
    });
  };
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b bg-side px-4 py-1 text-ink-2 text-sm">
      <span className="flex min-w-[min(12rem,100%)] flex-1 items-center gap-2">
        <Ghost size={15} aria-hidden className="shrink-0 text-ink-3" />
        {t('temporary.bar')}
      </span>
      <span className="ms-auto flex flex-wrap justify-end gap-2">
        <Button size="sm" disabled={busy} onClick={keep}>
          {t('temporary.keep')}
        </Button>
        <Button size="sm" variant="ghost" onClick={() => void end().catch(report)}>
          {t('temporary.end')}
        </Button>
      </span>
    </div>
  );
}
