// Instructions for the model in one conversation, written by the person.
import { ScrollText } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, IconButton, TextArea } from '../shell/controls.tsx';

/** Opens the dialog; blue if instructions are set. */
export function InstructionsButton({ set, onClick }: { set: boolean; onClick: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <IconButton
      label={set ? t('instructions.change') : t('instructions.add')}
      icon={<ScrollText size={17} aria-hidden className={classes(set && 'text-accent')} />}
      words={t('instructions.title')}
      onClick={onClick}
    />
  );
}

/** `value`: null if the default instructions apply. `onSave` gets null for blank text. */
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

/** Mounted again each time the dialog opens, so that it starts with the current instructions. */
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
