// The draft of a composer: its words, its files, the words that a command replaced,
// and how all of it outlives the page.
import { type RefObject, useCallback, useEffect, useInsertionEffect, useRef, useState } from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { DraftFile } from '../../services/chat/composer-drafts.ts';
import { useApp } from '../hooks/app.tsx';
import { useLatest } from '../hooks/latest.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { offer } from '../shell/offer.ts';
import { type CommandLine, isCommandLine } from './command-list.tsx';
import { createDraftKeeper, keptWords, takeDraft } from './draft.ts';

type Area = RefObject<HTMLTextAreaElement | null>;
type Keeper = RefObject<ReturnType<typeof createDraftKeeper> | null>;

/** Pause in typing after which the words count as rested, ms. */
const REST_MS = 250;

let serial = 0;
/** Returns an id unique among the files of this page. */
export const nextFileId = (): string => {
  serial += 1;
  return `file-${serial}`;
};

/** The field grows with its text up to 40 % of the window; the browser does this itself if it can. */
const SIZES_ITSELF = CSS.supports('field-sizing', 'content');
function fitHeight(area: HTMLTextAreaElement): void {
  if (SIZES_ITSELF) return;
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}

export type ComposerDraft = ReturnType<typeof useComposerDraft>;

/**
 * `draftOf`: conversation that the draft belongs to. `first`: the words begin a conversation, and memory reads them.
 */
export function useComposerDraft(draftOf: ConversationId | null, first: boolean) {
  const area = useRef<HTMLTextAreaElement>(null);
  const keeper: Keeper = useRef(null);
  const owner = useLatest(draftOf);
  const words = useWords(area, keeper, first);
  const files = useFiles(keeper);
  const aside = useAside(words.setText);
  useKept({ draftOf, area, keeper, owner, words, files, aside });
  useForgetting({ area, owner, words, files, aside });
  return { area, keeper, owner, ...words, ...files, ...aside };
}

/** State of the text field that other components draw. */
function useWords(area: Area, keeper: Keeper, first: boolean) {
  const [hasText, setHasText] = useState(false);
  /** The line while it is a command, else null, so that plain words cause no render. */
  const [command, setCommand] = useState<CommandLine | null>(null);
  const [recallText, setRecallText] = useState('');
  /** The words after a pause in typing, for the context meter. */
  const [rested, setRested] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isFirst = useLatest(first);

  /** Call after any change of the words. */
  const changed = useCallback(() => {
    const field = area.current;
    if (!field) return;
    const { value } = field;
    fitHeight(field);
    setHasText(value.trim() !== '');
    setCommand(isCommandLine(value) ? { text: value, caret: field.selectionStart } : null);
    keeper.current?.changed();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const words = isCommandLine(value) ? '' : value.trim();
      setRested(words);
      if (isFirst.current) setRecallText(words);
    }, REST_MS);
  }, [area, keeper, isFirst]);
  const setText = useCallback(
    (value: string, caret = value.length) => {
      const field = area.current;
      if (!field) return;
      field.value = value;
      field.setSelectionRange(caret, caret);
      changed();
    },
    [area, changed],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    hasText,
    command,
    closeCommand: () => setCommand(null),
    recallText,
    forgetRecallText: () => setRecallText(''),
    rested,
    changed,
    setText,
  };
}

/** The files of the draft. `filesNow` has them before they are rendered. */
function useFiles(keeper: Keeper) {
  const [files, setFiles] = useState<readonly DraftFile[]>([]);
  const filesNow = useRef(files);
  useInsertionEffect(() => {
    filesNow.current = files;
  }, [files]);
  // Files change rarely and are not noted when the page is left, so they are saved without waiting for a pause. Sending
  // does not count: its draft is removed once the message is kept.
  const hasNewFiles = useRef(false);
  useEffect(() => {
    if (hasNewFiles.current) keeper.current?.flush();
    hasNewFiles.current = false;
  });
  const changeFiles = useCallback(
    (change: (files: readonly DraftFile[]) => readonly DraftFile[]) => {
      hasNewFiles.current = true;
      setFiles(change);
      keeper.current?.changed();
    },
    [keeper],
  );
  const addFile = useCallback(
    (file: DraftFile) => {
      filesNow.current = [...filesNow.current, file];
      changeFiles((all) => [...all, file]);
    },
    [changeFiles],
  );
  /** Files of a restored draft, or none after sending: neither needs saving. */
  const replaceFiles = useCallback((change: (files: readonly DraftFile[]) => readonly DraftFile[]) => {
    setFiles(change);
    filesNow.current = change(filesNow.current);
  }, []);
  return { files, filesNow, changeFiles, addFile, replaceFiles };
}

/** Words replaced by commands from elsewhere, newest last: they return after the commands. */
function useAside(setText: (text: string) => void) {
  const { t } = useTranslation('chat');
  const aside = useRef<string[]>([]);
  const withdrawOffer = useRef<() => void>(() => undefined);
  const wordsAside = useCallback((): string => {
    withdrawOffer.current();
    return aside.current.pop() ?? '';
  }, []);
  /** Offers to bring them back at once, too. */
  const setAside = useCallback(
    (words: string) => {
      aside.current.push(words);
      withdrawOffer.current();
      withdrawOffer.current = offer(t('setAside'), {
        label: t('undo'),
        onClick: () => {
          if (aside.current.at(-1) === words) setText(wordsAside());
        },
      });
    },
    [t, setText, wordsAside],
  );
  return { aside, wordsAside, setAside };
}

/** Removes forgotten text from the field: the next key would save it again. */
function useForgetting({
  area,
  owner,
  words: { setText },
  files: { filesNow, changeFiles },
  aside: { aside },
}: Pick<Parameters<typeof useKept>[0], 'area' | 'owner' | 'words' | 'files' | 'aside'>): void {
  const { forget } = useApp();
  useEffect(
    () =>
      forget.onForgetting(({ clean, isGone }) => {
        const isGoneWhole = owner.current !== null && isGone(owner.current);
        const shown = area.current?.value ?? '';
        const text = isGoneWhole ? '' : clean(shown);
        aside.current = isGoneWhole ? [] : aside.current.map((one) => clean(one));
        const files = isGoneWhole ? [] : clean(filesNow.current);
        if (files !== filesNow.current && filesNow.current.length > 0) changeFiles(() => files);
        if (text !== shown) setText(text);
      }),
    [forget, area, owner, filesNow, changeFiles, aside, setText],
  );
}

/** Restores the kept draft and saves it from then on. */
function useKept({
  draftOf,
  area,
  keeper,
  owner,
  words: { setText },
  files: { filesNow, replaceFiles },
  aside: { aside },
}: {
  draftOf: ConversationId | null;
  area: Area;
  keeper: Keeper;
  owner: RefObject<ConversationId | null>;
  words: ReturnType<typeof useWords>;
  files: ReturnType<typeof useFiles>;
  aside: ReturnType<typeof useAside>;
}): void {
  const { chat } = useApp();
  useEffect(() => {
    const { composerDrafts } = chat;
    // At unmount the ref is already empty, but the field still has the words.
    const field = area.current;
    const own = createDraftKeeper(composerDrafts, owner.current, () => {
      const shown = field?.value ?? '';
      return { text: keptWords(shown, isCommandLine(shown), aside.current), files: filesNow.current };
    });
    keeper.current = own;
    let here = true;
    void orElse(
      takeDraft(composerDrafts, owner.current),
      null,
      'a saved draft; the composer opens empty',
    ).then((draft) => {
      if (!here || !draft || !field) return;
      // New ids, because this page could reuse those of an earlier one.
      const read = draft.files.map((file) => ({ ...file, id: nextFileId() }));
      replaceFiles((added) => [...read, ...added]);
      // Keeps text typed while the draft was read; an inserted command goes first.
      if (isCommandLine(field.value)) {
        if (draft.text !== '') aside.current.unshift(draft.text);
        own.changed();
      } else setText([draft.text, field.value].filter((words) => words !== '').join('\n\n'));
    });
    return () => {
      here = false;
      own.close();
      keeper.current = null;
    };
  }, [chat, area, keeper, owner, aside, filesNow, replaceFiles, setText]);
  useEffect(() => {
    void keeper.current?.move(draftOf);
  }, [keeper, draftOf]);
}
