// Lists the notes that apply on a recall card, each with a switch for the next request.
import { BookmarkCheck, BookmarkX } from 'lucide-react';
import type { AppliedNote } from '../../domain/chat/message.ts';
import { isNoteKind } from '../../domain/memory/recognition/kinds.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';

export function AppliedNotes({ applied }: { applied: readonly AppliedNote[] }) {
  const { t } = useTranslation('memory');
  const app = useApp();
  const report = useReport();
  const notes = useReadable(app.notes.state, (state) => state.notes);
  return (
    <div className="px-3 py-2.5">
      <p className="flex flex-wrap gap-x-2 text-ink-3 text-xs">
        <span className="font-medium text-ink-2">{t('applied.title')}</span>
        <span>{t('applied.help')}</span>
      </p>
      <ul className="mt-1">
        {applied.map(({ id, text, kind }) => {
          const note = notes.find((one) => one.id === id);
          const isHeld = note?.applies === false;
          return (
            <li key={id} className="flex items-start gap-2 py-1">
              <p dir="auto" className="min-w-0 flex-1 break-words text-ink [overflow-wrap:anywhere]">
                {text}
              </p>
              {isNoteKind(kind) && <Badge>{t(`kind.${kind}`)}</Badge>}
              {note && (
                <IconButton
                  size="sm"
                  pressed={isHeld}
                  label={t(isHeld ? 'applied.send' : 'applied.hold')}
                  icon={
                    isHeld ? <BookmarkX size={15} aria-hidden /> : <BookmarkCheck size={15} aria-hidden />
                  }
                  onClick={() =>
                    void app.notes.revise(id, { applies: isHeld ? undefined : false }).catch(report)
                  }
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
