// What a connection is called: by its person, or after the address it leads to.
import { type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { shownName } from '../../domain/text/shown.ts';

/** The name that was typed; none where it is only the address's, which goes along when that is changed. */
export const typedName = ({ label, baseUrl }: Pick<Endpoint, 'label' | 'baseUrl'>): string =>
  label === hostOf(baseUrl) ? '' : label;

export const nameFor = (typed: string, url: string): string => shownName(typed) || hostOf(url);
