// *Remember this?*: proposals recognised in the person's own words, each with its kind, its
// source and the note that it may replace.
import { Check, Inbox as InboxIcon, Pencil, Replace, X } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import { NOTE_KINDS, type NoteKind } from '../../domain/memory/recognition/kinds.ts';
import type { MemoryNote, Proposal } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useMedia } from '../hooks/media.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useProposals } from '../hooks/proposals.ts';
import { formatExact, formatRelative } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Badge, Button, TextArea } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { Section } from './section.tsx';

/** Name of a project; null if there is none or it is gone. */
export function useProjectTitle(id: string | undefined): string | null {
  const { projects } = useReadable(useApp().documents.library);
  return projects.find((one) => one.id === id && one.deletedAt === null)?.title ?? null;
}

export function NoteInbox() {
  const { t } = useTranslation('memory');
  const app = useApp();
  const { never } = useReadable(app.notes.inbox);
  const proposals = useProposals();
  const report = useReport();
  const byModel = useReadable(app.settings.config, (config) => config.notes.propose_by_model);
  const refuseAll = () =>
    app.notes.refuse(proposals.map(({ id }) => id)).then(
      () =>
        offer(t('inbox.refusedAll', { count: proposals.length }), {
          label: t('notes.undo'),
          onClick: () => void Promise.all(proposals.map((one) => app.notes.reopen(one))).catch(report),
        }),
      report,
    );
  const noMore = () =>
    app.settings.set('notes.propose_by_model', false).then(
      () =>
        offer(t('inbox.modelIsOff'), {
          label: t('notes.undo'),
          onClick: () => void app.settings.set('notes.propose_by_model', true).catch(report),
        }),
      report,
    );
  const touch = useMedia('(pointer: coarse)');
  if (proposals.length === 0 && never.length === 0) return null;
  return (
    <Section
      title={t('inbox.title')}
      aside={
        proposals.length > 1 && (
          <Button size="sm" variant="ghost" onClick={() => void refuseAll()}>
            {t('inbox.none')}
          </Button>
        )
      }
    >
      {proposals.length > 0 && (
        <p className="mb-2 max-w-160 text-ink-2">{sentences(t('inbox.lead'), !touch && t('inbox.keys'))}</p>
      )}
      <ul className="space-y-2">
        {proposals.map((proposal) => (
          <ProposalRow key={proposal.id} proposal={proposal} />
        ))}
      </ul>
      {proposals.some(({ by }) => by === 'model') && byModel && (
        <p className="mt-3 flex flex-wrap items-center gap-2 text-ink-3 text-xs">
          {t('inbox.modelToo')}
          <Button size="sm" variant="ghost" onClick={() => void noMore()}>
            {t('inbox.modelOff')}
          </Button>
        </p>
      )}
      {never.length > 0 && (
        <p className="mt-3 flex flex-wrap items-center gap-2 text-ink-3 text-xs">
          {t('inbox.neverList')}
          {never.map((kind) => (
            <Button
              key={kind}
              size="sm"
              variant="ghost"
              onClick={() => void app.notes.setWanted(kind, true).catch(report)}
            >
              {t('inbox.allow', { kind: t(`kinds.${kind}`) })}
            </Button>
          ))}
        </p>
      )}
    </Section>
  );
}

/** Decisions on a proposal, each with its undo. `old`: note that it may replace. */
function useDecisions(proposal: Proposal, old: MemoryNote | undefined, notes: readonly MemoryNote[]) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const undo = (words: string, back: () => Promise<unknown>) =>
    offer(words, { label: t('notes.undo'), onClick: () => void back().catch(report) });

  const offerUndo = (note: MemoryNote | null, over?: string) => {
    if (!note) return;
    // Nothing new was kept if another note already said the same word for word.
    const wasThere = over === undefined && notes.some(({ id }) => id === note.id);
    undo(t('inbox.kept'), async () => {
      const gone = wasThere ? null : await app.notes.remove(note.id);
      if (over !== undefined && old) await app.notes.bring({ notes: [old], feedback: gone?.feedback ?? [] });
      await app.notes.reopen(proposal);
    });
  };
  const accept = (over?: string) =>
    app.notes
      .accept(proposal.id, over === undefined ? {} : { over })
      .then((note) => offerUndo(note, over), report);
  const refuse = () =>
    app.notes
      .refuse([proposal.id])
      .then(() => undo(t('inbox.refused'), () => app.notes.reopen(proposal)), report);
  const never = () =>
    app.notes
      .setWanted(proposal.kind, false)
      .then(
        () =>
          undo(t('inbox.neverAgain', { kind: t(`kinds.${proposal.kind}`) }), () =>
            app.notes.setWanted(proposal.kind, true),
          ),
        report,
      );
  return { offerUndo, accept, refuse, never };
}

function ProposalRow({ proposal }: { proposal: Proposal }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const navigation = useNavigation();
  const notes = useReadable(app.notes.state, (state) => state.notes);
  const [editing, setEditing] = useState(false);
  const project = useProjectTitle(proposal.project);
  const old = notes.find(({ id }) => id === proposal.replaces);
  const { offerUndo, accept, refuse, never } = useDecisions(proposal, old, notes);
  const onKeyDown = (event: KeyboardEvent<HTMLLIElement>) => {
    if (event.target !== event.currentTarget || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === 'Enter') void accept(old?.id);
    else if (event.key === 'e') setEditing(true);
    else if (event.key === 'r') void refuse();
    else if (event.key === 'n') void never();
    else return;
    event.preventDefault();
  };

  if (editing)
    return (
      <li className="rounded-lg border border-line p-3">
        <ProposalForm
          proposal={proposal}
          onKept={(note) => {
            setEditing(false);
            offerUndo(note);
          }}
          onDone={() => setEditing(false)}
        />
      </li>
    );
  return (
    <li
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys act on the focused row; each action has a button, too
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="rounded-lg border border-memory-line bg-memory-soft px-3 py-2.5"
    >
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-ink-3 text-xs">
        <InboxIcon size={14} aria-hidden className="text-memory" />
        <Badge tone="memory">{t(`kind.${proposal.kind}`)}</Badge>
        <Badge>{project ? t('inbox.inProject', { project }) : t('inbox.everywhere')}</Badge>
        <button
          type="button"
          className="touchable rounded-xs text-accent hover:underline"
          onClick={() =>
            navigation.openConversation(
              asConversationId(proposal.source.conversationId),
              asMessageId(proposal.source.messageId),
            )
          }
        >
          {t('inbox.said')}
        </button>
        <time dateTime={new Date(proposal.at).toISOString()} title={formatExact(proposal.at)}>
          {formatRelative(proposal.at)}
        </time>
        {proposal.by === 'model' && <span>{t('inbox.byModel')}</span>}
      </p>
      <p dir="auto" className="mt-1.5 whitespace-pre-wrap break-words text-ink [overflow-wrap:anywhere]">
        {proposal.text}
      </p>
      {old && (
        <p className="mt-1 text-ink-2 text-xs">
          {t('inbox.replaces', { text: old.text, when: formatRelative(old.since ?? old.updatedAt) })}
        </p>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {old && (
          <Button
            size="sm"
            variant="primary"
            icon={<Replace size={14} aria-hidden />}
            onClick={() => void accept(old.id)}
          >
            {t('inbox.replace')}
          </Button>
        )}
        <Button
          size="sm"
          variant={old ? 'secondary' : 'primary'}
          icon={<Check size={14} aria-hidden />}
          onClick={() => void accept()}
        >
          {t(old ? 'inbox.both' : 'inbox.keep')}
        </Button>
        <Button size="sm" icon={<Pencil size={14} aria-hidden />} onClick={() => setEditing(true)}>
          {t('inbox.edit')}
        </Button>
        <Button size="sm" icon={<X size={14} aria-hidden />} onClick={() => void refuse()}>
          {t('inbox.refuse')}
        </Button>
        <Button size="sm" variant="ghost" onClick={() => void never()}>
          {t('inbox.never', { kind: t(`kinds.${proposal.kind}`).toLocaleLowerCase() })}
        </Button>
      </div>
    </li>
  );
}

function ProposalForm({
  proposal,
  onKept,
  onDone,
}: {
  proposal: Proposal;
  /** Null: the person decided on another device. */
  onKept: (note: MemoryNote | null) => void;
  onDone: () => void;
}) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const [text, setText] = useState(proposal.text);
  const [kind, setKind] = useState<NoteKind>(proposal.kind);
  const project = useProjectTitle(proposal.project);
  const [everywhere, setEverywhere] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = () =>
    app.notes
      .accept(proposal.id, { text, kind, ...(everywhere ? { project: null } : {}) })
      .then(onKept, (error: unknown) => setProblem(toProblem(error)));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextArea
        label={t('inbox.edit')}
        hideLabel
        rows={2}
        value={text}
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey) && text.trim() !== '') void save();
          if (event.key === 'Escape') onDone();
        }}
      />
      {problem && <ProblemNotice problem={problem} compact className="mt-2" />}
      <div className="mt-2 flex flex-wrap justify-end gap-2">
        <KindSelect value={kind} onValueChange={setKind} />
        {project && (
          <label className="touchable flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              checked={everywhere}
              onChange={(event) => setEverywhere(event.target.checked)}
            />
            {t('inbox.everywhere')}
          </label>
        )}
        <Button variant="ghost" onClick={onDone}>
          {t('notes.cancel')}
        </Button>
        <Button variant="primary" type="submit" disabled={text.trim() === ''}>
          {t('inbox.keep')}
        </Button>
      </div>
    </form>
  );
}

export function KindSelect({
  value,
  onValueChange,
}: {
  value: NoteKind | undefined;
  onValueChange: (kind: NoteKind) => void;
}) {
  const { t } = useTranslation('memory');
  return (
    <Select
      label={t('notes.kind')}
      placeholder={t('notes.kind')}
      value={value}
      onValueChange={onValueChange}
      options={NOTE_KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) }))}
      className="mr-auto"
    />
  );
}
