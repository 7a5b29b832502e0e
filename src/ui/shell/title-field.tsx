// The title of a conversation while it is written anew, in the list or in the header.
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from './shortcuts.ts';

/** Writes the title in place. Enter or leaving keeps it, Esc does not. */
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
  return (
    <input
      aria-label={t('titleOfConversation')}
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
        if (event.key === 'Enter') finish(event.currentTarget.value);
        if (event.key === 'Escape') finish(null);
        event.stopPropagation();
      }}
      className={className}
    />
  );
}
