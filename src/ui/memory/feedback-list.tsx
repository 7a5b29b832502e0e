// Lists the person's feedback on passages: pinned, never again, not related. Each can be undone.
import { Ban, Pin, Unlink } from 'lucide-react';
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import type { Feedback } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Skeleton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { Loading } from '../shell/reading.tsx';
import { plainLine } from './marked-text.tsx';
import { passageTitle } from './passage-title.ts';
import { Section } from './section.tsx';

const ICONS = { pinned: Pin, never: Ban, 'not-related': Unlink } as const;

export function FeedbackList() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const navigation = useNavigation();
  const { ready, feedback } = useReadable(app.notes.state);
  const isFailed = useReadable(app.notes.failure, (failure) => failure !== null);
  const takeBack = (one: Feedback) => {
    app.notes.takeBack(one.id).then(
      () =>
        offer(t('feedback.takenBack'), {
          label: t('notes.undo'),
          onClick: () => void app.notes.judge(one).catch(report),
        }),
      report,
    );
  };
  // One notice for one document: the list of notes above has it.
  if (isFailed) return null;
  return (
    <Section title={t('feedback.title')}>
      <p className="mb-1 max-w-160 text-ink-2">{t('feedback.lead')}</p>
      {!ready && (
        <Loading className="pt-3">
          <Skeleton className="h-10 w-full" />
        </Loading>
      )}
      {ready && feedback.length === 0 && <p className="pt-3 text-ink-3">{t('feedback.none')}</p>}
      <ul className="divide-y divide-line">
        {feedback.map((one) => {
          const Icon = ICONS[one.verdict];
          return (
            <li key={one.id} className="flex items-start gap-3 py-3">
              <Icon size={15} aria-hidden className="mt-1 shrink-0 text-memory" />
              <div className="min-w-0 flex-1">
                <p className="text-ink-3 text-xs">
                  {one.query
                    ? t('feedback.notRelatedTo', { query: one.query })
                    : t(`feedback.${one.verdict}`)}
                  {' · '}
                  <time dateTime={new Date(one.at).toISOString()} title={formatExact(one.at)}>
                    {formatRelative(one.at)}
                  </time>
                </p>
                <button
                  type="button"
                  onClick={() =>
                    navigation.openConversation(
                      asConversationId(one.conversationId),
                      asMessageId(one.messageId),
                    )
                  }
                  className="touchable max-w-full truncate rounded-xs text-left font-medium hover:underline"
                >
                  {passageTitle(one, t)}
                </button>
                <p className="line-clamp-2 break-words text-ink-2 [overflow-wrap:anywhere]">
                  {plainLine(one.passage)}
                </p>
              </div>
              <Button size="sm" onClick={() => takeBack(one)}>
                {t('feedback.takeBack')}
              </Button>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
