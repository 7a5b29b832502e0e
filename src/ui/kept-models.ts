// Keeps the models' files for offline use. Separate module, because it is needed only some time after the start.
import { readAssembly } from '../adapters/browser/assembly.ts';
import { keepForOffline, letGoOfOthers, mayKeepMore } from '../adapters/browser/device.ts';
import { BUNDLED_MODELS, bundledModel, bundledPaths } from '../adapters/embedding/bundled-models.ts';
import { pathsToKeep } from '../adapters/embedding/offline.ts';
import { log } from '../domain/base/log.ts';
import type { Config } from '../domain/settings/config.ts';

/**
 * Fetches the files of the model in use, then, if there is room, those of the other bundled model.
 * Rejects if the first are unavailable.
 */
export async function keepModels(
  { provider, local }: Config['embedding'],
  signal: AbortSignal,
): Promise<void> {
  const isLocal = provider === 'local';
  const model = local.source === 'bundled' ? bundledModel(local.model) : undefined;
  const already = await keepForOffline(isLocal ? await pathsToKeep(model, readAssembly) : [], signal);
  // Deletes an earlier version's files only once this version's are in place: a tab
  // of the earlier one may still be open.
  if (already) await letGoOfOthers('/models/', bundledPaths());
  if (!isLocal || !model || !(await mayKeepMore())) return;
  // The other bundled model, so that a person can switch to it offline.
  const others = BUNDLED_MODELS.filter((one) => one !== model);
  const paths = await Promise.all(others.map((one) => pathsToKeep(one, readAssembly)));
  await keepForOffline(paths.flat(), signal).catch((error) =>
    log.info('The other model is not kept for offline use', error),
  );
}
