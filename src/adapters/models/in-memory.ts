// A model that plays a script in memory: for tests and demonstrations without a network.
import type { ChatEvent, ChatModel, Prompt, ToolDescription } from './chat-model.ts';

/** Step of the script: an event, or a promise to wait for before going on. */
export type ScriptedStep = ChatEvent | Promise<unknown>;

export interface ModelScript {
  readonly id?: string;
  readonly contextWindow?: number | null;
  /** Called once for each request with all that the model sees. A missing `end` counts as `stop`. */
  readonly reply: (prompt: Prompt, tools: readonly ToolDescription[]) => Iterable<ScriptedStep>;
}

/** Creates the model. `prompts` holds every prompt it was given, oldest first. */
export function createScriptedModel(
  script: ModelScript,
): ChatModel & { readonly prompts: readonly Prompt[] } {
  const prompts: Prompt[] = [];
  return {
    id: script.id ?? 'scripted',
    contextWindow: script.contextWindow ?? null,
    prompts,
    async *stream(prompt, { tools, signal }) {
      prompts.push(prompt);
      let onAbort: () => void = () => undefined;
      const stopped = new Promise<void>((resolve) => {
        onAbort = resolve;
      });
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        for (const step of script.reply(prompt, tools ?? [])) {
          if (step instanceof Promise) await Promise.race([step, stopped]);
          // Yields between two events, so that the caller can stop.
          else await Promise.resolve();
          if (signal.aborted) break;
          if (step instanceof Promise) continue;
          yield step;
          if (step.type === 'end') return;
        }
        yield { type: 'end', finish: signal.aborted ? 'stopped' : 'stop' };
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
