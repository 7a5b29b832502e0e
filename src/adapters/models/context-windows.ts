// Windows of known models, in tokens. No list is complete: unknown models get null, never a guess.

/**
 * Name pattern → tokens; the first match wins, so narrow patterns stand first. Figures
 * are those that the makers published.
 */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/^(?:moonshot-v1|kimi).*-8k/, 8_192],
  [/^(?:moonshot-v1|kimi).*-32k/, 32_768],
  [/^(?:moonshot-v1|kimi).*-128k/, 131_072],
  [/^kimi-k2-0711/, 131_072],
  [/^kimi-(?:k2|for-coding)/, 262_144],
  [/^kimi-latest/, 131_072],
  [/^gpt-3\.5-turbo/, 16_385],
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-4o/, 128_000],
  [/^gpt-4-turbo/, 128_000],
  [/^gpt-4(?:-0613|-0314)?$/, 8_192],
  [/^gpt-5(?:\.\d+)?-chat/, 128_000],
  [/^gpt-5(?:$|[-.])/, 400_000],
  [/^gpt-oss/, 131_072],
  [/^o1-mini|^o1-preview/, 128_000],
  [/^o[134](?:$|-)/, 200_000],
  [/^deepseek-(?:chat|reasoner|v3)/, 128_000],
  [/^deepseek-r1/, 128_000],
  [/^claude-/, 200_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(?:1\.5-flash|2)/, 1_048_576],
];

/**
 * Tokens that a model reads at once, null if the table lacks the model. A maker in front (`moonshotai/kimi-k2`) is
 * ignored. Names with a tag (`llama3:8b`) are local models, whose window is that of their server: it stays unknown.
 */
export function contextWindowOf(model: string): number | null {
  if (/:(?!free$|extended$|thinking$|online$)/.test(model)) return null;
  const name = (model.split('/').at(-1) ?? model).toLowerCase().split(':', 1)[0] as string;
  return WINDOWS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
