// Chooses a conversation's persona: a quiet button in the composer, shown once personas exist.
import { UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Persona } from '../../domain/prompts/persona.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Menu, type MenuItem } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { PersonaSign } from '../shell/persona-sign.tsx';

/** The persona with this id; null if there is none. */
export function usePersona(id: string | null | undefined): Persona | null {
  const personas = useReadable(useApp().prompts.state, (state) => state.personas);
  return personas.find((persona) => persona.id === id) ?? null;
}

/** Persona of a conversation that has not begun: the default one until another is chosen. */
export function useNewPersona(): [Persona | null, (id: string | null) => void] {
  const { prompts, settings } = useApp();
  const personas = useReadable(prompts.state, (state) => state.personas);
  const byDefault = useReadable(settings.config, ({ chat }) => chat.persona);
  const [picked, setPicked] = useState<string | null>();
  const id = picked === undefined ? byDefault : picked;
  return [personas.find((persona) => persona.id === id) ?? null, setPicked];
}

/**
 * Lets a persona answer in a conversation, with its model. A conversation that has not
 * begun gets it by `onChange` instead.
 */
export function usePickPersona(
  conversation: Conversation | null,
  onChange: ((persona: string | null) => void) | undefined,
): (persona: Persona | null) => void {
  const { documents, settings } = useApp();
  const report = useReport();
  return (persona) => {
    if (onChange) onChange(persona?.id ?? null);
    else if (conversation)
      documents.change(conversation.id, { meta: { persona: persona?.id ?? null } }).catch(report);
    const model = persona?.model ?? null;
    const endpoint = settings.connections
      .get()
      .endpoints.find(({ models }) => model !== null && models.includes(model));
    if (endpoint && model !== null)
      settings.choose({ endpointId: endpoint.id, model }, conversation?.id).catch(report);
  };
}

/** `value` and `onChange`: for a conversation that has not begun. */
export function PersonaPicker({
  conversation,
  value,
  onChange,
}: {
  conversation: Conversation | null;
  value?: string | null;
  onChange?: (persona: string | null) => void;
}) {
  const { prompts } = useApp();
  const { t } = useTranslation('prompts');
  const navigation = useNavigation();
  const pick = usePickPersona(conversation, onChange);
  const personas = useReadable(prompts.state, (state) => state.personas);
  const id = onChange ? value : conversation?.meta.persona;
  const chosen = personas.find((persona) => persona.id === id) ?? null;
  if (personas.length === 0) return null;
  const items: MenuItem[] = [
    { label: t('persona.none'), checked: chosen === null, onSelect: () => pick(null) },
    'separator',
    ...personas.map(
      (persona): MenuItem => ({
        label: persona.name,
        ...(persona.description ? { description: persona.description } : {}),
        icon: <PersonaSign persona={persona} />,
        checked: persona.id === chosen?.id,
        onSelect: () => pick(persona),
      }),
    ),
    'separator',
    { label: t('persona.manage'), onSelect: () => navigation.openScreen('settings', 'prompts') },
  ];
  return (
    <Menu
      side="top"
      align="end"
      items={items}
      trigger={
        <button
          type="button"
          {...(chosen ? {} : { 'aria-label': t('persona.choose') })}
          className="touchable flex h-8 min-w-8 pointer-coarse:min-w-11 items-center justify-center gap-1.5 rounded-sm px-1.5 text-ink-2 text-sm hover:bg-fill hover:text-ink aria-expanded:bg-fill"
        >
          {chosen ? <PersonaSign persona={chosen} /> : <UserRound size={16} aria-hidden />}
          {chosen && (
            <>
              <span className="sr-only">{t('persona.is', { name: chosen.name })}</span>
              <span aria-hidden className="max-w-28 truncate max-sm:hidden">
                {chosen.name}
              </span>
            </>
          )}
        </button>
      }
    />
  );
}
