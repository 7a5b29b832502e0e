// Makes a tab's models, the records kept beside conversations, and the model's work between answers.
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

/** Opens the device's own records: prompts and personas, spending, refusals of models, its name (`guess`: until it has one). */
export function createOwn(
  store: Store,
  guess: () => string,
  warn: (part: string) => (problem: Problem) => void,
) {
  const keyValues = store.keyValues;
  return {
    spending: createSpending({ keyValues, now: Date.now, onProblem: warn('Spending') }),
    prompts: createPrompts({ store, now: Date.now, onProblem: warn('Prompts') }),
    refusals: createModelRefusals({
      keyValues: keyValues,
      now: Date.now,
      onProblem: (problem) => log.warn(`The refusal of a model could not be stored: ${problem.code}`),
    }),
    deviceName: createDeviceName({ keyValues, guess, onProblem: warn('Device name') }),
  };
}

/** Makes the models that answer, and the work that they do between answers. */
export function startModels(
  own: ReturnType<typeof createOwn>,
  asked: Omit<ConstructorParameters<typeof EndpointModels>[0], 'refusals' | 'spending' | 'personaOf'>,
  beside: Parameters<typeof startTitles>[0] &
    Omit<Parameters<typeof startSuggesting>[0], 'model' | 'device' | 'exclusively'>,
) {
  const { personaOf } = own.prompts;
  const models = new EndpointModels({ ...asked, ...own, personaOf });
  startTitles(beside, models);
  startSuggesting({
    ...beside,
    model: (conversation) => models.modelOf(conversation),
    device: () => own.deviceName.get(),
    exclusively: (work) => ifFree('recollect:suggesting', work),
  });
  return { models, ...own };
}

/** Titles and summaries, made in one tab at a time. */
function startTitles(
  common: Pick<Parameters<typeof startNaming>[0], 'documents' | 'config' | 'filter' | 'now' | 'signal'>,
  models: EndpointModels,
): void {
  // A title belongs to no conversation's model, so the model chosen last makes it.
  const model = () => models.modelOf();
  startTitling({ ...common, model, exclusively: (work) => ifFree('recollect:polish', work) });
  startNaming({
    ...common,
    model: (conversation) => models.modelOf(conversation),
    exclusively: (work) => ifFree('recollect:naming', work),
  });
}
