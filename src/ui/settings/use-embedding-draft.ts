// Embedding settings that a person is choosing: a draft, then applied as a whole or discarded.
import { useEffect, useState } from 'react';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import type { Config } from '../../domain/settings/config.ts';
import { useApp, useReadable } from '../hooks/app.tsx';

export type Embedding = Config['embedding'];
export type RemoteProvider = Exclude<Embedding['provider'], 'local'>;

export interface EmbeddingDraft {
  readonly inForce: Embedding;
  /** Shown values: the draft, or the current settings if there is none. */
  readonly shown: Embedding;
  readonly remote: RemoteProvider | null;
  /** True if the draft differs from the current settings. */
  readonly isDrafted: boolean;
  readonly isChanged: boolean;
  /** True if every vector would have to be made again. */
  readonly changesVectors: boolean;
  /** Typed key of a remote provider. */
  readonly key: string;
  /** Origin that the vault's key belongs to; null if there is no key. */
  readonly keptKeyOrigin: string | null;
  readonly problem: Problem | null;
  readonly isSaving: boolean;
  setKey(key: string): void;
  change(next: Partial<Embedding>): void;
  changeLocal(next: Partial<Embedding['local']>): void;
  changeRemote(next: Partial<Embedding[RemoteProvider]>): void;
  forgetKey(): void;
  apply(): void;
  discard(): void;
}

/**
 * Holds changed embedding settings until they are applied or discarded: applying
 * them may embed the whole library again.
 */
export function useEmbeddingDraft(): EmbeddingDraft {
  const { settings, memory } = useApp();
  const inForce = useReadable(settings.config, (config) => config.embedding);
  const [draft, setDraft] = useState<Embedding | null>(null);
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isSaving, setSaving] = useState(false);
  const shown = draft ?? inForce;
  const remote = shown.provider === 'local' ? null : shown.provider;
  const [keptKeyOrigin, setKeptKeyOrigin] = useKeptKeyOrigin(remote, isSaving);

  const change = (next: Partial<Embedding>) => {
    setProblem(null);
    setDraft({ ...shown, ...next });
  };
  const apply = () => {
    setSaving(true);
    setProblem(null);
    // Saves the key as part of a configuration file (JSON is YAML), which moves keys into
    // the vault: all of it is kept or none.
    const saved =
      remote !== null && key !== ''
        ? settings.importYaml(
            JSON.stringify({ embedding: { ...shown, [remote]: { ...shown[remote], api_key: key } } }),
          )
        : settings.set('embedding', shown);
    saved.then(
      () => {
        // Otherwise the service that refused another key would not be tried again for minutes.
        if (key !== '') memory.wake('now');
        setSaving(false);
        setDraft(null);
        setKey('');
      },
      (error: unknown) => {
        setSaving(false);
        setProblem(toProblem(error));
      },
    );
  };

  return {
    inForce,
    shown,
    remote,
    isDrafted: draft !== null,
    isChanged: key !== '' || JSON.stringify(shown) !== JSON.stringify(inForce),
    changesVectors: vectorSource(shown) !== vectorSource(inForce),
    key,
    keptKeyOrigin,
    problem,
    isSaving,
    setKey,
    change,
    changeLocal: (next) => change({ local: { ...shown.local, ...next } }),
    changeRemote: (next) => {
      if (remote) change({ [remote]: { ...shown[remote], ...next } });
    },
    forgetKey: () => {
      if (!remote) return;
      settings.forgetKey(`embedding/${remote}`).then(
        () => setKeptKeyOrigin(null),
        (error: unknown) => setProblem(toProblem(error)),
      );
    },
    apply,
    discard: () => {
      setDraft(null);
      setKey('');
      setProblem(null);
    },
  };
}

/**
 * Origin that the vault's key of a provider belongs to. Read again after each save, which may have replaced the key.
 */
function useKeptKeyOrigin(remote: RemoteProvider | null, isSaving: boolean) {
  const { settings } = useApp();
  const [origin, setOrigin] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a finished save may have stored another key
  useEffect(() => {
    let gone = false;
    setOrigin(null);
    if (remote !== null)
      // A vault that cannot be opened reports that when a key is needed.
      void orElse(settings.keyOrigin(`embedding/${remote}`), null, 'the origin of an embedding key').then(
        (known) => {
          if (!gone) setOrigin(known);
        },
      );
    return () => {
      gone = true;
    };
  }, [settings, remote, isSaving]);
  return [origin, setOrigin] as const;
}

/** Equal for two settings that give the same text the same vector. */
const vectorSource = (embedding: Embedding): string =>
  embedding.provider === 'local'
    ? `local ${embedding.local.model} ${embedding.local.source} ${embedding.local.passage_prefix}`
    : `${embedding.provider} ${JSON.stringify(embedding[embedding.provider])}`;
