// Keeps the files of the models for offline use. A module of its own: nobody needs it before the page has been there for a while.
import { readAssembly } from '../adapters/browser/assembly.ts';
import { keepForOffline, letGoOfOthers, mayKeepMore } from '../adapters/browser/device.ts';
import { BUNDLED_MODELS, bundledModel, bundledPaths } from '../adapters/embedding/bundled-models.ts';
import { pathsToKeep } from '../adapters/embedding/offline.ts';
import { log } from '../domain/base/log.ts';
import type { Config } from '../domain/settings/config.ts';

/** Fetches what the model in use reads, then, where there is room, what the other bundled model reads. Rejects where the first cannot be had. */
export async function keepModels(
  { provider, local }: Config['embedding'],
  signal: AbortSignal,
): Promise<void> {
  const isLocal = provider === 'local';
  const model = local.source === 'bundled' ? bundledModel(local.model) : undefined;
  const already = await keepForOffline(isLocal ? await pathsToKeep(model, readAssembly) : [], signal);
  // Delete an earlier version's files only once this version's are in place: a tab of the earlier one may be open until then.
  if (already) await letGoOfOthers('/models/', bundledPaths());
  if (!isLocal || !model || !(await mayKeepMore())) return;
  // The other one that ships with the app, so that one may change over without a network.
  const others = BUNDLED_MODELS.filter((one) => one !== model);
  const paths = await Promise.all(others.map((one) => pathsToKeep(one, readAssembly)));
  await keepForOffline(paths.flat(), signal).catch((error) =>
    log.info('The other model is not kept for offline use', error),
  );
}
