// Name of a connection: by its person, or after the address it leads to.
import { type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { shownName } from '../../domain/text/shown.ts';

/** The name that was typed; none where it is only the address's, which goes along when that is changed. */
export const typedName = ({ label, baseUrl }: Pick<Endpoint, 'label' | 'baseUrl'>): string =>
  label === hostOf(baseUrl) ? '' : label;

/** The name of a connection: no other one has it. `taken`: the names of the others. */
export function nameFor(typed: string, url: string, taken: readonly string[] = []): string {
  const name = shownName(typed) || hostOf(url);
  let free = name;
  for (let at = 2; taken.includes(free); at += 1) free = `${name} ${at}`;
  return free;
}
