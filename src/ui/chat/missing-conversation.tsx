// Page of a conversation erased here, in another tab or on another device. Its unsent text is still here
// and can be moved to a new conversation.
import { ArrowRight, Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Problem } from '../../domain/base/errors.ts';
import type { ConversationId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import type { StoredDraft } from '../../services/chat/composer-drafts.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useSession } from '../hooks/session.tsx';
import { formatList } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Header } from '../shell/header.tsx';
import { ProblemNotice, useCopy } from '../shell/problem-notice.tsx';
import { takeUnsent, takeUnsentAlong } from './unsent.ts';

/** `onRetry` opens it again; absent for one that was erased. */
export function MissingConversation({
  id,
  problem,
  onRetry,
}: {
  id: ConversationId;
  problem: Problem;
  onRetry?: () => Promise<void>;
}) {
  const app = useApp();
  const { t } = useTranslation(['chat', 'shell']);
  const navigation = useNavigation();
  const report = useReport();
  const listed = useReadable(app.documents.library, ({ entries }) =>
    entries.some((entry) => entry.id === id),
  );
  const missing = problem.code === 'conversation-missing';
  // Stop an answer that is still running there: it cannot be kept and would cost money.
  useEffect(() => {
    if (missing) app.chat.stop(id);
  }, [app, id, missing]);
  return (
    <>
      <Header>{null}</Header>
      <div className="mx-auto w-full max-w-(--measure) flex-1 overflow-y-auto p-6">
        <ProblemNotice
          problem={problem}
          place="read"
          actions={
            <>
              {listed && missing && (
                <Button
                  size="sm"
                  onClick={() => {
                    app.documents.unlist(id).then(navigation.newConversation, report);
                  }}
                >
                  {t('unlist')}
                </Button>
              )}
              {onRetry && !missing && (
                <Button size="sm" onClick={() => void onRetry()}>
                  {t('shell:tryAgain')}
                </Button>
              )}
              <Button size="sm" onClick={navigation.newConversation}>
                {t('startNew')}
              </Button>
            </>
          }
        />
        {missing && <Unsent id={id} />}
      </div>
    </>
  );
}

/** Shows the unsent texts in full. */
function Unsent({ id }: { id: ConversationId }) {
  const { chat } = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const report = useReport();
  const [copy, copied] = useCopy();
  const [draft, setDraft] = useState<StoredDraft | null>(null);
  useEffect(() => {
    let here = true;
    takeUnsent(chat, id).then(
      (found) => here && setDraft(found),
      (error: unknown) => log.warn('What was written could not be read', error),
    );
    return () => {
      here = false;
    };
  }, [chat, id]);
  if (draft === null) return null;
  const { text, files } = draft;
  return (
    <section aria-label={t('unsent')} className="mt-6">
      <h2 className="mb-2 text-ink-2 text-sm">{t('unsent')}</h2>
      <div className="rounded-lg border px-4 py-3">
        {text !== '' && (
          <p className="reading max-h-[40dvh] overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
            {text}
          </p>
        )}
        {files.length > 0 && (
          <p className="text-ink-2 text-sm">
            {formatList(files.map(({ part }) => part.name ?? part.mediaType))}
          </p>
        )}
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={<ArrowRight size={14} aria-hidden />}
          onClick={() => {
            takeUnsentAlong(chat, id, draft, session.temporary.get()).then(
              navigation.newConversation,
              report,
            );
          }}
        >
          {t('takeAlong')}
        </Button>
        {text !== '' && (
          <Button
            size="sm"
            variant="ghost"
            icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            onClick={() => copy(text)}
          >
            {copied ? t('copied') : t('copy')}
          </Button>
        )}
      </div>
    </section>
  );
}
