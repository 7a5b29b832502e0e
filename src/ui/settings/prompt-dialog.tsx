// Creates or edits a prompt: name, purpose, its words with blanks.
import { useState } from 'react';
import {
  MAX_PROMPT,
  MAX_PROMPT_NAME,
  type SavedPrompt,
  slugOf,
  variablesIn,
} from '../../domain/prompts/prompt.ts';
import { useApp } from '../hooks/app.tsx';
import { formatList } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { TextArea, TextField } from '../shell/controls.tsx';
import { FormDialog } from '../shell/form-dialog.tsx';

export function PromptDialog({ before, onClose }: { before: SavedPrompt | null; onClose: () => void }) {
  const { t } = useTranslation('prompts');
  const { prompts, commands } = useApp();
  const [name, setName] = useState(before?.name ?? '');
  const [description, setDescription] = useState(before?.description ?? '');
  const [text, setText] = useState(before?.text ?? '');
  const slug = slugOf(name);
  const isCommand = commands.some((command) => command.name === slug);
  const blanks = variablesIn(text).map((variable) => variable.name);
  return (
    <FormDialog
      onClose={onClose}
      title={before ? t('prompt.change') : t('prompt.add')}
      action={t('save')}
      onSave={() => prompts.savePrompt({ name, description, text, ...(before ? { id: before.id } : {}) })}
    >
      <TextField
        data-first-focus=""
        label={t('name')}
        hint={
          isCommand
            ? t('prompt.isCommand', { slug })
            : slug
              ? t('prompt.slug', { slug })
              : t('prompt.slugHelp')
        }
        maxLength={MAX_PROMPT_NAME}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={t('description')}
        maxLength={200}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <TextArea
        label={t('prompt.text')}
        hint={
          blanks.length > 0
            ? t('prompt.blanks', { names: formatList(blanks) })
            : t('prompt.blanksHelp', { open: '{{', close: '}}' })
        }
        rows={8}
        maxLength={MAX_PROMPT}
        inputClassName="max-h-[40dvh]"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </FormDialog>
  );
}
