// Draws the row of buttons below the composer's text.
import { ArrowUp, Paperclip, Square } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, FilePicker, IconButton } from '../shell/controls.tsx';
import { filesGiven, type GivenFiles } from './file-drop.tsx';

export function ComposerBar({
  busy,
  canSend,
  onFiles,
  onStop,
  children,
}: {
  busy: boolean;
  canSend: boolean;
  onFiles: (given: GivenFiles) => void;
  onStop: () => void;
  /** Cost and model of the next request. */
  children: ReactNode;
}) {
  const { t } = useTranslation('chat');
  const picker = useRef<HTMLInputElement>(null);
  return (
    // On the narrowest phones the gap between buttons goes to the model's name.
    <div className="flex items-center gap-1 px-2 pb-2 max-[22.4rem]:gap-0 max-[22.4rem]:px-1">
      <FilePicker ref={picker} multiple onFiles={(files) => onFiles(filesGiven(files))} />
      <IconButton
        label={t('attach')}
        tooltipSide="top"
        icon={<Paperclip size={17} aria-hidden />}
        onClick={() => picker.current?.click()}
      />
      <span className="flex-1" />
      {children}
      {busy && (
        <IconButton
          label={t('stop')}
          shortcut="Escape"
          tooltipSide="top"
          icon={<Square size={13} fill="currentColor" aria-hidden />}
          onClick={onStop}
          className="rounded-full! bg-ink! text-paper!"
        />
      )}
      {(!busy || canSend) && (
        <button
          type="submit"
          disabled={!canSend}
          aria-label={busy ? t('queueIt') : t('send')}
          className={classes(
            'touchable inline-flex size-8 shrink-0 items-center justify-center rounded-full transition-colors',
            canSend ? 'bg-accent text-on-accent hover:bg-accent-hover' : 'bg-press text-ink-3',
          )}
        >
          <ArrowUp size={17} aria-hidden />
        </button>
      )}
    </div>
  );
}
