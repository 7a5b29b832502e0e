// Draws an answer at full width: its parts in order and how it ended, also while it is being written.
import {
  AppWindow,
  FilePenLine,
  History,
  RefreshCw,
  StepForward,
  StickyNote,
  TriangleAlert,
} from 'lucide-react';
import { type ComponentProps, Fragment, type ReactNode, useContext } from 'react';
import type { Problem } from '../../domain/base/errors.ts';
import { textWithSources } from '../../domain/chat/cited.ts';
import { joinedParts, joinPieces, pieceToContinue } from '../../domain/chat/continuation.ts';
import { type Message, type Part, type PartOf, textOf } from '../../domain/chat/message.ts';
import { wordsOfUnknown } from '../../domain/chat/unknown.ts';
import type { Omission, TurnState } from '../../services/chat/chat.ts';
import { formatDuration, formatList, formatNumber, formatPrice } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, IconButton, Spinner } from '../shell/controls.tsx';
import { type ProblemLike, ProblemNotice } from '../shell/problem-notice.tsx';
import { ReadingTools, useAnswerItems } from './answer-menu.tsx';
import { CompactionRunning } from './compaction.tsx';
import { allText, DrawnOrPlain } from './drawn-or-plain.tsx';
import { FilePart } from './file-part.tsx';
import { Markdown } from './markdown.tsx';
import { MessageActionsContext, useActions } from './message-actions.ts';
import { CopyButton, RarerTools, SiblingArrows, Stamp, TOOL_ROW } from './message-tools.tsx';
import { Fold, Reasoning, Sources, ToolLine } from './parts.tsx';
import { Recalled } from './recalled.tsx';
import type { MessageListRow } from './rows.ts';

/** Draws the parts of an answer in order of arrival. */
export function AnswerParts({
  parts,
  results,
  running,
  message,
}: {
  parts: readonly Part[];
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  running: boolean;
  /** Message that the parts belong to, once it is kept: its tool results can be sent back reworded. */
  message?: Message;
}) {
  const { t } = useTranslation('chat');
  const actions = useContext(MessageActionsContext);
  const rewordable = message && actions?.canWrite && actions.canAsk ? message : undefined;
  const own = new Map<string, PartOf<'tool-result'>>();
  const called = new Set<string>();
  for (const part of parts) {
    if (part.type === 'tool-result') own.set(part.callId, part);
    if (part.type === 'tool-call') called.add(part.callId);
  }
  const draw = (part: Part, at: number): ReactNode => {
    const last = running && at === parts.length - 1;
    const key = `${at}`;
    const drawn = drawPart(part, key, last);
    if (part.type === 'text' || drawn === null) return drawn;
    const result = part.type === 'tool-call' ? resultOf(part) : undefined;
    return (
      // Does not retry a part that failed to draw at every token of a running answer.
      <DrawnOrPlain key={key} words={() => allText([part, result])} of={last || (result ?? part)}>
        {drawn}
      </DrawnOrPlain>
    );
  };
  const resultOf = ({ callId }: PartOf<'tool-call'>) => own.get(callId) ?? results.get(callId);
  const drawPart = (part: Part, key: string, last: boolean): ReactNode => {
    switch (part.type) {
      case 'text':
        return (
          <Fragment key={key}>
            <Markdown text={part.text} streaming={last} />
            {part.sources && <Sources sources={part.sources} />}
          </Fragment>
        );
      case 'reasoning':
        return <Reasoning key={key} part={part} running={last} />;
      case 'tool-call':
        return (
          <ToolLine
            key={key}
            call={part}
            result={resultOf(part)}
            running={running}
            askedAt={message?.createdAt}
            onReword={rewordable && (() => actions?.sendBack(rewordable, part.callId))}
          />
        );
      case 'tool-result':
        // The call shows its result; only a result without a call stands alone.
        return called.has(part.callId) ? null : (
          <ToolLine
            key={key}
            call={{ type: 'tool-call', callId: part.callId, name: part.name ?? t('tool'), arguments: '' }}
            result={part}
            running={false}
            askedAt={message?.createdAt}
          />
        );
      case 'file':
        return (
          <div key={key} className="my-2">
            <FilePart part={part} />
          </div>
        );
      case 'recall':
        return null;
      case 'unknown':
        // Skips parts without words (a budget, a flag).
        return wordsOfUnknown(part.original) === '' ? null : (
          <Fold
            key={key}
            icon={<StickyNote size={14} aria-hidden />}
            body={() => (
              <pre className="overflow-auto font-mono text-xs">{JSON.stringify(part.original, null, 2)}</pre>
            )}
          >
            {t('unknownPart')}
          </Fold>
        );
    }
  };
  return parts.map(draw);
}

/** Shows model, tokens and seconds, and an amber mark if memory was used. */
export function UsageLine({ message, remembered }: { message: Message; remembered: number }) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { usage } = message;
  const facts = [
    message.model,
    message.reused !== undefined && tc('dmail.reused'),
    usage?.outputTokens !== undefined &&
      (usage.inputTokens !== undefined
        ? t(usage.estimated ? 'usageBothEstimated' : 'usageBoth', {
            input: formatNumber(usage.inputTokens),
            output: formatNumber(usage.outputTokens),
          })
        : t(usage.estimated ? 'usageEstimated' : 'usage', { output: formatNumber(usage.outputTokens) })),
    message.cost && message.cost.amount > 0 && formatPrice(message.cost),
    message.durationMs !== undefined && formatDuration(message.durationMs),
  ].filter((fact): fact is string => typeof fact === 'string' && fact !== '');
  const isRemembered = remembered > 0 && message.kind !== 'recall';
  if (facts.length === 0 && !isRemembered && !message.patch) return null;
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 text-ink-3 text-xs max-sm:-order-1 max-sm:basis-full">
      {isRemembered && (
        <span className="inline-flex items-center gap-1 text-memory">
          <History size={12} aria-hidden />
          {t('fromMemory', { count: remembered })}
        </span>
      )}
      {facts.length > 0 && <span className="truncate">{facts.join(' · ')}</span>}
      {message.patch && <PatchLine patch={message.patch} />}
    </span>
  );
}

/** Says how the answer was patched from an earlier one and what that saved, or why it could not be. */
function PatchLine({ patch }: { patch: NonNullable<Message['patch']> }) {
  const { t } = useTranslation('context');
  const { savedTokens: tokens = 0, savedCalls: calls = 0, reason } = patch;
  const words = reason
    ? t(reason === 'wanted' ? 'dmail.patch.wanted' : 'dmail.patch.failed')
    : [
        tokens > 0 ? t('dmail.patch.saved', { tokens }) : t('dmail.patch.done'),
        calls > 0 && t('dmail.patch.calls', { count: calls }),
      ]
        .filter(Boolean)
        .join(' ');
  return (
    <span className="inline-flex items-start gap-1 text-branch tabular-nums">
      <FilePenLine size={12} aria-hidden className="mt-0.5 shrink-0" />
      {words}
    </span>
  );
}

const paramsOf = (problem: Message['problem']): Problem['params'] =>
  (problem as { params?: Problem['params'] } | undefined)?.params;

/** Parameters to leave out of the next request because the endpoint rejected this one. */
const worthOmitting = ({ finish, problem }: Message): readonly Omission[] => {
  const params = paramsOf(problem);
  if (finish !== 'error' || problem?.code !== 'model-server') return [];
  if (['images', 'picture', 'size'].includes(String(params?.reason))) return ['images'];
  return params?.reason === 'request' || params?.reason === 'input' ? ['tools', 'thoughts'] : [];
};

/** Words for an answer that ended or was stopped without any text for a person; null for other answers. */
export function emptiness({
  finish,
  parts,
}: Pick<Message, 'finish' | 'parts'>):
  | 'noAnswer'
  | 'noAnswerButThoughts'
  | 'stoppedEmpty'
  | 'lengthReachedEmpty'
  | null {
  if (finish !== 'stop' && finish !== 'stopped' && finish !== 'length') return null;
  const said = parts.filter((part) => part.type !== 'recall' && !(part.type === 'text' && !part.text.trim()));
  if (finish === 'stopped') return said.length > 0 ? null : 'stoppedEmpty';
  if (said.some((part) => part.type !== 'reasoning')) return null;
  if (finish === 'length') return 'lengthReachedEmpty';
  return said.length > 0 ? 'noAnswerButThoughts' : 'noAnswer';
}

/** Problem of an answer. For a cut-off answer it says how much is there and whether it can go on. */
function problemIn(message: Message, whole: Message, goesOn: boolean): ProblemLike | undefined {
  const problem =
    message.problem ?? (message.finish === 'cut' ? { code: 'model-cut', message: 'Cut off' } : undefined);
  if (problem?.code !== 'model-cut' || goesOn) return problem;
  const isEmpty = whole.parts.every((part) => part.type === 'recall');
  return { ...problem, params: { ...paramsOf(problem), reason: isEmpty ? 'nothing' : 'again' } };
}

/**
 * Look of the line below an answer: broken off, ended early or empty, or finished with a
 * problem. Null if there is nothing to say.
 */
function endingOf(message: Message, whole: Message): 'broken' | 'early' | 'flawed' | null {
  if (message.finish === 'error' || message.finish === 'cut') return 'broken';
  const isEarly = message.finish === 'stopped' || message.finish === 'length';
  if (isEarly || (!message.problem && message.kind === 'message' && emptiness(whole))) return 'early';
  return message.problem ? 'flawed' : null;
}

/**
 * Explains why an answer did not end by itself or is empty, and offers to go on.
 * `whole`: the answer with its earlier pieces.
 */
function Ending({ message, whole, goesOn }: { message: Message; whole: Message; goesOn: boolean }) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const more = goesOn && actions.canWrite && actions.hasModel && (
    <Button
      size="sm"
      icon={<StepForward size={14} aria-hidden />}
      disabled={!actions.canAsk}
      onClick={() => actions.goOn(message.id)}
    >
      {t('goOn')}
    </Button>
  );
  const again = actions.canWrite && (
    <Button
      size="sm"
      icon={<RefreshCw size={14} aria-hidden />}
      disabled={!actions.canAsk}
      onClick={() => actions.regenerate(message.id)}
    >
      {t('retry')}
    </Button>
  );
  const without =
    actions.canWrite &&
    worthOmitting(message).map((what) => (
      <Button
        key={what}
        size="sm"
        disabled={!actions.canAsk}
        onClick={() => actions.regenerate(message.id, { without: what })}
      >
        {t(`sendWithout.${what}`)}
      </Button>
    ));
  const retry = (
    <>
      {more}
      {again}
      {without}
    </>
  );
  const ending = endingOf(message, whole);
  if (ending === 'broken')
    return (
      <ProblemNotice
        className="my-2"
        problem={problemIn(message, whole, goesOn) ?? { code: 'unexpected', message: t('failed') }}
        actions={retry}
      />
    );
  const empty = message.problem || message.kind !== 'message' ? null : emptiness(whole);
  if (ending === 'early')
    return (
      <div className="my-2 flex flex-wrap items-center gap-2 text-ink-2 text-sm">
        <span className="flex items-center gap-2">
          {message.finish === 'length' && (
            <TriangleAlert size={15} aria-hidden className="shrink-0 text-ink-3" />
          )}
          {t(empty ?? (message.finish === 'stopped' ? 'stopped' : 'lengthReached'))}
        </span>
        {retry}
      </div>
    );
  // A part of the answer could not be read.
  return message.problem ? (
    <ProblemNotice className="my-2" problem={message.problem} actions={retry} />
  ) : null;
}

/** Answer to draw: a finished one, or the one being written. */
export type ShownAnswer =
  | {
      readonly row: MessageListRow;
      readonly results: ReadonlyMap<string, PartOf<'tool-result'>>;
      readonly last: boolean;
    }
  | {
      readonly turn: TurnState;
      /** Parts of the earlier piece that this answer continues. */
      readonly before: readonly Part[];
    };

/** Keeps the same elements in place during and after writing, so that nothing is drawn again when the answer ends. */
export function Answer({ shown }: { shown: ShownAnswer }) {
  const { className, head, recalled, parts, foot } =
    'turn' in shown ? runningAnswer(shown) : endedAnswer(shown);
  return (
    <div className={className}>
      {head}
      <Recalled {...recalled} />
      <AnswerParts {...parts} />
      {foot}
    </div>
  );
}

interface AnswerPieces {
  readonly className: string;
  readonly head: ReactNode;
  readonly recalled: ComponentProps<typeof Recalled>;
  readonly parts: ComponentProps<typeof AnswerParts>;
  readonly foot: ReactNode;
}

function endedAnswer({ row, results, last }: Extract<ShownAnswer, { row: unknown }>): AnswerPieces {
  const { message, pieces, continued } = row;
  const fromMemory = message.kind === 'recall';
  const all = [...pieces, message];
  const whole = joinPieces(all);
  const text = textOf(whole);
  return {
    className: continued ? 'pt-1' : 'pt-1 pb-3',
    head: fromMemory && <MemoryHead />,
    recalled: {
      parts: whole.parts,
      answer: message.id,
      // The question came before it.
      askedAt: message.createdAt,
      read: !fromMemory,
      last,
      alone: fromMemory && message.finish !== 'error' && !text,
      defaultOpen: fromMemory,
    },
    parts: { parts: whole.parts, results, running: false, message },
    foot: (
      <>
        <Ending message={message} whole={whole} goesOn={last && pieceToContinue(all) !== undefined} />
        {!continued && <AnswerFoot row={row} whole={whole} text={text} last={last} />}
      </>
    ),
  };
}

function MemoryHead() {
  const { t } = useTranslation('chat');
  const actions = useActions();
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 pb-1 text-sm">
      <span className="inline-flex items-center gap-1.5 font-medium text-memory">
        <History size={15} aria-hidden />
        {t('recallAnswer')}
      </span>
      {!actions.hasModel && (
        <button
          type="button"
          onClick={actions.connectModel}
          className="touchable text-accent underline underline-offset-2"
        >
          {t('connectModel')}
        </button>
      )}
    </div>
  );
}

/** Row below an answer; on phones its cost has a line of its own. */
const FOOT = 'mt-1 flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1';
/** Its buttons. Where they begin a line, their icons stand below the first letter of the text, not their edges. */
const FOOT_TOOLS = 'flex flex-wrap items-center gap-x-2 first:-ms-1.5 pointer-coarse:first:-ms-3.5';
/** On phones the line with the cost is above them. */
const FOOT_TOOLS_FIRST = 'max-sm:-ms-1.5 max-sm:pointer-coarse:-ms-3.5';
/** Reserves the height of that row while the answer is written, so that the text does not jump when the row appears. */
const FOOT_SPACE =
  'mt-1 h-7 max-sm:h-[3.125rem] pointer-coarse:h-11 max-sm:pointer-coarse:h-[calc(1.375rem+44px)]';

/** Shows cost and tools of an answer. `whole`: all its pieces as one. */
function AnswerFoot({
  row: { message, pieces, siblings, remembered },
  whole,
  text,
  last,
}: {
  row: MessageListRow;
  whole: Message;
  text: string;
  last: boolean;
}) {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const copied = textWithSources(whole.parts, t('sourcesBelow'));
  const items = useAnswerItems(message, text, copied);
  return (
    <div className={FOOT}>
      {siblings && <SiblingArrows siblings={siblings} onShow={actions.show} />}
      <UsageLine message={whole} remembered={remembered} />
      <div className={classes(FOOT_TOOLS, !siblings && FOOT_TOOLS_FIRST)}>
        <ReadingTools message={message} />
        <div className={classes(TOOL_ROW, last && 'opacity-100')}>
          {text && <CopyButton text={copied} />}
          {/* A labelled button below an answer that ended early does the same. */}
          {actions.canWrite && endingOf(message, whole) === null && (
            <IconButton
              size="sm"
              label={t('regenerate')}
              icon={<RefreshCw size={15} aria-hidden />}
              disabled={!actions.canAsk}
              onClick={() => actions.regenerate(message.id)}
            />
          )}
          <RarerTools message={message} pieces={pieces} first={items} />
          <Stamp at={message.createdAt} />
        </div>
      </div>
    </div>
  );
}

/** Draws notes that a tool wrote for itself: kept, collapsed, hatched. */
export function Notes({
  messages,
  results,
}: {
  messages: readonly Message[];
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
}) {
  const { t } = useTranslation('chat');
  return (
    <Fold
      icon={<StickyNote size={14} aria-hidden className="shrink-0" />}
      body={() => (
        <div className="flex flex-col gap-3 text-ink-2">
          {messages.map((message) => (
            <div key={message.id} className="[&_.prose]:text-sm!">
              <AnswerParts parts={message.parts} results={results} running={false} />
            </div>
          ))}
        </div>
      )}
    >
      {t('notes', { count: messages.length })}
    </Fold>
  );
}

const NO_RESULTS: ReadonlyMap<string, PartOf<'tool-result'>> = new Map();

function runningAnswer({ turn, before }: Extract<ShownAnswer, { turn: unknown }>): AnswerPieces {
  const parts = joinedParts(before, turn.parts);
  const written = turn.parts.some((part) => part.type !== 'recall');
  return {
    className: 'pt-1 pb-3',
    head: turn.replay && turn.replay.total > 0 && <ReplayLine replay={turn.replay} />,
    recalled: { parts, answer: turn.answerId, read: turn.model !== null },
    parts: { parts, results: NO_RESULTS, running: true },
    foot: <TurnFoot turn={turn} written={written} />,
  };
}

function ReplayLine({ replay: { done, total, saved } }: { replay: NonNullable<TurnState['replay']> }) {
  const { t } = useTranslation('context');
  return (
    <p role="status" className="pb-1 text-branch text-xs tabular-nums">
      {t('dmail.replay.running', { done, total })}
      {saved > 0 && ` · ${t('dmail.replay.saved', { count: saved })}`}
    </p>
  );
}

/** Shows what the turn is waiting for and where it runs. */
function TurnFoot({ turn, written }: { turn: TurnState; written: boolean }) {
  const { t } = useTranslation('chat');
  let waiting: ReactNode = null;
  if (turn.status === 'compacting') waiting = <CompactionRunning />;
  else if (!written || turn.status === 'calling')
    waiting = (
      <p
        className={classes(
          'flex items-center gap-2.5 py-1.5 text-sm',
          turn.status === 'recalling' ? 'text-memory' : 'text-ink-3',
        )}
      >
        <Spinner className="scale-90" />
        {turn.status === 'recalling'
          ? t('recalling')
          : turn.status === 'calling'
            ? t('calling', { tools: formatList(turn.calls.map(({ name }) => name)) })
            : turn.status === 'confirming'
              ? t('confirming')
              : turn.model
                ? t('waitingFor', { model: turn.model })
                : t('waiting')}
      </p>
    );
  return (
    <>
      {waiting}
      {turn.inAnotherTab && (
        <p className="flex items-center gap-1.5 py-1 text-ink-3 text-xs">
          <AppWindow size={13} aria-hidden /> {t('inOtherTab')}
        </p>
      )}
      <div className={FOOT_SPACE} />
    </>
  );
}
