// Protocols of endpoints, without the SDK: how a request carries the key. A protocol's own file handles its answers.

/** `chat`: OpenAI's chat completions, which most endpoints speak. */
export const PROTOCOLS = ['chat', 'anthropic', 'google', 'openai-responses', 'browser'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

/** Replaces the address of the browser's own model, which has none. */
export const BROWSER_URL = 'browser:';

/** Headers that carry the key. Absent: a bearer token. */
export function headersFor(
  protocol: ProtocolName | undefined,
  baseUrl: string,
  key: string | undefined,
): Readonly<Record<string, string>> | undefined {
  if (protocol === 'anthropic')
    return {
      'anthropic-version': '2023-06-01',
      // Without it Anthropic refuses pages. The key is the person's own, in their browser's vault.
      'anthropic-dangerous-direct-browser-access': 'true',
      ...(key ? { 'x-api-key': key } : {}),
    };
  if (protocol === 'google') return key ? { 'x-goog-api-key': key } : {};
  // Azure takes a key by a header of its own; a bearer token means something else there.
  if (key && URL.canParse(baseUrl) && /\.azure\.com$/.test(new URL(baseUrl).hostname))
    return { 'api-key': key };
  return undefined;
}

/** Path of the list of models, below the base URL. */
export const listPath = (protocol: ProtocolName | undefined): string =>
  protocol === 'google'
    ? '/models?pageSize=1000'
    : protocol === 'anthropic'
      ? '/models?limit=1000'
      : '/models';
