// Draws one message of the branch, with the D-Mails that it received or sent.
import { Mail, StickyNote } from 'lucide-react';
import { memo, useMemo } from 'react';
import type { MessageId } from '../../domain/base/ids.ts';
import { joinedParts, joinPieces } from '../../domain/chat/continuation.ts';
import { dmailNoteOf } from '../../domain/chat/dmail.ts';
import type { Message, Part, PartOf } from '../../domain/chat/message.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';
import { Answer, AnswerParts, type ShownAnswer } from './answer.tsx';
import { allText, DrawnOrPlain } from './drawn-or-plain.tsx';
import { FilePart, isPicture } from './file-part.tsx';
import { useActions } from './message-actions.ts';
import { Fold } from './parts.tsx';
import { PersonMessage } from './person-message.tsx';
import type { MessageListRow, RunningRow } from './rows.ts';
import { useTurn } from './turn-view.ts';

/** Links to the origin of a D-Mail and to the places that D-Mails from here went to. */
function DmailLinks({ row }: { row: MessageListRow }) {
  const { t } = useTranslation('context');
  const actions = useActions();
  const { arrived, left } = row;
  if (arrived.length === 0 && left.length === 0) return null;
  const link = (key: string, label: string, target: string) => (
    <button
      key={key}
      type="button"
      onClick={() => actions.jump(target as MessageId)}
      className="touchable inline-flex items-center gap-1.5 rounded-xs text-branch text-xs hover:underline"
    >
      <Mail size={13} aria-hidden />
      {label}
    </button>
  );
  return (
    <div className={classes('flex flex-wrap gap-x-3 py-0.5', row.message.role === 'user' && 'justify-end')}>
      {arrived.map(({ id, dmail }) => dmail && link(`from ${id}`, t(`dmail.from.${dmail.by}`), dmail.from))}
      {left.map(({ mail, dmail }) => link(mail.id, t(`dmail.left.${dmail.by}`), mail.id))}
    </div>
  );
}

/** Result of a tool: pictures are shown, the rest collapses into one line above them. */
function ToolMessage({
  parts,
  results,
  label,
}: {
  parts: readonly Part[];
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  label: string;
}) {
  const pictures = parts.flatMap((part) => (part.type === 'file' && isPicture(part) ? [part] : []));
  const rest = parts.filter((part) => !pictures.some((picture) => picture === part));
  return (
    <div className="py-1">
      {(rest.length > 0 || pictures.length === 0) && (
        <Fold
          icon={<StickyNote size={14} aria-hidden className="shrink-0" />}
          body={() => <AnswerParts parts={rest} results={results} running={false} />}
        >
          {label}
        </Fold>
      )}
      {pictures.length > 0 && (
        <div className="my-2 flex flex-wrap gap-2">
          {pictures.map((part, at) => (
            // Parts never change once written: their place is their identity.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <FilePart key={at} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}

/**
 * Draws a message of the branch or the answer being written, which alone is drawn at every token. Focusable, so
 * that J and K can move through messages.
 */
export const MessageView = memo(function MessageView({
  row,
  results,
  marked,
  last,
}: {
  row: MessageListRow | RunningRow;
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  /** Highlighted after a jump. */
  marked: boolean;
  last: boolean;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const running = row.type === 'running' ? row : null;
  const turn = useTurn(running?.conversationId ?? null);
  const begun = running?.begun;
  const before = useMemo(() => (begun && begun.length > 0 ? joinPieces(begun).parts : []), [begun]);
  const message = row.type === 'message' ? row.message : null;
  const compacted = row.type === 'message' && row.compacted;
  const answer: ShownAnswer | null =
    row.type === 'message' && row.message.role === 'assistant'
      ? { row, results, last }
      : turn && { turn, before };
  const parts = () =>
    row.type === 'message'
      ? [...row.pieces, row.message].flatMap((piece) => piece.parts)
      : joinedParts(before, turn?.parts ?? []);
  const who = t(`said.${message ? speakerOf(message) : 'model'}`);
  return (
    <article
      {...(message ? { 'data-message-id': message.id } : { 'aria-busy': true })}
      tabIndex={-1}
      aria-label={who}
      className={classes(
        'group/message -mx-3 rounded-lg px-3 outline-none transition-colors duration-700 focus-visible:bg-fill/50 md:-mx-4 md:px-4',
        marked && 'bg-memory-soft! ring-1 ring-memory-line',
        compacted && 'compacted-edge',
      )}
    >
      {compacted && <span className="sr-only">{tc('divider.compactedMessage')}</span>}
      <DrawnOrPlain words={() => allText(parts())} of={row}>
        {answer ? (
          <Answer shown={answer} />
        ) : row.type === 'message' && row.message.role === 'user' ? (
          <PersonMessage message={row.message} siblings={row.siblings} kept={row.kept} />
        ) : (
          message && <ToolMessage parts={message.parts} results={results} label={who} />
        )}
      </DrawnOrPlain>
      {row.type === 'message' && <DmailLinks row={row} />}
    </article>
  );
});

function speakerOf(message: Message) {
  if (message.kind === 'recall') return 'memory';
  if (dmailNoteOf(message) !== null) return 'dmail';
  if (message.role === 'user') return 'you';
  return message.role === 'assistant' ? 'model' : message.role;
}
