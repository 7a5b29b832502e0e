// Presets as the settings show them.
import type { TFunction } from 'i18next';
import type { Endpoint } from '../../adapters/models/chat-model.ts';
import { type EndpointPreset, PRESETS } from '../../adapters/models/presets.ts';

/** Label without the part in parentheses, which is in one language only. */
export const plainLabel = (preset: EndpointPreset): string => preset.label.replace(/（[^（）]*）/, '');

/** Displayed name of a preset. */
export const titleOf = (preset: EndpointPreset, t: TFunction<'settings'>): string =>
  preset.id === 'custom'
    ? t('models.customLabel')
    : preset.protocol === 'browser'
      ? t('models.browser.label')
      : plainLabel(preset);

/** Finds the preset of an endpoint: by its address, else by its id, which begins with the preset's. */
export const presetOf = (endpoint: Pick<Endpoint, 'id' | 'baseUrl'>): EndpointPreset | undefined =>
  PRESETS.find((preset) => preset.baseUrl !== '' && preset.baseUrl === endpoint.baseUrl) ??
  PRESETS.find((preset) => endpoint.id === preset.id || endpoint.id.startsWith(`${preset.id}-`));

/** Content of the open form: a new endpoint from a preset, or an existing one. */
export type EndpointDraft =
  | { readonly kind: 'new'; readonly preset: EndpointPreset }
  | { readonly kind: 'edit'; readonly endpoint: Endpoint };
