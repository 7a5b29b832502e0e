// Form above the text field for the blanks of a saved prompt, which is inserted once they are filled.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { filledPrompt, type Variable, variablesIn } from '../../domain/prompts/prompt.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Select } from '../shell/controls/select.tsx';
import { Button, Field, TextArea } from '../shell/controls.tsx';
import { isComposing } from '../shell/shortcuts.ts';
import type { PromptLine } from './prompt-lines.ts';

/** Initial value of a blank; words typed after the prompt's name fill the first one. */
const initialOf = ({ initial, choices }: Variable, rest: string): string => {
  if (rest === '') return initial;
  return choices.length === 0 || choices.includes(rest) ? rest : initial;
};

export function PromptForm({
  line: { prompt, rest },
  onInsert,
  onCancel,
}: {
  line: PromptLine;
  onInsert: (text: string) => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation('prompts');
  const variables = variablesIn(prompt.text);
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      variables.map((variable, at) => [variable.name, initialOf(variable, at === 0 ? rest : '')]),
    ),
  );
  const frame = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    const first = frame.current?.querySelector<HTMLElement>('textarea, button');
    first?.focus();
    if (first instanceof HTMLTextAreaElement) first.select();
  }, []);
  const insert = () => onInsert(filledPrompt(prompt.text, values));
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    } else if (event.key === 'Enter' && !event.shiftKey && event.target instanceof HTMLTextAreaElement) {
      event.preventDefault();
      event.stopPropagation();
      insert();
    }
  };
  return (
    <fieldset
      ref={frame}
      aria-label={t('fill.title', { name: prompt.name })}
      onKeyDown={onKeyDown}
      className="max-h-[45dvh] overflow-y-auto border-b px-4 py-3"
    >
      <p className="truncate font-medium text-sm">{t('fill.title', { name: prompt.name })}</p>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {variables.map(({ name, choices }) =>
          choices.length > 0 ? (
            <Field key={name} label={name}>
              {(ids) => (
                <Select
                  id={ids.id}
                  label={name}
                  value={values[name]}
                  options={choices.map((choice) => ({ value: choice, label: choice }))}
                  onValueChange={(value) => setValues({ ...values, [name]: value })}
                  className="w-full"
                />
              )}
            </Field>
          ) : (
            <TextArea
              key={name}
              label={name}
              rows={1}
              value={values[name] ?? ''}
              inputClassName="field-sizing-content max-h-40 min-h-9 resize-none"
              onChange={({ target }) => setValues({ ...values, [name]: target.value })}
            />
          ),
        )}
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto text-ink-3 text-xs max-sm:hidden pointer-coarse:hidden">
          {t('fill.keys')}
        </span>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button size="sm" variant="primary" onClick={insert}>
          {t('fill.insert')}
        </Button>
      </div>
    </fieldset>
  );
}
