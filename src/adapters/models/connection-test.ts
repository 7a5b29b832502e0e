// Asks an endpoint for its list of models and explains what goes wrong. Costs nothing: no answer is generated.

import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { readJson } from '../../domain/base/json.ts';
import { within } from '../../domain/base/within.ts';
import { testBrowserModel } from './browser-model.ts';
import { type ConnectionReport, type Endpoint, hostOf } from './chat-model.ts';
import { callEndpoint, checkedBase, type Fetch, type Surroundings } from './http.ts';
import { type ModelList, modelsIn } from './listed-models.ts';
import { PRESETS } from './presets.ts';
import { headersFor, listPath } from './protocols.ts';

const TEST_MS = 15_000;
const LIST_LIMIT = 20 * 1024 * 1024;

/**
 * Tests address and key. Never throws, except an AbortError when `signal` is aborted. An address that lacks its `/v1` is
 * noticed by asking there too: the problem's `suggestion` is the base URL that works. Gives up after 15 s.
 */
export async function testConnection(
  endpoint: Pick<Endpoint, 'baseUrl' | 'protocol'>,
  key: string | undefined,
  signal: AbortSignal,
  deps: { fetch?: Fetch; surroundings?: Surroundings } = {},
): Promise<ConnectionReport> {
  if (endpoint.protocol === 'browser') return await testBrowserModel();
  const startedAt = performance.now();
  return await within(signal, TEST_MS, async (limited) => {
    const get = (baseUrl: string, path: string) =>
      callEndpoint({
        baseUrl,
        path,
        method: 'GET',
        accept: 'application/json',
        key,
        headers: headersFor(endpoint.protocol, baseUrl, key?.trim()),
        signal: limited,
        ...deps,
      });
    const list = async (baseUrl: string): Promise<ModelList> => {
      const response = await get(baseUrl, listPath(endpoint.protocol));
      const text = await response.text();
      const body = text.length <= LIST_LIMIT ? readJson(text) : undefined;
      const found = modelsIn(body);
      if (!found)
        throw new RecollectError('model-format', 'The address answers, but not with a list of models.', {
          params: {
            endpoint: checkedBase(baseUrl).host,
            reason: /^\s*</.test(text) ? 'web-page' : 'not-a-list',
            detail: '',
            model: '',
            suggestion: '',
          },
        });
      return found;
    };

    try {
      const { models, prices } = await list(endpoint.baseUrl);
      const base = checkedBase(endpoint.baseUrl).href.replace(/(?<!\/)\/+$/, '');
      const check = PRESETS.find((preset) => preset.baseUrl === base)?.keyCheckPath;
      if (check) await (await get(endpoint.baseUrl, check)).body?.cancel();
      const priced = Object.keys(prices).length > 0 ? { prices } : {};
      return { ok: true, models, ...priced, tookMs: performance.now() - startedAt };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (limited.aborted || isAbort(error))
        return {
          ok: false,
          problem: {
            code: 'model-network',
            message: 'The endpoint did not answer in time.',
            params: { endpoint: hostOf(endpoint.baseUrl), reason: 'silent', detail: '', model: '' },
            retry: true,
          },
        };
      const problem = toProblem(error);
      const wrongPath =
        problem.code === 'model-format' ||
        (problem.code === 'model-not-found' && problem.params?.reason !== 'address');
      const suggestion = wrongPath ? await betterBase(endpoint.baseUrl, list) : undefined;
      return {
        ok: false,
        problem: suggestion ? { ...problem, params: { ...problem.params, suggestion } } : problem,
      };
    }
  });
}

/** The same server with `/v1` behind, or without a pasted `/chat/completions`: the first that lists models. */
async function betterBase(
  baseUrl: string,
  list: (baseUrl: string) => Promise<unknown>,
): Promise<string | undefined> {
  const base = baseUrl.trim().replace(/(?<!\/)\/+$/, '');
  const bare = base.replace(/\/(chat\/completions|completions|models|embeddings)$/, '');
  const tries = [...new Set([bare, `${bare}/v1`, `${bare}/api/v1`])].filter(
    (candidate) => candidate !== base,
  );
  for (const candidate of tries) {
    try {
      await list(candidate);
      return candidate;
    } catch (error) {
      // A refused key is an answer too: the list lives there.
      if (error instanceof RecollectError && error.problem.code === 'model-key') return candidate;
      if (isAbort(error)) return undefined;
    }
  }
  return undefined;
}
