// Draws notices above a composer: a missing model, refused files, files that may be exported conversations.
import { X } from 'lucide-react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import { useModelInUse } from '../hooks/model.ts';
import { useSession } from '../hooks/session.tsx';
import { formatList } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, IconButton } from '../shell/controls.tsx';
import type { Attachments } from './use-attachments.ts';
import type { ComposerDraft } from './use-composer-draft.ts';

/** Most file names listed at once. */
const NAMED = 3;
const namesOf = (names: readonly string[]): string =>
  `${formatList(names.slice(0, NAMED))}${names.length > NAMED ? ' …' : ''}`;

export function ComposerNotices({
  conversation,
  draft: { changeFiles },
  attachments: { refused, remarks, exports, dismissRefused, dismissExports },
}: {
  conversation: Conversation | null;
  draft: ComposerDraft;
  attachments: Attachments;
}) {
  const { t } = useTranslation('chat');
  const session = useSession();
  const { choice, missing } = useModelInUse(conversation);
  return (
    <>
      {missing !== null && (
        <p role="status" className="border-b px-4 py-2 text-ink-2 text-sm [overflow-wrap:anywhere]">
          {choice
            ? t('modelMissing', { missing, model: choice.model })
            : t('modelMissingMemory', { missing })}
        </p>
      )}
      {refused.length > 0 && (
        <div role="alert" className="flex items-start gap-2 border-b px-4 py-2 text-danger text-sm">
          <span className="min-w-0 flex-1">{refused.join(' ')}</span>
          <IconButton
            size="sm"
            label={t('close')}
            icon={<X size={14} aria-hidden />}
            onClick={dismissRefused}
          />
        </div>
      )}
      {remarks.length > 0 && (
        <div role="status" className="flex items-start gap-2 border-b px-4 py-2 text-ink-2 text-sm">
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{remarks.join(' ')}</span>
          <IconButton
            size="sm"
            label={t('close')}
            icon={<X size={14} aria-hidden />}
            onClick={dismissRefused}
          />
        </div>
      )}
      {exports && (
        <div role="status" className="flex items-center gap-2 border-b px-4 py-2 text-sm">
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            {t('export.ask', { names: namesOf(exports.names) })}
          </span>
          <Button
            size="sm"
            onClick={() => {
              dismissRefused();
              dismissExports();
              changeFiles((all) => all.filter(({ part }) => !exports.names.includes(part.name ?? '')));
              session.dropped.set(exports.files);
              session.floating.set('import');
            }}
          >
            {t('export.import')}
          </Button>
          <IconButton
            size="sm"
            label={t('close')}
            icon={<X size={14} aria-hidden />}
            onClick={dismissExports}
          />
        </div>
      )}
    </>
  );
}
