// Reacts to the person's activity and pauses with background duties of the page, none of which draw anything.
import { ignore, log } from '../domain/base/log.ts';
import { until } from '../domain/base/readable.ts';
import type { App } from '../services/app.ts';
import type { Memory } from '../services/memory/memory.ts';
import type { Pause } from '../services/memory/pause.ts';

/** Pause in typing after which background work continues, ms. */
const TYPING_PAUSE_MS = 1500;
/** Time without activity or news that counts as the end of a conversation, ms. */
const REST_MS = 60_000;
/** Delay after the start before the models' files are fetched for offline use, ms. */
const OFFLINE_COPY_AFTER_MS = 8000;

/** Watches the page: typing pauses background work, rest and leaving wake the engine. Ends with the signal. */
export function watchPageActivity({
  app,
  engine,
  pause,
  signal,
}: {
  app: App;
  engine: Pick<Memory, 'wake'>;
  pause: Pause;
  signal: AbortSignal;
}) {
  // Background work pauses while a person types.
  let typing: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener(
    'input',
    ({ target }) => {
      if (typing === undefined) {
        pause.set('typing', true);
        // Prepares recall for the message being written: an unloaded model takes a second to load.
        if ((target as Partial<Element> | null)?.tagName === 'TEXTAREA') app.memory.prepare();
      }
      clearTimeout(typing);
      typing = setTimeout(() => {
        typing = undefined;
        pause.set('typing', false);
      }, TYPING_PAUSE_MS);
    },
    { capture: true, signal },
  );
  // A person who pauses for a while has ended a conversation, too.
  let resting: ReturnType<typeof setTimeout> | undefined;
  const rest = () => {
    clearTimeout(resting);
    resting = setTimeout(() => engine.wake('ended'), REST_MS);
  };
  for (const event of ['input', 'pointerdown', 'keydown'])
    document.addEventListener(event, rest, { capture: true, passive: true, signal });
  const stopResting = app.documents.library.subscribe(rest);
  // Leaving the tab ends its conversation.
  document.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'hidden' && engine.wake('ended'),
    { signal },
  );
  // Retries failed writes when the cause may have gone.
  for (const event of ['focus', 'online'])
    window.addEventListener(event, () => void app.documents.retry(), { signal });
  // The browser asks before closing only if the page holds unsaved data or an import would be cut off, because a page
  // that asks is never kept in the back/forward cache.
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const { saving } = app.documents;
  const { activities } = app.library;
  const askOrNot = () => {
    const imports = activities.get().some(({ label, state }) => label === 'import' && state === 'running');
    if (imports || saving.get().state === 'failed') window.addEventListener('beforeunload', ask, { signal });
    else if (saving.get().state === 'saved') window.removeEventListener('beforeunload', ask);
  };
  const stopAsking = [saving.subscribe(askOrNot), activities.subscribe(askOrNot)];

  // Once the library has data of the person's own, asks the browser to keep it and fetches the model for offline use.
  const own = () => app.documents.library.get().entries.some((entry) => !entry.sample);
  ignore(
    until(app.documents.library, own, signal).then(() => app.device.persist()),
    'the request for persistent storage',
  );
  const keepModelsOffline = async () => {
    const { keepModels } = await import('./kept-models.ts');
    await keepModels(app.settings.config.get().embedding, signal);
  };
  const timer = setTimeout(() => {
    keepModelsOffline().catch((error) => log.info('The model is not kept for offline use yet', error));
  }, OFFLINE_COPY_AFTER_MS);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    clearTimeout(typing);
    clearTimeout(resting);
    stopResting();
    for (const stop of stopAsking) stop();
  });
}
