// Small duties of the page that follow what a person does, or leaves undone: nothing of them is drawn.
import { ignore, log } from '../domain/base/log.ts';
import { until } from '../domain/base/readable.ts';
import type { App } from '../services/app.ts';
import type { Memory } from '../services/memory/memory.ts';
import type { Pause } from '../services/memory/pause.ts';

/** Quiet time after which the background goes on while a person types, ms. */
const TYPING_PAUSE_MS = 1500;
/** Nothing done and nothing new for so long is the end of a conversation, ms. */
const REST_MS = 60_000;
/** After start, when the files of the models are fetched for offline use, ms. */
const OFFLINE_COPY_AFTER_MS = 8000;

/** Begins to look; ends with the signal. */
export function lookAfter({
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
  // The background makes room while a person types.
  let typing: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener(
    'input',
    ({ target }) => {
      if (typing === undefined) {
        pause.set('typing', true);
        // Prepare recall for the message being written: a model that has retired takes a second to load.
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
  // A person who rests for a while has ended a conversation, too.
  let resting: ReturnType<typeof setTimeout> | undefined;
  const rest = () => {
    clearTimeout(resting);
    resting = setTimeout(() => engine.wake('ended'), REST_MS);
  };
  for (const event of ['input', 'pointerdown', 'keydown'])
    document.addEventListener(event, rest, { capture: true, passive: true, signal });
  const stopResting = app.documents.library.subscribe(rest);
  // A tab that is left has ended its conversation.
  document.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'hidden' && engine.wake('ended'),
    { signal },
  );
  // Retry failed writes when something may have changed.
  for (const event of ['focus', 'online'])
    window.addEventListener(event, () => void app.documents.retry(), { signal });
  // As long as something stands on the screen alone, or an import would be cut off, the browser asks before the page goes. Only then: a page
  // that asks is never kept in reserve.
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  const { saving } = app.documents;
  const { activities } = app.library;
  const askOrNot = () => {
    const imports = activities.get().some(({ label, state }) => label === 'import' && state === 'running');
    if (imports || saving.get().state === 'failed') window.addEventListener('beforeunload', ask, { signal });
    else if (saving.get().state === 'saved') window.removeEventListener('beforeunload', ask);
  };
  const stopAsking = [saving.subscribe(askOrNot), activities.subscribe(askOrNot)];

  // Once something of the person's own is here, the browser is asked to keep it, and the model is fetched for offline use.
  const own = () => app.documents.library.get().entries.some((entry) => !entry.sample);
  ignore(
    until(app.documents.library, own, signal).then(() => app.device.persist()),
    'the request for persistent storage',
  );
  const lookAfterModels = async () => {
    const { keepModels } = await import('./kept-models.ts');
    await keepModels(app.settings.config.get().embedding, signal);
  };
  const timer = setTimeout(() => {
    lookAfterModels().catch((error) => log.info('The model is not kept for offline use yet', error));
  }, OFFLINE_COPY_AFTER_MS);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    clearTimeout(typing);
    clearTimeout(resting);
    stopResting();
    for (const stop of stopAsking) stop();
  });
}
