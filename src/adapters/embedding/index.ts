// The registry of embedding providers. One member = one file + one entry here; README.md beside this says how.
import type { Config } from '../../domain/settings/config.ts';
import type { CalibrationKeyValues } from './calibration.ts';
import type { EmbeddingProvider } from './embedding-provider.ts';
import type { ModelConnection } from './protocol.ts';

/** Dependencies that the composition root passes to the chosen member. */
interface EmbeddingDeps {
  readonly config: Config['embedding'];
  /** Opens a connection to the thread that runs local models. */
  readonly connect: () => ModelConnection | Promise<ModelConnection>;
  /** Looks up the key of a remote member before each request; undefined if none is kept for this address. */
  readonly secret: (name: SecretName, address: string) => Promise<string | undefined>;
  /** How requests of remote members leave this thread. */
  readonly fetch: typeof fetch;
  /** Keeps measured calibrations. */
  readonly keyValues: CalibrationKeyValues;
}

type SecretName = 'embedding/openai' | 'embedding/custom';

interface EmbeddingMember {
  /** The value of `embedding.provider`. */
  readonly id: Config['embedding']['provider'];
  /** Translation key of its name. */
  readonly label: string;
  /** Name in the vault of the key it needs; null for none. */
  readonly secret: SecretName | null;
  /** Loads the member's code and makes it. Neither connects nor downloads. */
  create(deps: EmbeddingDeps): Promise<EmbeddingProvider>;
}

export const EMBEDDING_MEMBERS: readonly EmbeddingMember[] = [
  {
    id: 'local',
    label: 'embedding.local',
    secret: null,
    create: async ({ config, connect, keyValues }) =>
      (await import('./local.ts')).createLocalEmbedding({ config: config.local, connect, keyValues }),
  },
  {
    id: 'openai',
    label: 'embedding.openai',
    secret: 'embedding/openai',
    create: async ({ config, secret, fetch, keyValues }) =>
      (await import('./openai.ts')).createOpenAiEmbedding({
        config: config.openai,
        key: () => secret('embedding/openai', config.openai.base_url),
        fetch,
        keyValues,
      }),
  },
  {
    id: 'custom',
    label: 'embedding.custom',
    secret: 'embedding/custom',
    create: async ({ config, secret, fetch, keyValues }) =>
      (await import('./custom.ts')).createCustomEmbedding({
        config: config.custom,
        key: () => secret('embedding/custom', config.custom.base_url),
        fetch,
        keyValues,
      }),
  },
];

/** Makes the provider that the configuration names. */
export function createEmbedding(deps: EmbeddingDeps): Promise<EmbeddingProvider> {
  const member = EMBEDDING_MEMBERS.find(({ id }) => id === deps.config.provider);
  if (!member) throw new Error(`no embedding provider is called ${deps.config.provider}`);
  return member.create(deps);
}
