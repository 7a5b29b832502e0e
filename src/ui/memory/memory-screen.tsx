// Memory screen: notes and proposals, the library as pictures, and the index with a search to try.
import { Brain, Eraser } from 'lucide-react';
import { Suspense, useMemo, useRef } from 'react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useFocusFallback } from '../hooks/focus-fallback.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useProposals } from '../hooks/proposals.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, EmptyState, Skeleton } from '../shell/controls.tsx';
import { loaded } from '../shell/error-boundary.tsx';
import { Header } from '../shell/header.tsx';
import { Loading } from '../shell/reading.tsx';
import { ConversationList } from './conversation-list.tsx';
import { FeedbackList } from './feedback-list.tsx';
import { IndexStatus } from './index-status.tsx';
import { Layers } from './layers.tsx';
import { NoteInbox } from './note-inbox.tsx';
import { NoteList } from './note-list.tsx';
import { RecentRecalls } from './recent-recalls.tsx';
import { TryIt } from './try-it.tsx';

// Loads the plotting library only when a person opens the pictures.
const Pictures = loaded(() => import('./pictures.tsx').then((module) => module.Pictures));

const PARTS = ['', 'pictures', 'index'] as const;
type Part = (typeof PARTS)[number];

export function MemoryScreen({ section }: { section: string }) {
  const { t } = useTranslation(['memory', 'forget', 'shell']);
  const app = useApp();
  const { ready, problem, entries } = useReadable(app.documents.library);
  const proposals = useProposals();
  const session = useSession();
  const navigation = useNavigation();
  const listed = useMemo(
    () => entries.filter((entry) => entry.deletedAt === null && !entry.child),
    [entries],
  );
  const page = useRef<HTMLDivElement>(null);
  useFocusFallback(page);
  const part: Part = PARTS.find((one) => one === section) ?? '';
  return (
    <>
      <Header>
        <h1 className="truncate font-semibold">{t('screen.title')}</h1>
        <Button
          size="sm"
          className="ml-auto"
          icon={<Eraser size={14} aria-hidden />}
          onClick={() => session.forgetting.set({ words: '' })}
        >
          {t('forget:open')}
        </Button>
      </Header>
      <div ref={page} className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="mx-auto w-full max-w-200 px-4 pt-4 pb-20 md:px-8">
          <nav aria-label={t('screen.parts.label')} className="mb-6 flex flex-wrap gap-1 border-b pb-2">
            {PARTS.map((one) => (
              <button
                key={one}
                type="button"
                aria-current={part === one ? 'page' : undefined}
                onClick={() => navigation.openScreen('memory', one)}
                className={classes(
                  'touchable h-8 whitespace-nowrap rounded-md px-2.5 text-ink-2 hover:bg-fill hover:text-ink',
                  'aria-[current=page]:bg-fill aria-[current=page]:font-medium aria-[current=page]:text-ink',
                )}
              >
                {t(`screen.parts.${one || 'knows'}`)}
                {one === '' && proposals.length > 0 && ' '}
                {one === '' && proposals.length > 0 && (
                  <span
                    className="ml-1.5 text-memory tabular-nums"
                    title={t('shell:toDecide', { count: proposals.length })}
                  >
                    {t('shell:toDecideShort', { count: proposals.length })}
                  </span>
                )}
              </button>
            ))}
          </nav>
          {part === '' ? (
            <div className="space-y-10">
              <p className="text-ink-2">{t('knows.lead')}</p>
              <NoteInbox />
              <NoteList />
              <RecentRecalls />
              <FeedbackList />
            </div>
          ) : ready && !problem && listed.length === 0 ? (
            <div className="space-y-10">
              {part === 'index' && <IndexStatus />}
              <EmptyState
                icon={<Brain size={26} aria-hidden />}
                title={t('screen.list.empty')}
                actions={
                  <>
                    <Button variant="primary" onClick={() => session.floating.set('import')}>
                      {t('screen.list.import')}
                    </Button>
                    <Button onClick={() => navigation.newConversation()}>{t('screen.list.start')}</Button>
                  </>
                }
              >
                {t('screen.list.emptyText')}
              </EmptyState>
            </div>
          ) : part === 'pictures' ? (
            <Suspense
              fallback={
                <Loading>
                  <Skeleton className="h-60 w-full" />
                </Loading>
              }
            >
              <Pictures />
            </Suspense>
          ) : (
            <div className="space-y-10">
              <p className="text-ink-2">{t('screen.lead')}</p>
              <IndexStatus />
              <Layers entries={listed} />
              <TryIt />
              <ConversationList entries={listed} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}
