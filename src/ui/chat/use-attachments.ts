// Files of a composer: attached, refused, or perhaps exported conversations.
import { type ClipboardEvent, useCallback, useRef, useState } from 'react';
import { toast } from 'sonner';
import { isAbort } from '../../domain/base/errors.ts';
import { useApp } from '../hooks/app.tsx';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { useReport } from '../shell/conversation-actions.tsx';
import {
  attach,
  fitsField,
  isDocument,
  LONG_PASTE,
  MAX_FILES,
  picturesOfWords,
  textPart,
} from './attachments.ts';
import { addToDraft } from './draft.ts';
import { filesGiven, type GivenFiles } from './file-drop.tsx';
import { type ComposerDraft, nextFileId } from './use-composer-draft.ts';

export type Attachments = ReturnType<typeof useAttachments>;

/**
 * Handles the files of a composer's draft: takes dropped, pasted and picked files, reads their
 * text, and collects the remarks on them.
 */
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
  /** Reasons why files were not attached. */
  const [refused, setRefused] = useState<readonly string[]>([]);
  /** Files that may be exported conversations. */
  const [exports, setExports] = useState<GivenFiles['exports']>(null);

  /** Remarks for the person on attached files. */
  const [remarks, setRemarks] = useState<readonly string[]>([]);
  const { beingRead, readOne } = useReading();
  /** Number of files being read that will be attached. */
  const coming = useRef(0);

  const read = useCallback(
    async (given: GivenFiles) => {
      const refusals: string[] = [];
      const notable: string[] = [];
      setExports((before) => given.exports ?? before);
      setRefused([]);
      setRemarks([]);
      const free = MAX_FILES - filesNow.current.length - coming.current;
      if (given.files.length > free) refusals.push(t('refused.tooMany', { count: MAX_FILES }));
      // Shows all at once, but reads one after another: each takes a thread and the memory for its file.
      const waiting = given.files.slice(0, Math.max(0, free)).map((file) => readOne(file));
      coming.current += waiting.length;
      for (const start of waiting) {
        const result = await start().finally(() => {
          coming.current -= 1;
        });
        if (!result) continue;
        if (result.ok) {
          if (result.remark)
            notable.push(
              t(`taken.${result.remark}`, {
                name: result.part.name,
                encoding: result.encoding?.toUpperCase(),
              }),
            );
          const entry = { id: nextFileId(), part: result.part, pasted: null };
          const place = owner.current;
          if (area.current) addFile(entry);
          // The person has left the page meanwhile, so the file joins the draft it was given to.
          else
            await addToDraft(
              app.chat.composerDrafts,
              place,
              entry,
              () => session.composer.get()?.attach(place, entry) ?? false,
            );
        } else refusals.push(t(`refused.${result.reason}`, { name: result.name }));
      }
      if (!area.current && refusals.length > 0) toast.error(refusals.join(' '));
      // Other files may have been given and refused while these were read.
      setRefused((before) => [...before, ...refusals]);
      setRemarks((before) => [...before, ...notable]);
      area.current?.focus();
    },
    [area, owner, filesNow, addFile, app, session, t, readOne],
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

  /**
   * Moves text that is too long (dropped, or inserted by an extension) out of the field before the browser lays it out.
   */
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
    remarks,
    beingRead,
    exports,
    addFiles,
    paste,
    input,
    dismissRefused: () => {
      setRefused([]);
      setRemarks([]);
    },
    dismissExports: () => setExports(null),
  };
}

export interface BeingRead {
  readonly id: string;
  readonly name: string;
  /** Pages, sheets or chapters; 0 of 0 while unknown. */
  readonly done: number;
  readonly total: number;
  readonly cancel: () => void;
}

/** Documents being read; each can be cancelled. */
function useReading() {
  const { extraction } = useApp();
  const [beingRead, setBeingRead] = useState<readonly BeingRead[]>([]);
  /** Shows the file at once and returns a function that reads it; that resolves to null if it was cancelled. */
  const readOne = useCallback(
    (file: File) => {
      const id = nextFileId();
      const stop = new AbortController();
      const change = (next: (one: BeingRead) => BeingRead | null) =>
        setBeingRead((all) => all.flatMap((one) => (one.id === id ? (next(one) ?? []) : [one])));
      if (isDocument(file)) {
        const cancel = () => {
          stop.abort();
          change(() => null);
        };
        setBeingRead((all) => [...all, { id, name: file.name, done: 0, total: 0, cancel }]);
      }
      return async () => {
        try {
          stop.signal.throwIfAborted();
          return await attach(file, {
            extraction,
            signal: stop.signal,
            onProgress: (done, total) => change((one) => ({ ...one, done, total })),
          });
        } catch (error) {
          if (!isAbort(error)) throw error;
          return null;
        } finally {
          change(() => null);
        }
      };
    },
    [extraction],
  );
  return { beingRead, readOne };
}
