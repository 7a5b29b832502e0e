// Dialog with one form: closes when saved, otherwise shows why it was not.
import { type ReactNode, useId } from 'react';
import { useSaving } from '../hooks/saving.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Dialog } from './controls.tsx';
import { ProblemNotice } from './problem-notice.tsx';

/** `onSave`: null if the form itself shows what is missing. The dialog closes when it resolves. */
export function FormDialog({
  open = true,
  onClose,
  title,
  description,
  action,
  disabled = false,
  onSave,
  children,
}: {
  open?: boolean;
  onClose: () => void;
  title: string;
  description?: string;
  /** Label of the save button. */
  action: string;
  disabled?: boolean;
  onSave: () => Promise<unknown> | null;
  children: ReactNode;
}) {
  const { t } = useTranslation('shell');
  const form = useId();
  const { saving, problem, save } = useSaving();
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={title}
      description={description}
      guarded
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={saving} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabled) save(async () => onSave()?.then(onClose));
        }}
      >
        {children}
        {problem && <ProblemNotice problem={problem} compact />}
      </form>
    </Dialog>
  );
}
