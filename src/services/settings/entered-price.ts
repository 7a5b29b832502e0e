// What a person entered an endpoint's models to cost.
import { hostOf } from '../../adapters/models/chat-model.ts';
import type { Price } from '../../domain/context/budget.ts';
import type { Connections } from './settings.ts';

/** The price entered for the endpoint at `host`, the one that answers first where several are there; null where none was. */
export function enteredPrice({ endpoints, chosen }: Connections, host: string): Price | null {
  const here = endpoints.filter(({ baseUrl }) => hostOf(baseUrl) === host);
  return (here.find(({ id }) => id === chosen?.endpointId) ?? here[0])?.price ?? null;
}
