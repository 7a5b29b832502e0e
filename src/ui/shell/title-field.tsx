// Field for renaming a conversation in the list or in the header.
import { useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { isComposing } from './shortcuts.ts';

/** Edits the title in place. Enter or leaving saves it, Esc does not. */
export function TitleField({
  title,
  onDone,
  className,
}: {
  title: string;
  onDone: (title: string | null) => void;
  className?: string;
}) {
  const { t } = useTranslation('shell');
  const done = useRef(false);
  const finish = (value: string | null) => {
    if (done.current) return;
    done.current = true;
    onDone(value);
  };
  /** Finished by a key: focuses the title, which replaces the field. */
  const finishHere = (input: HTMLInputElement, value: string | null) => {
    const place = input.parentElement;
    finish(value);
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      place?.querySelector<HTMLElement>('h1 button, [data-entry]')?.focus({ preventScroll: true });
    });
  };
  return (
    <input
      aria-label={t('titleOfConversation')}
      dir="auto"
      autoComplete="off"
      defaultValue={title}
      maxLength={300}
      ref={(input) => {
        if (input && document.activeElement !== input) {
          input.focus();
          input.select();
        }
      }}
      onBlur={(event) => finish(event.target.value)}
      onKeyDown={(event) => {
        if (isComposing(event.nativeEvent)) return;
        event.stopPropagation();
        if (event.key !== 'Enter' && event.key !== 'Escape') return;
        // Otherwise the key would press the element that gets the focus next.
        event.preventDefault();
        finishHere(event.currentTarget, event.key === 'Enter' ? event.currentTarget.value : null);
      }}
      className={className}
    />
  );
}
