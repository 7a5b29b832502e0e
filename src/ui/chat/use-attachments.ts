// What is given to a composer besides words: files that are attached, refused, or may be exported conversations.
import { type ClipboardEvent, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from 'sonner';
import { useApp } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { attach, fitsField, LONG_PASTE, MAX_FILES, picturesOfWords, textPart } from './attachments.ts';
import { addToDraft } from './draft.ts';
import { filesGiven, type GivenFiles } from './file-drop.tsx';
import { type ComposerDraft, nextFileId } from './use-composer-draft.ts';

export type Attachments = ReturnType<typeof useAttachments>;

export function useAttachments({
  area,
  owner,
  filesNow,
  addFile,
  changeFiles,
  aside,
  wordsAside,
  setText,
  changed,
}: ComposerDraft) {
  const app = useApp();
  const session = useSession();
  const { t } = useTranslation('chat');
  const report = useReport();
  /** Why files were not attached. */
  const [refused, setRefused] = useState<readonly string[]>([]);
  /** Files that may be exported conversations. */
  const [exports, setExports] = useState<GivenFiles['exports']>(null);

  const read = useCallback(
    async (given: GivenFiles) => {
      const refusals: string[] = [];
      setExports((before) => given.exports ?? before);
      for (const file of given.files) {
        if (filesNow.current.length >= MAX_FILES) {
          refusals.push(t('refused.tooMany', { count: MAX_FILES }));
          break;
        }
        const result = await attach(file);
        if (result.ok) {
          const entry = { id: nextFileId(), part: result.part, pasted: null };
          const place = owner.current;
          if (area.current) addFile(entry);
          // Read while the person has gone elsewhere: it waits where it was given.
          else
            await addToDraft(
              app.chat.written,
              place,
              entry,
              () => session.composer.get()?.attach(place, entry) ?? false,
            );
        } else refusals.push(t(`refused.${result.reason}`, { name: result.name }));
      }
      if (!area.current && refusals.length > 0) toast.error(refusals.join(' '));
      setRefused(refusals);
      area.current?.focus();
    },
    [area, owner, filesNow, addFile, app, session, t],
  );
  const addFiles = (given: GivenFiles) => {
    read(given).catch(report);
  };
  const addText = (text: string) =>
    changeFiles((all) => [...all, { id: nextFileId(), part: textPart(text, t('pastedName')), pasted: text }]);

  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    const text = event.clipboardData.getData('text/plain');
    if (pasted.length > 0 && !picturesOfWords(pasted, text)) {
      event.preventDefault();
      addFiles(filesGiven(pasted));
      return;
    }
    if (text.length <= LONG_PASTE) return;
    event.preventDefault();
    addText(text);
  };

  /** What is too long for the field is moved out of it before the browser lays it out: dropped into it, or written by an extension. */
  const input = () => {
    const field = area.current;
    if (field && !fitsField(field.value)) {
      const text = field.value;
      field.value = '';
      addText(text);
    }
    if (field?.value === '' && aside.current.length > 0) setText(wordsAside());
    else changed();
  };

  return {
    refused,
    exports,
    addFiles,
    paste,
    input,
    dismissRefused: () => setRefused([]),
    dismissExports: () => setExports(null),
  };
}
