// One message of the branch: whose it is, what it looks like, and the letters that came to it or went from it.
import { Mail, StickyNote } from 'lucide-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageId } from '../../domain/base/ids.ts';
import { letterOf } from '../../domain/chat/dmail.ts';
import type { Part, PartOf } from '../../domain/chat/message.ts';
import { classes } from '../shell/controls.tsx';
import { Answer, AnswerParts } from './answer.tsx';
import { DrawnOrPlain, wordsOf } from './drawn-or-plain.tsx';
import { FilePart, isPicture } from './file-part.tsx';
import { useActions } from './message-actions.ts';
import { Fold } from './parts.tsx';
import { PersonMessage } from './person-message.tsx';
import type { Row } from './rows.ts';

/** Where a letter came from, and where letters went from here. */
function DmailLinks({ row }: { row: Extract<Row, { type: 'message' }> }) {
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

/** What a tool gave back: the pictures that it made are seen, the rest is folded to one line above them. */
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

/** A message of the branch. Focusable, so that J and K can walk; `marked` while it glows after a jump. */
export const MessageView = memo(function MessageView({
  row,
  results,
  marked,
  last,
}: {
  row: Extract<Row, { type: 'message' }>;
  results: ReadonlyMap<string, PartOf<'tool-result'>>;
  marked: boolean;
  last: boolean;
}) {
  const { t } = useTranslation('chat');
  const { t: tc } = useTranslation('context');
  const { message } = row;
  const letter = letterOf(message) !== null;
  const who = letter
    ? 'letter'
    : message.role === 'user'
      ? 'you'
      : message.role === 'assistant'
        ? 'model'
        : message.role;
  return (
    <article
      data-message-id={message.id}
      tabIndex={-1}
      aria-label={t(`said.${message.kind === 'recall' ? 'memory' : who}`)}
      className={classes(
        'group/message -mx-3 rounded-lg px-3 outline-none transition-colors duration-700 focus-visible:bg-fill/50 md:-mx-4 md:px-4',
        marked && 'bg-memory-soft! ring-1 ring-memory-line',
        row.folded && 'folded-edge',
      )}
    >
      {row.folded && <span className="sr-only">{tc('divider.foldedMessage')}</span>}
      <DrawnOrPlain words={() => wordsOf([...row.pieces, message].flatMap(({ parts }) => parts))} of={row}>
        {message.role === 'user' ? (
          <PersonMessage message={message} siblings={row.siblings} kept={row.kept} />
        ) : message.role === 'assistant' ? (
          <Answer
            message={message}
            pieces={row.pieces}
            siblings={row.siblings}
            continued={row.continued}
            remembered={row.remembered}
            results={results}
            last={last}
          />
        ) : (
          <ToolMessage parts={message.parts} results={results} label={t(`said.${who}`)} />
        )}
      </DrawnOrPlain>
      <DmailLinks row={row} />
    </article>
  );
});
