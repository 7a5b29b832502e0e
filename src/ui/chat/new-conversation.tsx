// The empty page: starts a conversation, or returns to a recent one.

import { Download, MessageSquare, PlugZap, X } from 'lucide-react';
import { useCallback, useLayoutEffect, useRef, useState } from 'react';
import { newConversationId, newTemporaryId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Part } from '../../domain/chat/message.ts';
import { shownTitle } from '../../domain/text/shown.ts';
import { IDLE_TURN } from '../../services/chat/chat.ts';
import type { LibraryEntry, ProjectEntry } from '../../services/documents/documents.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { pathOf, useNavigation } from '../hooks/navigation.tsx';
import { type ShownOutcome, useSession } from '../hooks/session.tsx';
import { formatRelative } from '../i18n/index.ts';
import { gapAfter } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { FirstRun } from '../library/first-run.tsx';
import type { RecallChoice } from '../memory/recall-chip.tsx';
import { ProjectMark } from '../projects/project-mark.tsx';
import { useProjectToBegin } from '../projects/use-projects.ts';
import { AppLink } from '../shell/app-link.tsx';
import { OfflineBadge } from '../shell/app-notices.tsx';
import { Button, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { Header } from '../shell/header.tsx';
import { Logo } from '../shell/logo.tsx';
import { offer } from '../shell/offer.ts';
import { TwinWordsOf } from '../shell/twin-words.tsx';
import { useCommandLine, useOutcomes } from './command-line.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import { isEmptyPage } from './empty-page.ts';
import { DropOverlay, useFileDrop } from './file-drop.tsx';
import { InstructionsButton, InstructionsDialog } from './instructions.tsx';
import { Outcomes } from './outcomes.tsx';
import { useNewPersona } from './persona-picker.tsx';
import { TemporarySwitch, TemporaryWords } from './temporary.tsx';

export function NewConversation() {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const navigation = useNavigation();
  const composer = useRef<ComposerHandle>(null);
  const library = useReadable(app.documents.library);
  const outcomes = useLatestOutcome();
  const { forget } = outcomes;
  const drop = useFileDrop((files) => composer.current?.addFiles(files));
  const empty = library.ready && library.entries.length === 0;
  const hasModel = useReadable(app.settings.connections, ({ chosen }) => chosen !== null);
  const [instructions, setInstructions] = useState<string | null>(null);
  const [instructing, setInstructing] = useState(false);
  const temporary = useReadable(session.temporary);
  const [persona, setPersona] = useNewPersona();
  const command = useCommandLine(null, persona);
  const project = useProjectToBegin(temporary !== null);

  const runLine = (line: string) => {
    forget(() => true);
    return command(line);
  };
  const send = async (parts: readonly Part[], passages: RecallChoice) => {
    const isPlain = instructions === null && !persona && project === undefined;
    const own = temporary ?? (isPlain ? undefined : newConversationId());
    if (own)
      await orElse(
        app.documents.change(own, {
          meta: begunWith({ instructions, persona: persona?.id ?? null, project }),
        }),
        undefined,
        'instructions that are not written yet; they wait before the message, which tells of it',
      );
    const { conversationId } = await app.chat.send({
      parts,
      ...passages,
      ...(own ? { conversationId: own } : {}),
    });
    session.follow(conversationId);
    if (isEmptyPage()) navigation.openConversation(conversationId, null, { replace: true });
    session.temporary.update((now) => (now === conversationId ? null : now));
    session.project.set(null);
  };
  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      {...drop.handlers}
      // Removes the problem of a line when the person types another one.
      onInput={() => forget(isProblem)}
    >
      <Header
        actions={
          <>
            {hasModel && (
              <InstructionsButton set={instructions !== null} onClick={() => setInstructing(true)} />
            )}
            <TemporarySwitch
              on={temporary !== null}
              onChange={(on) => {
                session.temporary.set(on ? newTemporaryId() : null);
                session.composer.get()?.focus();
              }}
            />
          </>
        }
      >
        <span className="flex min-w-0 flex-1">
          {project && <BeginsIn project={project} onLeave={() => session.project.set(null)} />}
        </span>
        <OfflineBadge />
      </Header>
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex min-h-full w-full max-w-(--measure) flex-col justify-center pb-6">
          {outcomes.shown.length > 0 ? (
            <div className="px-5 md:px-8">
              <Outcomes place="new" shown={outcomes.shown} />
            </div>
          ) : temporary !== null ? (
            <TemporaryWords hasModel={hasModel} />
          ) : empty ? (
            <FirstRun />
          ) : (
            <div className="flex flex-col items-center gap-3 px-5 text-center">
              <Logo size={36} />
              <h1 className="font-semibold text-xl tracking-tight">{t('greeting')}</h1>
              <p className="max-w-96 text-balance break-keep text-ink-2">{t('greetingWords')}</p>
              <Beginnings
                entries={library.entries}
                hasModel={hasModel}
                onWords={(words) => session.composer.get()?.insert(words)}
              />
            </div>
          )}
        </div>
      </div>
      <Composer
        conversation={null}
        conversationId={null}
        turn={IDLE_TURN}
        draftOf={temporary}
        offers={temporary === null ? { movedFrom: null } : null}
        persona={{ value: persona?.id ?? null, onChange: setPersona }}
        send={send}
        runCommand={runLine}
        editLast={() => false}
        handle={composer}
      />
      {drop.over && <DropOverlay />}
      <InstructionsDialog
        open={instructing}
        onOpenChange={setInstructing}
        value={instructions}
        onSave={setInstructions}
      />
    </div>
  );
}

/** Properties of a conversation before its first message. */
const begunWith = ({
  instructions,
  persona,
  project,
}: {
  instructions: string | null;
  persona: string | null;
  project: ProjectEntry | undefined;
}) => ({
  systemPrompt: instructions,
  persona,
  createdAt: Date.now(),
  ...(project ? { projectId: project.id } : {}),
});

/** Says which project the conversation begins in. */
function BeginsIn({ project, onLeave }: { project: ProjectEntry; onLeave: () => void }) {
  const { t } = useTranslation('projects');
  const name = shownTitle(project.title, t('title'));
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5 rounded-full border border-line py-0.5 pr-1 pl-2.5 text-sm">
      <ProjectMark face={project.project.face} size={14} />
      <span dir="auto" className="min-w-0 truncate" title={t('begins', { name })}>
        <span className="sr-only">{t('begins', { name })}</span>
        <span aria-hidden>{name}</span>
      </span>
      <IconButton size="sm" label={t('leave')} icon={<X size={13} aria-hidden />} onClick={onLeave} />
    </span>
  );
}

const isProblem = ({ outcome }: ShownOutcome): boolean => outcome?.type === 'problem';

/**
 * Outcome of the latest command on this page. The next command or leaving the page removes it; only Back shows it
 * again, e.g. from a passage that it found.
 */
function useLatestOutcome() {
  const { outcomes } = useSession();
  const { visit, returned } = useNavigation();
  const shown = useOutcomes('new').slice(-1);
  const forget = useCallback(
    (over: (shown: ShownOutcome) => boolean) =>
      outcomes.update((all) => {
        const before = all.get('new') ?? [];
        return before.some(over)
          ? new Map(all).set(
              'new',
              before.filter((one) => !over(one)),
            )
          : all;
      }),
    [outcomes],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each visit to the page
  useLayoutEffect(() => {
    forget(returned ? isProblem : () => true);
  }, [visit]);
  return { shown, forget };
}

const GO_ON_WITH = 3;
const IDEAS = ['decided', 'said'] as const;
/** Questions that the sample conversations answer. */
const SAMPLE_IDEAS = ['first', 'second'] as const;

/** A long question may take two lines on a narrow screen. */
const IDEA = 'text-start';

/**
 * Empty page of a library with conversations: the latest ones to continue, and phrases that
 * a question to memory can begin with.
 */
function Beginnings({
  entries,
  hasModel,
  onWords,
}: {
  entries: readonly LibraryEntry[];
  hasModel: boolean;
  onWords: (words: string) => void;
}) {
  const { t } = useTranslation(['chat', 'library']);
  const navigation = useNavigation();
  const { floating } = useSession();
  const latest = entries
    .filter((entry) => entry.deletedAt === null && !entry.archived && !entry.child && entry.messageCount > 0)
    .slice(0, GO_ON_WITH);
  if (latest.length === 0) return null;
  const onlySamples = entries.every((entry) => entry.sample || entry.deletedAt !== null);
  // Offers the other ways of the first screen to a person who used one of them, until those were used, too.
  const hasHistory = entries.some((entry) => entry.source !== null && !entry.sample);
  return (
    <div className="mt-5 flex w-full max-w-120 flex-col gap-4 text-left">
      <section aria-label={t('begin.title')}>
        <h2 className="px-3 pb-1 text-ink-3 text-xs">{t('begin.title')}</h2>
        <ul>
          {latest.map((entry) => (
            <li key={entry.id}>
              <AppLink
                href={pathOf({ screen: 'conversation', conversationId: entry.id, messageId: null })}
                onOpen={() => navigation.openConversation(entry.id)}
                className="touchable flex min-h-9 items-center gap-3 rounded-md px-3 text-ink-2 hover:bg-fill hover:text-ink"
              >
                <MessageSquare size={15} aria-hidden className="shrink-0 text-ink-3" />
                <span dir="auto" className="min-w-0 truncate">
                  {shownTitle(entry.title, t('untitled'))}
                </span>
                <TwinWordsOf entry={entry} />
                <span className="shrink-0 text-ink-3 text-xs">{formatRelative(entry.updatedAt)}</span>
              </AppLink>
            </li>
          ))}
        </ul>
      </section>
      {onlySamples && <Samples count={entries.filter((entry) => entry.deletedAt === null).length} />}
      <div className="flex flex-wrap gap-2 px-3">
        {onlySamples
          ? SAMPLE_IDEAS.map((idea) => (
              <Button
                key={idea}
                size="sm"
                className={IDEA}
                onClick={() => onWords(t(`begin.sampleIdeas.${idea}`))}
              >
                {t(`begin.sampleIdeas.${idea}`)}
              </Button>
            ))
          : IDEAS.map((idea) => (
              <Button key={idea} size="sm" className={IDEA} onClick={() => onWords(t(`begin.ideas.${idea}`))}>
                {t(`begin.ideas.${idea}`).trim()}…
              </Button>
            ))}
      </div>
      {(!hasHistory || !hasModel) && (
        <div className="flex flex-wrap gap-x-2 gap-y-1 px-1">
          {!hasHistory && (
            <Button
              size="sm"
              variant="ghost"
              icon={<Download size={14} aria-hidden />}
              onClick={() => floating.set('import')}
            >
              {t('library:firstRun.import.title')}
            </Button>
          )}
          {!hasModel && (
            <Button
              size="sm"
              variant="ghost"
              icon={<PlugZap size={14} aria-hidden />}
              onClick={() => navigation.openScreen('settings', 'models')}
            >
              {t('library:firstRun.connect.title')}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** Says that all conversations here are samples, and offers to remove them. */
function Samples({ count }: { count: number }) {
  const { t } = useTranslation('chat');
  const app = useApp();
  const report = useReport();
  const [busy, setBusy] = useState(false);
  const words = t('begin.samples', { count });
  return (
    <p className="px-3 text-ink-2 text-sm">
      {words}
      {gapAfter(words)}
      <button
        type="button"
        disabled={busy}
        className="rounded-xs font-medium text-accent hover:underline disabled:text-ink-3"
        onClick={() => {
          setBusy(true);
          app.library
            .removeSamples()
            .then((count) => {
              offer(t('begin.samplesRemoved', { count }), {
                label: t('undo'),
                onClick: () => void app.library.addSamples().catch(report),
              });
            }, report)
            .finally(() => setBusy(false));
        }}
      >
        {t('begin.removeSamples')}
      </button>
    </p>
  );
}
