// Makes the parts of a tab that ask models: the records kept beside conversations, the
// models, and their work between answers.
import { ifFree } from '../adapters/browser/locks.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import type { Problem } from '../domain/base/errors.ts';
import { log } from '../domain/base/log.ts';
import { EndpointModels } from '../services/chat/endpoint-models.ts';
import { createModelRefusals } from '../services/chat/model-refusals.ts';
import { startNaming } from '../services/memory/naming.ts';
import { startSuggesting } from '../services/memory/suggesting.ts';
import { startTitling } from '../services/memory/titling.ts';
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
 * Makes the models that answer, and starts their work between answers: titles, summaries and proposals. It ends when
 * the signal of `background` aborts. Returns `own` with the models.
 */
export function startModels(
  own: ReturnType<typeof openTabRecords>,
  endpoints: Omit<ConstructorParameters<typeof EndpointModels>[0], 'refusals' | 'spending' | 'personaOf'>,
  background: Parameters<typeof startTitles>[0] &
    Omit<Parameters<typeof startSuggesting>[0], 'model' | 'device' | 'exclusively'>,
) {
  const { personaOf } = own.prompts;
  const models = new EndpointModels({ ...endpoints, ...own, personaOf });
  startTitles(background, models);
  startSuggesting({
    ...background,
    model: (conversation) => models.modelOf(conversation),
    device: () => own.deviceName.get(),
    exclusively: (work) => ifFree('recollect:suggesting', work),
  });
  return { models, ...own };
}

/** Starts writing titles and summaries, in one tab at a time. */
function startTitles(
  shared: Pick<Parameters<typeof startNaming>[0], 'documents' | 'config' | 'filter' | 'now' | 'signal'>,
  models: EndpointModels,
): void {
  // A title belongs to no conversation's model, so the model chosen last makes it.
  const model = () => models.modelOf();
  startTitling({ ...shared, model, exclusively: (work) => ifFree('recollect:polish', work) });
  startNaming({
    ...shared,
    model: (conversation) => models.modelOf(conversation),
    exclusively: (work) => ifFree('recollect:naming', work),
  });
}
