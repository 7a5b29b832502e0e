// Makes the answering model, for each question from the connected endpoints, with the
// key and the repairs of its endpoint.
import type { ChatModel, Endpoint } from '../../adapters/models/chat-model.ts';
import { createEndpointModel } from '../../adapters/models/index.ts';
import { isTemporary } from '../../domain/base/ids.ts';
import type { Conversation } from '../../domain/chat/conversation.ts';
import type { Price } from '../../domain/context/budget.ts';
import { priceOf } from '../../domain/context/prices.ts';
import { parametersWith } from '../../domain/prompts/persona.ts';
import type { Documents } from '../documents/documents.ts';
import type { PrivacyFilter } from '../privacy/privacy-filter.ts';
import { privateModel } from '../privacy/private-model.ts';
import { preferredModel } from '../projects/preferred-model.ts';
import type { Prompts } from '../prompts/prompts.ts';
import { type createKeys, endpointKey } from '../settings/keys.ts';
import { modelInUse } from '../settings/model-in-use.ts';
import type { ModelChoice, Settings } from '../settings/settings.ts';
import { meteredModel } from '../spending/metered-model.ts';
import type { Spending } from '../spending/spending.ts';
import type { ModelRefusals } from './model-refusals.ts';

interface EndpointModelsDeps {
  readonly settings: Pick<Settings, 'connections'>;
  /** Lists the projects; absent: there are none. */
  readonly documents?: Pick<Documents, 'library'>;
  readonly keys: Pick<ReturnType<typeof createKeys>, 'get'>;
  readonly fetch: typeof fetch;
  readonly refusals: Pick<ModelRefusals, 'leftOut' | 'remember'>;
  /** Persona of a conversation; absent: none anywhere. */
  readonly personaOf?: Prompts['personaOf'];
  /** Records every request to one of them. */
  readonly spending: Pick<Spending, 'record'>;
  /** Privacy filter of every request. */
  readonly filter: PrivacyFilter;
}

export class EndpointModels {
  readonly #deps: EndpointModelsDeps;
  readonly #passing: PrivacyFilter;
  readonly #endpointOf = new WeakMap<Pick<ChatModel, 'id'>, Endpoint>();

  constructor(deps: EndpointModelsDeps) {
    this.#deps = deps;
    this.#passing = deps.filter.passing();
  }

  /**
   * Returns the model of a conversation, or of one that has not begun; `by`: that one instead. Null if memory answers.
   */
  modelOf(conversation?: Conversation, by?: ModelChoice): ChatModel | null {
    const { settings, keys, fetch, refusals, personaOf, spending, filter } = this.#deps;
    const connections = settings.connections.get();
    const choice =
      by ?? modelInUse(connections, conversation ?? null, this.#preferredIn(conversation)).choice;
    const endpoint = connections.endpoints.find(({ id }) => id === choice?.endpointId);
    if (!endpoint || !choice) return null;
    const persona = (conversation && personaOf?.(conversation)) ?? null;
    const parameters = parametersWith(endpoint.parameters, persona);
    const asked: ChatModel = createEndpointModel({
      endpoint: parameters ? { ...endpoint, parameters } : endpoint,
      model: choice.model,
      key: () => keys.get(endpointKey(endpoint.id), endpoint.baseUrl),
      fetch,
      repairs: {
        get: () => refusals.leftOut(asked),
        remember: (repairs) => void refusals.remember(asked, repairs, null),
      },
    });
    const metered = meteredModel(asked, (usage) =>
      spending.record({
        endpoint: asked.endpoint ?? '',
        model: asked.id,
        conversation: conversation?.id,
        usage,
        price: this.priceOf(model),
      }),
    );
    // Tokens of a temporary conversation are stored nowhere, like the conversation itself.
    const behind = conversation && isTemporary(conversation.id) ? this.#passing : filter;
    // The filter is outermost, so that the meter counts the text that is sent.
    const model = privateModel(metered, behind);
    this.#endpointOf.set(model, endpoint);
    return model;
  }

  #preferredIn(conversation: Conversation | undefined): ModelChoice | null {
    const { documents } = this.#deps;
    return documents && conversation ? preferredModel(documents.library.get(), conversation.id) : null;
  }

  /** Price of the model: as entered or listed by the endpoint, else from the list that ships. Null if unknown. */
  priceOf(model: Pick<ChatModel, 'id' | 'endpoint'>): Price | null {
    return priceOf(model.id, model.endpoint ?? '', this.#endpointOf.get(model))?.price ?? null;
  }
}
