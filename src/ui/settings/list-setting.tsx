// A setting whose value is a list of words.
import { X } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import { useLatest } from '../hooks/latest.ts';
import { onlyTouch } from '../hooks/media.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import { FIELD, Refusal, useFieldWords, useSetting } from './rows.tsx';

/** Shows a list of words as chips, with a field to add one. */
export function ListSetting({
  path,
  add,
  placeholder,
  mono = false,
  onChanged,
}: {
  path: string;
  add: string;
  placeholder: string;
  mono?: boolean;
  onChanged?: () => void;
}) {
  const { t } = useTranslation('settings');
  const { label, help } = useFieldWords(path);
  const { value, set, problem, forgive } = useSetting<readonly string[]>(path);
  const [draft, setDraft] = useState('');
  const [again, setAgain] = useState(false);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // Words are matched in either case; folders are not.
  const same = (item: string) => (mono ? item : item.toLowerCase());
  const latest = useLatest(value);
  const write = (next: readonly string[], then: () => void) =>
    ignore(
      set(next).then((kept) => {
        if (!kept) return;
        onChanged?.();
        then();
      }),
      'a setting; its row says why it was refused',
    );
  const remove = (word: string) => {
    const at = value.indexOf(word);
    const putBack = () => {
      const now = latest.current;
      if (!now.includes(word)) void write(now.toSpliced(at, 0, word), () => undefined);
    };
    void write(
      value.filter((other) => other !== word),
      () => offer(t('removedItem', { item: word }), { label: t('undo'), onClick: putBack }),
    );
  };
  const put = () => {
    const word = draft.trim();
    if (word === '') return;
    if (value.some((other) => same(other) === same(word))) setAgain(true);
    else void write([...value, word], () => setDraft(''));
  };
  return (
    <div className="py-3">
      <p id={id} className="font-medium">
        {label}
      </p>
      <p className="mt-0.5 text-ink-3 text-xs">{help}</p>
      <ul aria-labelledby={id} className="mt-2.5 flex flex-wrap gap-1.5">
        {value.length === 0 && <li className="text-ink-3">{t('privacy.none')}</li>}
        {value.map((word) => (
          <li
            key={word}
            className={classes(
              'inline-flex max-w-full items-center gap-0.5 rounded-sm bg-fill py-0.5 pl-2',
              mono && 'font-mono text-xs',
            )}
          >
            <span className="truncate">{word}</span>
            <button
              type="button"
              aria-label={t('remove', { item: word })}
              onClick={() => {
                remove(word);
                // The focused button goes away with its word.
                if (!onlyTouch()) field.current?.focus();
              }}
              className="touchable inline-flex size-6 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-press hover:text-ink"
            >
              <X size={13} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <form
        className="mt-2.5 flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          put();
        }}
      >
        <input
          ref={field}
          dir="auto"
          value={draft}
          onChange={(event) => {
            setDraft(event.target.value);
            setAgain(false);
            forgive();
          }}
          aria-label={add}
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          className={classes(FIELD, 'min-w-0 max-w-72 flex-1', mono && 'font-mono')}
        />
        <Button type="submit" disabled={draft.trim() === ''}>
          {t('add')}
        </Button>
      </form>
      {again && (
        <p role="alert" className="mt-1 text-danger text-xs">
          {t('privacy.already')}
        </p>
      )}
      <Refusal problem={problem} name={label} />
    </div>
  );
}
