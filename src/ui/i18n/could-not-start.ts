// The one sentence that must not depend on a catalogue, because if the app could not start there may be none.
import { type Language, languageFor } from './index.ts';

/** Returns it in the browser's language; `detail` is the plain message of the error. */
export function couldNotStart(
  detail: string,
  wanted: readonly string[],
): { readonly language: Language; readonly text: string } {
  const language = languageFor('auto', wanted);
  return {
    language,
    text:
      language === 'zh'
        ? `Recollect\u2009无法启动：${detail}。你的对话没有受到影响，请重新加载页面再试。`
        : `Recollect could not start: ${detail}. Your conversations are untouched; reload to try again.`,
  };
}
