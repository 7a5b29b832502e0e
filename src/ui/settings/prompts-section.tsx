// Library of saved prompts and personas: create, edit, export to files and import from them.
import { Copy, Download, Ellipsis, FileDown, Pin, PinOff, Plus, Trash2, Upload } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { toast } from 'sonner';
import {
  personaAsMarkdown,
  promptAsMarkdown,
  readPromptFile,
  writeRecollect,
} from '../../adapters/prompts/index.ts';
import { RecollectError } from '../../domain/base/errors.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import { type SavedPrompt, slugOf, slugsOf } from '../../domain/prompts/prompt.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Badge, Button, FilePicker, IconButton, Menu, type MenuItem, Skeleton } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { PersonaSign } from '../shell/persona-sign.tsx';
import { Loading, ReadFailed } from '../shell/reading.tsx';
import { PersonaDialog } from './persona-dialog.tsx';
import { PromptDialog } from './prompt-dialog.tsx';

const JSON_TYPE = 'application/json';
const MARKDOWN_TYPE = 'text/markdown';

/** Item being edited: a new or an existing one. */
type Editing<T> = { readonly before: T | null } | null;

export function PromptsSection() {
  const { t } = useTranslation('prompts');
  const { prompts: library, commands, settings } = useApp();
  const { ready, prompts, personas } = useReadable(library.state);
  const failure = useReadable(library.failure);
  const byDefault = useReadable(settings.config, ({ chat }) => chat.persona);
  const report = useReport();
  const [prompt, setPrompt] = useState<Editing<SavedPrompt>>(null);
  const [persona, setPersona] = useState<Editing<Persona>>(null);
  const slugs = slugsOf(
    prompts,
    commands.map(({ name }) => name),
  );
  const remove = (one: SavedPrompt | Persona) => {
    library.remove([one.id]).then(
      (undo) =>
        offer(t('removed', { name: one.name }), {
          label: t('undo'),
          onClick: () => void undo().catch(report),
        }),
      report,
    );
  };
  const copyName = (name: string) => t('copyOf', { name });
  if (failure) return <ReadFailed problem={failure} onRetry={() => library.known()} />;
  if (!ready)
    return (
      <Loading>
        <Skeleton className="h-24 w-full" />
      </Loading>
    );
  return (
    <>
      <LibraryGroup
        title={t('prompt.title')}
        lead={t('prompt.lead')}
        none={t('prompt.nothing')}
        add={t('prompt.add')}
        onAdd={() => setPrompt({ before: null })}
      >
        {prompts.map((one) => (
          <Item
            key={one.id}
            name={one.name}
            about={one.description || one.text}
            aside={
              <code className="font-mono text-ink-3 text-xs">
                /<bdi>{slugs.get(one.id)}</bdi>
              </code>
            }
            onEdit={() => setPrompt({ before: one })}
            items={[
              {
                label: t('duplicate'),
                icon: <Copy size={15} aria-hidden />,
                onSelect: () =>
                  void library
                    .savePrompt({ name: copyName(one.name), description: one.description, text: one.text })
                    .catch(report),
              },
              saveItem(t('saveFile'), () =>
                saveAs(`${slugOf(one.name) || 'prompt'}.md`, promptAsMarkdown(one)),
              ),
              'separator',
              removeItem(t('remove'), () => remove(one)),
            ]}
          />
        ))}
      </LibraryGroup>
      <LibraryGroup
        title={t('persona.title')}
        lead={t('persona.lead')}
        none={t('persona.nothing')}
        add={t('persona.add')}
        onAdd={() => setPersona({ before: null })}
      >
        {personas.map((one) => {
          const isDefault = one.id === byDefault;
          return (
            <Item
              key={one.id}
              sign={<PersonaSign persona={one} />}
              name={one.name}
              about={one.description || one.instructions}
              aside={isDefault && <Badge tone="accent">{t('persona.default')}</Badge>}
              onEdit={() => setPersona({ before: one })}
              items={[
                {
                  label: t(isDefault ? 'persona.unsetDefault' : 'persona.setDefault'),
                  icon: isDefault ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />,
                  onSelect: () =>
                    void settings.set('chat.persona', isDefault ? undefined : one.id).catch(report),
                },
                {
                  label: t('duplicate'),
                  icon: <Copy size={15} aria-hidden />,
                  onSelect: () => {
                    const { id: _id, ...rest } = one;
                    void library.savePersona({ ...rest, name: copyName(one.name) }).catch(report);
                  },
                },
                saveItem(t('saveFile'), () =>
                  saveAs(`${slugOf(one.name) || 'persona'}.md`, personaAsMarkdown(one)),
                ),
                'separator',
                removeItem(t('remove'), () => remove(one)),
              ]}
            />
          );
        })}
      </LibraryGroup>
      <FilesRow />
      {prompt && <PromptDialog before={prompt.before} onClose={() => setPrompt(null)} />}
      {persona && <PersonaDialog before={persona.before} onClose={() => setPersona(null)} />}
    </>
  );
}

const saveItem = (label: string, onSelect: () => void): MenuItem => ({
  label,
  icon: <FileDown size={15} aria-hidden />,
  onSelect,
});
const removeItem = (label: string, onSelect: () => void): MenuItem => ({
  label,
  icon: <Trash2 size={15} aria-hidden />,
  danger: true,
  onSelect,
});

function saveAs(name: string, text: string, mediaType = MARKDOWN_TYPE): void {
  download({ name, mediaType, blob: new Blob([text], { type: mediaType }) });
}

function LibraryGroup({
  title,
  lead,
  none,
  add,
  onAdd,
  children,
}: {
  title: string;
  lead: string;
  none: string;
  add: string;
  onAdd: () => void;
  children: readonly ReactNode[];
}) {
  return (
    <section aria-label={title}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{title}</h3>
        <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={onAdd}>
          {add}
        </Button>
      </div>
      <p className="mt-0.5 text-ink-3 text-xs">{lead}</p>
      {children.length === 0 ? (
        <p className="py-3 text-ink-2">{none}</p>
      ) : (
        <ul className="mt-1 divide-y divide-line">{children}</ul>
      )}
    </section>
  );
}

function Item({
  sign,
  name,
  about,
  aside,
  onEdit,
  items,
}: {
  sign?: ReactNode;
  name: string;
  about: string;
  aside?: ReactNode;
  onEdit: () => void;
  items: readonly MenuItem[];
}) {
  const { t } = useTranslation('prompts');
  return (
    <li className="flex items-center gap-3 py-2">
      {sign}
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
          {aside}
        </p>
        <p dir="auto" className="truncate text-ink-3 text-xs">
          {about}
        </p>
      </div>
      <Button size="sm" aria-label={t('edit', { name })} onClick={onEdit}>
        {t('editShort')}
      </Button>
      <Menu
        trigger={<IconButton label={t('more', { name })} icon={<Ellipsis size={16} aria-hidden />} />}
        items={items}
      />
    </li>
  );
}

/** Exports all of them as one file, and imports files, also those of other programs. */
function FilesRow() {
  const { t } = useTranslation('prompts');
  const { prompts: library } = useApp();
  const { prompts, personas } = useReadable(library.state);
  const report = useReport();
  const picker = useRef<HTMLInputElement>(null);
  const read = async (files: readonly File[]) => {
    const found = await Promise.all(
      files.map(async (file) => {
        const there = readPromptFile({ name: file.name, text: await file.text() });
        if (there) return there;
        throw new RecollectError('prompt-file', `${file.name} has no prompts`, {
          params: { name: file.name },
        });
      }),
    );
    const skipped = found.reduce((sum, one) => sum + one.skipped, 0);
    const { added, known, undo } = await library.bring({
      prompts: found.flatMap((one) => one.prompts),
      personas: found.flatMap((one) => one.personas),
    });
    const more = [
      known > 0 && t('files.known', { count: known }),
      skipped > 0 && t('files.skipped', { count: skipped }),
    ].filter((words) => words !== false);
    const description = more.length > 0 ? { description: more.join(' ') } : {};
    if (added === 0) toast(t('files.nothingNew'), description);
    else
      offer(t('files.added', { count: added }), {
        label: t('undo'),
        onClick: () => void undo().catch(report),
        ...description,
      });
  };
  return (
    <section aria-label={t('files.title')}>
      <h3 className="font-semibold">{t('files.title')}</h3>
      <p className="mt-0.5 text-ink-3 text-xs">{t('files.lead')}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <FilePicker
          ref={picker}
          multiple
          accept=".json,.md,.markdown,.mdx,.txt"
          data-testid="prompt-files"
          onFiles={(files) => {
            read(files).catch(report);
          }}
        />
        <Button size="sm" icon={<Upload size={14} aria-hidden />} onClick={() => picker.current?.click()}>
          {t('files.import')}
        </Button>
        <Button
          size="sm"
          icon={<Download size={14} aria-hidden />}
          disabled={prompts.length + personas.length === 0}
          onClick={() =>
            saveAs('recollect-prompts.json', writeRecollect({ prompts, personas }, Date.now()), JSON_TYPE)
          }
        >
          {t('files.export')}
        </Button>
      </div>
    </section>
  );
}
