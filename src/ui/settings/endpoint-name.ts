// Name of a connection: the person's own, or derived from its address.
import { type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { shownName } from '../../domain/text/shown.ts';

/** The typed name; none if it only repeats the address, so that it follows a change of the address. */
export const typedName = ({ label, baseUrl }: Pick<Endpoint, 'label' | 'baseUrl'>): string =>
  label === hostOf(baseUrl) ? '' : label;

/** A unique name for a connection. `taken`: names of the others. */
export function nameFor(typed: string, url: string, taken: readonly string[] = []): string {
  const name = shownName(typed) || hostOf(url);
  let free = name;
  for (let at = 2; taken.includes(free); at += 1) free = `${name} ${at}`;
  return free;
}
