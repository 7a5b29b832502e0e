// Menu of an answer: copy, share, save as a file, read aloud, ask again or another model.
import { Columns3, Copy, Download, Pause, Play, RefreshCw, Share2, Square, Volume2 } from 'lucide-react';
import { toast } from 'sonner';
import { isAbort } from '../../domain/base/errors.ts';
import { localDay } from '../../domain/base/time.ts';
import type { Message } from '../../domain/chat/message.ts';
import { fileStem } from '../../domain/text/shown.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { IconButton, type MenuItem } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { FILTERED_FROM } from '../shell/name-filter.tsx';
import { useCopyOut } from '../shell/problem-notice.tsx';
import { useActions } from './message-actions.ts';
import { useListedModels } from './model-list.tsx';
import { plainAnswer, spokenAnswer } from './plain-answer.ts';

/** Menu item that answers `message` again with another model: a submenu, or a dialog with a filter for many. */
function useAnotherModel(message: Message): MenuItem | null {
  const { t } = useTranslation('chat');
  const actions = useActions();
  const models = useListedModels();
  if (models.length < 2) return null;
  const item = { label: t('regenerateBy'), icon: <RefreshCw size={15} aria-hidden /> };
  if (models.length >= FILTERED_FROM) return { ...item, onSelect: () => actions.askAnother(message) };
  const several = new Set(models.map(({ endpointId }) => endpointId)).size > 1;
  return {
    ...item,
    items: models.map(({ endpointId, label, model }) => ({
      label: model,
      ...(several ? { description: label } : {}),
      onSelect: () => actions.regenerate(message.id, { by: { endpointId, model } }),
    })),
  };
}

/**
 * Items of an answer's menu. `text`: the answer as Markdown; `copied`: the same with its sources, for use elsewhere.
 */
export function useAnswerItems(message: Message, text: string, copied: string): MenuItem[] {
  const { t, language } = useTranslation(['chat', 'shell']);
  const app = useApp();
  const { readAloud, current } = useSession();
  const actions = useActions();
  const report = useReport();
  const copyOut = useCopyOut();
  const another = useAnotherModel(message);
  const copy = (words: string) => {
    void copyOut(words).then((done) => done && toast(t('copied')));
  };
  const nameOfFile = () => {
    const { entries } = app.documents.library.get();
    const title = entries.find(({ id }) => id === current.get())?.title ?? '';
    return `${fileStem(title) || t('answerFile')} ${localDay(message.createdAt)}.md`;
  };
  const share = () => {
    navigator.share({ text: copied }).catch((error: unknown) => {
      if (!isAbort(error)) report(error);
    });
  };
  const again: MenuItem[] =
    actions.canWrite && actions.canAsk && another
      ? [
          another,
          {
            label: t('compare.open'),
            icon: <Columns3 size={15} aria-hidden />,
            onSelect: () => actions.compare(message),
          },
        ]
      : [];
  if (!text) return again;
  return [
    { label: t('copyMarkdown'), icon: <Copy size={15} aria-hidden />, onSelect: () => copy(copied) },
    {
      label: t('copyText'),
      icon: <Copy size={15} aria-hidden />,
      onSelect: () => copy(plainAnswer(copied)),
    },
    ...('share' in navigator
      ? [{ label: t('share'), icon: <Share2 size={15} aria-hidden />, onSelect: share }]
      : []),
    {
      label: t('saveAnswer'),
      icon: <Download size={15} aria-hidden />,
      onSelect: () => {
        const name = nameOfFile();
        download({
          name,
          mediaType: 'text/markdown',
          blob: new Blob([copied, copied.endsWith('\n') ? '' : '\n'], { type: 'text/markdown' }),
        });
        toast(t('shell:downloaded', { name }));
      },
    },
    ...(readAloud.able
      ? [
          {
            label: t('readAloud'),
            icon: <Volume2 size={15} aria-hidden />,
            onSelect: () => {
              const words = spokenAnswer(text, t('codeLeftOut'));
              const broken = () => toast.error(t('readingBroke'));
              const read = readAloud.start(message.id, words, language, broken);
              if (read !== 'all') toast(t(read === 'none' ? 'noVoice' : 'someNoVoice'));
            },
          },
        ]
      : []),
    ...again,
  ];
}

/** Buttons that pause, resume and stop reading aloud; shown only while this message is read. */
export function ReadingTools({ message }: { message: Message }) {
  const { t } = useTranslation('chat');
  const { readAloud } = useSession();
  const reading = useReadable(readAloud.reading);
  if (reading?.message !== message.id) return null;
  const { paused } = reading;
  return (
    <>
      <IconButton
        size="sm"
        label={t(paused ? 'goOnReading' : 'pauseReading')}
        icon={
          paused ? (
            <Play size={14} fill="currentColor" aria-hidden />
          ) : (
            <Pause size={14} fill="currentColor" aria-hidden />
          )
        }
        onClick={() => (paused ? readAloud.goOn() : readAloud.pause())}
      />
      <IconButton
        size="sm"
        label={t('stopReading')}
        icon={<Square size={13} fill="currentColor" aria-hidden />}
        onClick={() => readAloud.stop()}
      />
    </>
  );
}
