// Asks before deleting everything on this device: says what is deleted and what stays, and requires a typed word.
import { type FormEvent, useId, useState } from 'react';
import { eraseDevice } from '../../adapters/browser/erasing.ts';
import { type Problem, RecollectError } from '../../domain/base/errors.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Dialog, TextField } from '../shell/controls.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';

/** `paired`: whether this device belongs to an account; null if unknown, as on a locked device. */
export function EraseDialog({
  open,
  onClose,
  paired,
  onErase = eraseDevice,
}: {
  open: boolean;
  onClose: () => void;
  paired: boolean | null;
  onErase?: () => void;
}) {
  const { t } = useTranslation(['lock', 'shell']);
  const form = useId();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const isSure = typed.trim().toLocaleLowerCase() === t('erase.word');
  const close = () => {
    setTyped('');
    setProblem(null);
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isSure) return;
    try {
      onErase();
    } catch (error) {
      setProblem(new RecollectError('erase-failed', String(error)).problem);
    }
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && close()}
      title={t('erase.title')}
      size="sm"
      footer={
        <>
          <Button onClick={close}>{t('shell:cancel')}</Button>
          <Button type="submit" form={form} variant="danger" disabled={!isSure}>
            {t('erase.confirm')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="space-y-3 text-ink-2">
        <p>{t('erase.goes')}</p>
        <p>{t('erase.stays')}</p>
        {paired !== false && <p>{t(paired ? 'erase.others' : 'erase.othersPerhaps')}</p>}
        <TextField
          label={t('erase.type', { word: t('erase.word') })}
          value={typed}
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
        {problem && <ProblemNotice problem={problem} compact />}
      </form>
    </Dialog>
  );
}
