// Instructions for a model in one conversation, in the person's words.
import { ScrollText } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, IconButton, TextArea } from '../shell/controls.tsx';

/** Opens the window; blue where something is set. */
export function InstructionsButton({ set, onClick }: { set: boolean; onClick: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <IconButton
      label={set ? t('instructions.change') : t('instructions.add')}
      icon={<ScrollText size={17} aria-hidden className={classes(set && 'text-accent')} />}
      onClick={onClick}
    />
  );
}

/** `value`: null where the shipped words are in force. `onSave` gets null for nothing but spaces. */
export function InstructionsDialog({
  open,
  onOpenChange,
  value,
  onSave,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  value: string | null;
  onSave: (value: string | null) => void;
}) {
  const { t } = useTranslation('chat');
  const form = useId();
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('instructions.title')}
      description={t('instructions.words')}
      guarded
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('cancel')}</Button>
          <Button type="submit" form={form} variant="primary">
            {t('saveOnly')}
          </Button>
        </>
      }
    >
      <Field
        form={form}
        value={value ?? ''}
        onSave={(words) => {
          onSave(words.trim() || null);
          onOpenChange(false);
        }}
      />
    </Dialog>
  );
}

/** Made anew each time the window opens: it begins with what is in force. */
function Field({ form, value, onSave }: { form: string; value: string; onSave: (words: string) => void }) {
  const { t } = useTranslation('chat');
  const [words, setWords] = useState(value);
  return (
    <form
      id={form}
      onSubmit={(event) => {
        event.preventDefault();
        onSave(words);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(words);
      }}
    >
      <TextArea
        label={t('instructions.title')}
        hideLabel
        data-first-focus
        rows={8}
        value={words}
        placeholder={t('instructions.placeholder')}
        onChange={(event) => setWords(event.target.value)}
      />
    </form>
  );
}
