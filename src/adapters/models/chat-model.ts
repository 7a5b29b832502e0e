// Contract of a model that answers a conversation, by one method: stream.

import type { Problem } from '../../domain/base/errors.ts';
import type { DraftEvent } from '../../domain/chat/draft.ts';
import type { Finish, Message, Usage } from '../../domain/chat/message.ts';
import type { Price } from '../../domain/context/budget.ts';
import { type ModelParameters, sentParameters } from '../../domain/settings/parameters.ts';
import type { ProtocolName } from './protocols.ts';

/** Request to a model: the messages as it gets them (with recall), oldest first. */
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
  /**
   * Always last. `problem` gives the reason for `cut` and `error`; `tokensSent`: tokens that
   * replaced private words in the request.
   */
  | {
      readonly type: 'end';
      readonly finish: Finish;
      readonly problem?: Problem;
      readonly tokensSent?: readonly string[];
    };

export interface ChatModel {
  /** Name at the endpoint. */
  readonly id: string;
  /** Host of the endpoint; absent for a model without one. */
  readonly endpoint?: string;
  /** Window in tokens, from the endpoint or a table; null if unknown. */
  readonly contextWindow: number | null;
  /** Parameters that every request carries; absent: none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Streams one answer. Never throws for what the endpoint does: failures arrive as the `end` event, after the events
   * so far. An aborted signal ends with finish `stopped`.
   */
  stream(
    prompt: Prompt,
    options: {
      readonly tools?: readonly ToolDescription[];
      /**
       * `none`: the tools are named, because calls of them are in the prompt, but must not be called. Default `auto`.
       */
      readonly toolChoice?: 'auto' | 'none';
      /**
       * Most tokens of the answer, thoughts included; a longer one ends with `length`. Default: the endpoint's limit.
       */
      readonly maxTokens?: number;
      /**
       * Parts left out because the endpoint refused them: thoughts of earlier steps, and asking for new
       * ones; images, which leave their name.
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
  /** The endpoint's list when last read, if it is short: models that are new since then are offered. */
  readonly listed?: readonly string[] | undefined;
  /** Absent: chat completions. */
  readonly protocol?: ProtocolName | undefined;
  /** Price that a person entered for all models, and for one by its id, per million tokens: it wins over any list. */
  readonly price?: Price | undefined;
  readonly ownPrices?: Readonly<Record<string, Price>> | undefined;
  /** Prices from the endpoint's own list, per million tokens, by the model's id. */
  readonly prices?: Readonly<Record<string, Price>> | undefined;
  /** Parameters of every request; absent: none. */
  readonly parameters?: ModelParameters | undefined;
}

/** Name of an endpoint in models, prices and problems: its host, or the address itself if it is none. */
export const hostOf = (baseUrl: string): string =>
  (URL.canParse(baseUrl) && new URL(baseUrl).host) || baseUrl;

/** Converts an endpoint's parameters to those of a model. */
export function parametersOf({ baseUrl, parameters }: Pick<Endpoint, 'baseUrl' | 'parameters'>) {
  const sent = sentParameters(parameters ?? {}, hostOf(baseUrl));
  return Object.keys(sent).length > 0 ? { parameters: sent } : {};
}

/** Result of a connection test. */
export type ConnectionReport =
  | {
      readonly ok: true;
      readonly models: readonly string[];
      /** Prices in the list, per million tokens. */
      readonly prices?: Readonly<Record<string, Price>>;
      readonly tookMs: number;
    }
  | { readonly ok: false; readonly problem: Problem };
