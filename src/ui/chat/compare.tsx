// Compares answers of several models to one question side by side (stacked on a phone);
// the person continues with one of them.
import { Columns3, Square } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { joinPieces } from '../../domain/chat/continuation.ts';
import { type Conversation, pathTo } from '../../domain/chat/conversation.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import { type ComparedAnswer, MAX_COMPARED } from '../../services/chat/chat.ts';
import { choiceOf } from '../../services/settings/model-in-use.ts';
import type { ModelChoice } from '../../services/settings/settings.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useModelInUse } from '../hooks/model.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, Spinner } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { FILTERED_FROM, FilterField, withWords } from '../shell/name-filter.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { AnswerParts, emptiness, UsageLine } from './answer.tsx';
import { nameAmong, useListedModels } from './model-list.tsx';

const NO_RESULTS: ReadonlyMap<string, PartOf<'tool-result'>> = new Map();

/** Joins the steps of the answer that ends with `last` into one message with all parts. */
function answerAt({ messages }: Conversation, last: MessageId | null) {
  const path = pathTo(messages, last);
  const asked = path.findLastIndex(({ role, kind }) => role === 'user' && kind === 'message');
  const steps = path.slice(asked + 1);
  const said = steps.filter(({ role }) => role === 'assistant');
  if (said.length === 0) return null;
  const results = new Map<string, PartOf<'tool-result'>>();
  const parts: Part[] = [];
  for (const step of steps)
    for (const part of step.parts)
      if (part.type === 'tool-result') results.set(part.callId, part);
      else if (part.type !== 'recall' && step.role === 'assistant') parts.push(part);
  return { whole: joinPieces(said), parts, results };
}

function Column({
  title,
  note,
  busy,
  foot,
  children,
}: {
  title: string;
  note?: string;
  busy: boolean;
  foot: ReactNode;
  children: ReactNode;
}) {
  return (
    <article
      aria-label={title}
      aria-busy={busy}
      className="flex min-w-0 flex-col rounded-lg border border-line bg-paper"
    >
      {/* Both stay in sight beside an answer of many screens. */}
      <header className="sticky -top-3 z-10 flex min-h-11 items-center gap-2 rounded-t-lg border-b bg-paper px-3 py-2">
        <h3 className="min-w-0 flex-1 truncate font-medium text-sm" title={title}>
          {title}
        </h3>
        {note && <span className="shrink-0 text-ink-3 text-xs">{note}</span>}
      </header>
      <div className="min-w-0 flex-1 px-3 py-1 [overflow-wrap:anywhere]">{children}</div>
      <footer className="sticky -bottom-5 z-10 flex flex-wrap items-center gap-2 rounded-b-lg bg-paper px-3 pt-2 pb-3">
        {foot}
      </footer>
    </article>
  );
}

/** Shows a kept answer: its words, how it ended, what it cost. */
function Kept({
  message,
  parts,
  results,
}: {
  message: Message;
  parts: readonly Part[];
  results: typeof NO_RESULTS;
}) {
  const { t } = useTranslation('chat');
  const failed = message.finish === 'error' || message.finish === 'cut';
  return (
    <>
      <AnswerParts parts={parts} results={results} running={false} />
      {parts.length === 0 && !failed && message.finish !== 'stopped' && (
        <p className="py-2 text-ink-2 text-sm">{t('compare.empty')}</p>
      )}
      {failed && (
        <ProblemNotice
          className="my-2"
          problem={message.problem ?? { code: 'unexpected', message: t('failed') }}
        />
      )}
      {message.finish === 'stopped' && (
        <p className="py-1 text-ink-2 text-sm">{t(emptiness({ finish: 'stopped', parts }) ?? 'stopped')}</p>
      )}
      <UsageLine message={{ ...message, model: undefined }} remembered={0} />
    </>
  );
}

function PickButton({ model, primary, onPick }: { model: string; primary: boolean; onPick: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <Button
      size="sm"
      variant={primary ? 'primary' : 'secondary'}
      aria-label={t('compare.pickOf', { model })}
      onClick={onPick}
    >
      {t('compare.pick')}
    </Button>
  );
}

/** Shows one of the asked models. */
function ComparedColumn({
  conversation,
  answer,
  onPick,
}: {
  conversation: Conversation;
  answer: ComparedAnswer;
  onPick: (message: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  const turn = useReadable(answer.turn);
  const last = useReadable(answer.last);
  const model = nameAmong(useListedModels(), answer.choice);
  const running = turn.status !== 'idle';
  const kept = running ? null : answerAt(conversation, last);
  const parts = turn.parts.filter(({ type }) => type !== 'recall');
  return (
    <Column
      title={model}
      busy={running}
      {...(running ? { note: t('compare.running') } : {})}
      foot={
        running ? (
          <Button
            size="sm"
            icon={<Square size={11} fill="currentColor" aria-hidden />}
            aria-label={t('compare.stop', { model })}
            onClick={answer.stop}
          >
            {t('stop')}
          </Button>
        ) : (
          <>
            {last !== null && <PickButton primary model={model} onPick={() => onPick(last)} />}
            {kept?.whole.finish !== 'stop' && (
              <Button size="sm" onClick={answer.again}>
                {t('compare.again')}
              </Button>
            )}
          </>
        )
      }
    >
      {running && (
        <>
          <AnswerParts parts={parts} results={NO_RESULTS} running />
          {parts.length === 0 && (
            <p className="flex items-center gap-2.5 py-2 text-ink-3 text-sm">
              <Spinner className="scale-90" />
              {t('compare.waiting')}
            </p>
          )}
        </>
      )}
      {kept && <Kept message={kept.whole} parts={kept.parts} results={kept.results} />}
      {!running && !kept && turn.problem && <ProblemNotice className="my-2" problem={turn.problem} />}
    </Column>
  );
}

/** Chooses which models to ask, at most `MAX_COMPARED`. */
function Chooser({
  models,
  chosen,
  onChange,
}: {
  models: readonly (ModelChoice & { readonly key: string; readonly label: string | null })[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}) {
  const { t } = useTranslation('chat');
  const [filter, setFilter] = useState('');
  const shown = withWords(models, filter, ({ model, label }) => `${model} ${label ?? ''}`);
  return (
    <fieldset>
      <legend className="pb-1 font-medium text-sm">{t('compare.models')}</legend>
      <p className="pb-2 text-ink-2 text-sm">{t('compare.most', { count: MAX_COMPARED })}</p>
      {models.length >= FILTERED_FROM && (
        <FilterField
          label={t('filterModels')}
          value={filter}
          onFilter={setFilter}
          count={shown.length}
          total={models.length}
        />
      )}
      <div className="grid gap-0.5">
        {shown.map(({ key, model, label }) => (
          <label
            key={key}
            className="touchable flex min-h-9 items-center gap-2.5 rounded-sm px-1 hover:bg-fill"
          >
            <input
              type="checkbox"
              checked={chosen.includes(key)}
              disabled={!chosen.includes(key) && chosen.length >= MAX_COMPARED}
              onChange={({ target }) =>
                onChange(target.checked ? [...chosen, key] : chosen.filter((one) => one !== key))
              }
              className="accent-(--accent)"
            />
            <span className="min-w-0 truncate">{model}</span>
            {label && <span className="shrink-0 text-ink-3 text-xs">{label}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Every connected model except the one that already answered. */
function useCandidates(answer: Message) {
  const endpoints = useReadable(useApp().settings.connections, (connections) => connections.endpoints);
  return endpoints.flatMap(({ id, label, models }) =>
    models
      .filter((model) => model !== answer.model)
      .map((model) => ({
        key: `${id}/${model}`,
        endpointId: id,
        model,
        label: endpoints.length > 1 ? label : null,
      })),
  );
}

export function CompareDialog({
  conversation,
  answer,
  onClose,
  onGo,
}: {
  conversation: Conversation;
  /** Answer to compare the others with. */
  answer: Message;
  onClose: () => void;
  /** Moves the head to the branch of this message. */
  onGo: (message: MessageId) => void;
}) {
  const { t } = useTranslation('chat');
  const { chat, settings } = useApp();
  const report = useReport();
  const models = useCandidates(answer);
  const { endpoints } = useReadable(settings.connections);
  const { choice: inUse } = useModelInUse(conversation);
  const busy = useReadable(chat.turn(conversation.id), ({ status }) => status !== 'idle');
  const comparison = useReadable(chat.comparison(conversation.id));
  const [chosen, setChosen] = useState<readonly string[]>(() =>
    models.slice(0, models.length === 1 ? 1 : 0).map(({ key }) => key),
  );
  const [choosing, setChoosing] = useState(false);
  const shown = !choosing && comparison?.answer === answer.id ? comparison : null;
  const start = () => {
    const choices = models.filter(({ key }) => chosen.includes(key));
    chat.compare(conversation.id, answer.id, choices).then(() => setChoosing(false), report);
  };
  const goOn = (message: MessageId, by: ModelChoice | null) => {
    // The composer otherwise keeps the model that the conversation began with.
    if (by && (by.model !== inUse?.model || by.endpointId !== inUse.endpointId))
      settings.choose(by, conversation.id).catch(report);
    onGo(message);
  };
  const here = answerAt(conversation, answer.id);
  const byHere = answer.model === undefined ? null : choiceOf(endpoints, answer.model, inUse);
  const title = answer.model ?? t('compare.unknown');
  return (
    <Dialog
      open
      size={shown ? 'xl' : 'md'}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t('compare.title')}
      description={t('compare.lead')}
      footer={
        shown ? (
          <Button disabled={busy} onClick={() => setChoosing(true)}>
            {t('compare.choose')}
          </Button>
        ) : (
          <Button
            variant="primary"
            icon={<Columns3 size={15} aria-hidden />}
            disabled={chosen.length === 0}
            onClick={start}
          >
            {t('compare.start')}
          </Button>
        )
      }
    >
      {shown ? (
        <div
          className={classes(
            'grid gap-3',
            shown.answers.length > 1 ? 'md:grid-cols-2 lg:grid-cols-3' : 'md:grid-cols-2',
          )}
        >
          <Column
            title={title}
            note={t('compare.here')}
            busy={false}
            foot={<PickButton primary={false} model={title} onPick={() => goOn(answer.id, byHere)} />}
          >
            {here && <Kept message={here.whole} parts={here.parts} results={here.results} />}
          </Column>
          {shown.answers.map((one) => (
            <ComparedColumn
              key={`${one.choice.endpointId}/${one.choice.model}`}
              conversation={conversation}
              answer={one}
              onPick={(message) => goOn(message, one.choice)}
            />
          ))}
        </div>
      ) : (
        <Chooser models={models} chosen={chosen} onChange={setChosen} />
      )}
    </Dialog>
  );
}
