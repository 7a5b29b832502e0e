// Any model that answers a conversation. One verb: stream.

import type { Problem } from '../../domain/base/errors.ts';
import type { DraftEvent } from '../../domain/chat/draft.ts';
import type { Finish, Message, Usage } from '../../domain/chat/message.ts';
import type { Price } from '../../domain/context/budget.ts';
import { type ModelParameters, sentParameters } from '../../domain/settings/parameters.ts';
import type { ProtocolName } from './protocols.ts';

/** Request to a model: the messages as it shall see them (recall already woven in), oldest first. */
export interface Prompt {
  readonly system: string | null;
  readonly messages: readonly Pick<Message, 'role' | 'parts'>[];
}

/** A tool a model may call. `schema` is JSON Schema of its arguments. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Events of a stream, in order. */
export type ChatEvent =
  | DraftEvent
  | { readonly type: 'usage'; readonly usage: Usage }
  /** Always last. `problem` tells why for `cut` and `error`; `tokensSent`: what stood in the request for private words. */
  | {
      readonly type: 'end';
      readonly finish: Finish;
      readonly problem?: Problem;
      readonly tokensSent?: readonly string[];
    };

export interface ChatModel {
  /** As the endpoint names it. */
  readonly id: string;
  /** Host of the endpoint; absent for a model that has none. */
  readonly endpoint?: string;
  /** Tokens, where the endpoint or a table says; null where nobody knows. */
  readonly contextWindow: number | null;
  /** Parameters in every request besides the messages, as they are sent; absent: none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Streams one answer. Never throws for what the endpoint does: failures arrive as the `end` event, after whatever came before.
   * An aborted signal ends with finish `stopped`.
   */
  stream(
    prompt: Prompt,
    options: {
      readonly tools?: readonly ToolDescription[];
      /** `none`: the tools are named, because calls of them are in the prompt, but must not be called. Default `auto`. */
      readonly toolChoice?: 'auto' | 'none';
      /** Most tokens of the answer, thoughts included; a longer one ends with `length`. Default: the endpoint's limit. */
      readonly maxTokens?: number;
      /**
       * Parts left out because the endpoint refused them: thoughts of earlier steps, and asking for new ones; images, which leave their
       * name.
       */
      readonly without?: readonly ('thoughts' | 'images')[];
      readonly signal: AbortSignal;
    },
  ): AsyncIterable<ChatEvent>;
}

/** An OpenAI-compatible endpoint as a person configures it. The key lives in the vault. */
export interface Endpoint {
  readonly id: string;
  readonly label: string;
  /** Up to and including `/v1` or what the provider uses; no trailing slash. */
  readonly baseUrl: string;
  /** Model ids offered in the picker: from the endpoint's list, or typed. */
  readonly models: readonly string[];
  /** The endpoint's list when it was last looked at, where it is short: what is new in it since is offered. */
  readonly listed?: readonly string[] | undefined;
  /** Absent: chat completions. */
  readonly protocol?: ProtocolName | undefined;
  /** Price that a person entered for all models, and for one by its id, per million tokens: it goes before any list. */
  readonly price?: Price | undefined;
  readonly ownPrices?: Readonly<Record<string, Price>> | undefined;
  /** Prices from the endpoint's own list, per million tokens, by the model's id. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  /** Parameters of every request; absent: none. */
  readonly parameters?: ModelParameters | undefined;
}

/** By which a model, its price and its problems name an endpoint; the address itself where it is none. */
export const hostOf = (baseUrl: string): string =>
  (URL.canParse(baseUrl) && new URL(baseUrl).host) || baseUrl;

/** The parameters of an endpoint as a model has them. */
export function parametersOf({ baseUrl, parameters }: Pick<Endpoint, 'baseUrl' | 'parameters'>) {
  const sent = sentParameters(parameters ?? {}, hostOf(baseUrl));
  return Object.keys(sent).length > 0 ? { parameters: sent } : {};
}

/** Result of a connection test. */
export type ConnectionReport =
  | {
      readonly ok: true;
      readonly models: readonly string[];
      /** Prices that the list tells, per million tokens. */
      readonly prices?: Readonly<Record<string, Price>>;
      readonly tookMs: number;
    }
  | { readonly ok: false; readonly problem: Problem };
