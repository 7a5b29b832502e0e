// Makes the parts of a tab that ask models: the records kept beside conversations, the
// models, and their work between answers.
import { ifFree } from '../adapters/browser/locks.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import type { Problem } from '../domain/base/errors.ts';
import { ignore, log } from '../domain/base/log.ts';
import { loadPart } from '../domain/base/part.ts';
import { EndpointModels } from '../services/chat/endpoint-models.ts';
import { createModelRefusals } from '../services/chat/model-refusals.ts';
import { afterScreen } from '../services/load-ahead.ts';
import type { BetweenAnswers } from '../services/memory/between-answers.ts';
import { createPrompts } from '../services/prompts/prompts-service.ts';
import { createDeviceName } from '../services/settings/device-name.ts';
import { createSpending } from '../services/spending/spending-service.ts';

/**
 * Opens the records kept beside conversations: prompts and personas, spending, refusals of models, the device's name.
 * `guess` names a device that has no name yet; `warn` returns, for a part's name, the function that gets its problems.
 */
export function openTabRecords(
  store: Store,
  guess: () => string,
  warn: (part: string) => (problem: Problem) => void,
) {
  const keyValues = store.keyValues;
  return {
    spending: createSpending({ keyValues, now: Date.now, onProblem: warn('Spending') }),
    prompts: createPrompts({ store, now: Date.now, onProblem: warn('Prompts') }),
    refusals: createModelRefusals({
      keyValues,
      now: Date.now,
      onProblem: (problem) => log.warn(`The refusal of a model could not be stored: ${problem.code}`),
    }),
    deviceName: createDeviceName({ keyValues, guess, onProblem: warn('Device name') }),
  };
}

/**
 * Makes the models that answer; once `firstScreen` is drawn, starts their work between answers: titles, summaries and
 * proposals. It ends when the signal of `background` aborts. Returns `own` with the models.
 */
export function startModels(
  own: ReturnType<typeof openTabRecords>,
  endpoints: Omit<ConstructorParameters<typeof EndpointModels>[0], 'refusals' | 'spending' | 'personaOf'>,
  {
    firstScreen,
    ...background
  }: Omit<BetweenAnswers, 'model' | 'device' | 'ifFree' | 'startedAt'> & {
    readonly firstScreen: Promise<void>;
  },
) {
  const { personaOf } = own.prompts;
  const models = new EndpointModels({ ...endpoints, ...own, personaOf });
  const { signal, now } = background;
  const startedAt = now();
  const start = async () => {
    await afterScreen(firstScreen, signal);
    const { startBetweenAnswers } = await loadPart(() => import('../services/memory/between-answers.ts'));
    if (signal.aborted) return;
    startBetweenAnswers({
      ...background,
      startedAt,
      model: (conversation) => models.modelOf(conversation),
      device: () => own.deviceName.get(),
      ifFree,
    });
  };
  ignore(start(), 'titles and proposals by a model; the next start makes them');
  return { models, ...own };
}
