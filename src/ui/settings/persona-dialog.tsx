// Creates or edits a persona: its look, its instructions for the model, its model, parameters and memory.
import { Fragment, useId, useState } from 'react';
import {
  PERSONA_COLOURS,
  PERSONA_MEMORIES,
  type Persona,
  type PersonaColour,
} from '../../domain/prompts/persona.ts';
import { MAX_PROMPT, MAX_PROMPT_NAME } from '../../domain/prompts/prompt.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { nameOf, useProjects } from '../projects/use-projects.ts';
import { Select } from '../shell/controls/select.tsx';
import { classes, Field, TextArea, TextField } from '../shell/controls.tsx';
import { FormDialog } from '../shell/form-dialog.tsx';
import { PERSONA_TONES, PersonaSign } from '../shell/persona-sign.tsx';
import { isRefusal, type ParameterWords, parametersFrom, parameterWords } from './endpoint-parameters.ts';
import { RadioTile } from './radio-tile.tsx';

const IN_USE = 'in-use ';
/** Placeholder value for a project that no longer exists. */
const GONE = 'gone ';
const searchesOneProject = (memory: Persona['memory']): boolean => memory === 'first' || memory === 'only';
const FIELDS = ['temperature', 'top_p', 'max_tokens', 'reasoning_effort'] as const;

interface PersonaForm {
  readonly name: string;
  readonly description: string;
  readonly sign: string;
  readonly colour: PersonaColour;
  readonly instructions: string;
  readonly model: string | null;
  readonly words: ParameterWords;
  readonly memory: Persona['memory'];
  readonly project: string | null;
}

const formFor = (before: Persona | null): PersonaForm => ({
  name: before?.name ?? '',
  description: before?.description ?? '',
  sign: before?.sign ?? '',
  colour: before?.colour ?? 'blue',
  instructions: before?.instructions ?? '',
  model: before?.model ?? null,
  words: parameterWords(before?.parameters),
  memory: before?.memory ?? 'all',
  project: before?.project ?? null,
});

export function PersonaDialog({ before, onClose }: { before: Persona | null; onClose: () => void }) {
  const { t } = useTranslation(['prompts', 'settings']);
  const { prompts } = useApp();
  const [draft, setDraft] = useState(() => formFor(before));
  const [refused, setRefused] = useState<(typeof FIELDS)[number] | null>(null);
  const change = (changed: Partial<PersonaForm>) => setDraft((now) => ({ ...now, ...changed }));
  const save = () => {
    const parameters = parametersFrom(draft.words);
    if (parameters && isRefusal(parameters)) {
      setRefused(FIELDS.find((field) => field === parameters.field) ?? null);
      return null;
    }
    const { more: _more, ...named } = parameters ?? {};
    const { words: _words, ...rest } = draft;
    const project = searchesOneProject(draft.memory) ? draft.project : null;
    return prompts.savePersona({ ...rest, project, parameters: named, ...(before ? { id: before.id } : {}) });
  };
  return (
    <FormDialog
      onClose={onClose}
      title={before ? t('persona.change') : t('persona.add')}
      action={t('save')}
      onSave={save}
    >
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          data-first-focus=""
          className="min-w-40 flex-1"
          label={t('name')}
          maxLength={MAX_PROMPT_NAME}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          className="w-24"
          label={t('persona.sign')}
          maxLength={8}
          placeholder="🎩"
          value={draft.sign}
          onChange={({ target }) => change({ sign: target.value })}
        />
      </div>
      <Colours draft={draft} onChange={(colour) => change({ colour })} />
      <TextField
        label={t('description')}
        maxLength={200}
        value={draft.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <TextArea
        label={t('persona.instructions')}
        hint={t('persona.instructionsHelp')}
        rows={6}
        maxLength={MAX_PROMPT}
        inputClassName="max-h-[30dvh]"
        value={draft.instructions}
        onChange={({ target }) => change({ instructions: target.value })}
      />
      <ModelField value={draft.model} onChange={(model) => change({ model })} />
      <MemoryField memory={draft.memory} project={draft.project} onChange={change} />
      <Parameters
        words={draft.words}
        refused={refused}
        onChange={(words) => {
          change({ words });
          setRefused(null);
        }}
      />
    </FormDialog>
  );
}

function Colours({ draft, onChange }: { draft: PersonaForm; onChange: (colour: PersonaColour) => void }) {
  const { t } = useTranslation('prompts');
  return (
    <fieldset>
      <legend className="font-medium text-sm">{t('persona.colour.title')}</legend>
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <PersonaSign persona={draft} />
        {PERSONA_COLOURS.map((colour) => (
          <label
            key={colour}
            className={classes(
              'touchable inline-flex h-8 cursor-pointer items-center rounded-full border px-3 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent',
              PERSONA_TONES[colour],
              draft.colour === colour ? 'border-current font-medium' : 'border-transparent',
            )}
          >
            <input
              type="radio"
              name="persona-colour"
              checked={draft.colour === colour}
              onChange={() => onChange(colour)}
              className="sr-only"
            />
            {t(`persona.colour.${colour}`)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Memory scope of the persona. Asks for a project only if the scope needs one, and suggests the first. */
function MemoryField({
  memory,
  project,
  onChange,
}: Pick<PersonaForm, 'memory' | 'project'> & {
  onChange: (changed: Partial<Pick<PersonaForm, 'memory' | 'project'>>) => void;
}) {
  const { t } = useTranslation(['prompts', 'projects']);
  const group = useId();
  const listed = useProjects();
  const isThere = listed.some(({ entry }) => entry.id === project);
  const offered = PERSONA_MEMORIES.filter(
    (one) => one === 'all' || one === 'none' || one === memory || listed.length > 0,
  );
  return (
    <fieldset>
      <legend className="mb-2 font-medium text-sm">{t('persona.memory.title')}</legend>
      <div className="flex flex-col gap-2">
        {offered.map((one) => (
          <Fragment key={one}>
            <RadioTile
              name={group}
              checked={memory === one}
              label={t(`persona.memory.${one}`)}
              help={t(`persona.memory.help.${one}`)}
              onChange={() => {
                const wantsOne = searchesOneProject(one) && !isThere;
                onChange({ memory: one, ...(wantsOne ? { project: listed[0]?.entry.id ?? project } : {}) });
              }}
            />
            {searchesOneProject(one) && memory === one && (
              <Field label={t('persona.memory.project')} className="mb-2 ml-7">
                {({ id }) => (
                  <Select
                    id={id}
                    label={t('persona.memory.project')}
                    value={isThere && project !== null ? project : GONE}
                    options={[
                      ...(isThere ? [] : [{ value: GONE, label: t('persona.memory.gone') }]),
                      ...listed.map(({ entry, inner }) => ({
                        value: entry.id as string,
                        label: `${inner ? '– ' : ''}${nameOf(entry, t('projects:title'))}`,
                      })),
                    ]}
                    onValueChange={(chosen) => chosen !== GONE && onChange({ project: chosen })}
                    className="w-full"
                  />
                )}
              </Field>
            )}
          </Fragment>
        ))}
      </div>
    </fieldset>
  );
}

function ModelField({ value, onChange }: { value: string | null; onChange: (model: string | null) => void }) {
  const { t } = useTranslation('prompts');
  const endpoints = useReadable(useApp().settings.connections, (connections) => connections.endpoints);
  const models = [...new Set(endpoints.flatMap((endpoint) => endpoint.models))];
  const isMissing = value !== null && !models.includes(value);
  return (
    <Field
      label={t('persona.model')}
      hint={isMissing ? t('persona.modelMissing', { model: value }) : t('persona.modelHelp')}
    >
      {(ids) => (
        <Select
          id={ids.id}
          label={t('persona.model')}
          value={value ?? IN_USE}
          options={[
            { value: IN_USE, label: t('persona.modelInUse') },
            ...[...models, ...(isMissing ? [value] : [])].map((model) => ({ value: model, label: model })),
          ]}
          onValueChange={(model) => onChange(model === IN_USE ? null : model)}
          className="w-full"
        />
      )}
    </Field>
  );
}

function Parameters({
  words,
  refused,
  onChange,
}: {
  words: ParameterWords;
  refused: (typeof FIELDS)[number] | null;
  onChange: (words: ParameterWords) => void;
}) {
  const { t } = useTranslation('settings');
  const [wanted, setWanted] = useState(() => FIELDS.some((field) => words[field] !== ''));
  return (
    <details
      open={wanted || refused !== null}
      onToggle={({ currentTarget }) => setWanted(currentTarget.open)}
    >
      <summary className="touchable cursor-pointer rounded-xs py-1 font-medium text-sm">
        {t('models.parameters.title')}
      </summary>
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {FIELDS.map((field) => (
          <TextField
            key={field}
            label={t(`models.parameters.${field}`)}
            inputMode={field === 'reasoning_effort' ? 'text' : 'decimal'}
            autoComplete="off"
            value={words[field]}
            error={refused === field ? t(`models.parameters.refused.${field}`) : undefined}
            onChange={({ target }) => onChange({ ...words, [field]: target.value })}
          />
        ))}
      </div>
    </details>
  );
}
