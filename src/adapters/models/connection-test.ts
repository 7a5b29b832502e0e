// Asks an endpoint for its list of models and explains failures. Costs nothing: no answer is generated.

import { isAbort, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { isFields, lenientJson } from '../../domain/base/json.ts';
import { orElse } from '../../domain/base/log.ts';
import { withTimeLimit } from '../../domain/base/time-limit.ts';
import { testBrowserModel } from './browser-model.ts';
import { type ConnectionReport, type Endpoint, hostOf } from './chat-model.ts';
import {
  addressBelow,
  callEndpoint,
  checkedBase,
  type Fetch,
  plainKey,
  problemOfStreamError,
  type Surroundings,
} from './http.ts';
import { type ModelList, modelsIn, nextPage } from './listed-models.ts';
import { PRESETS } from './presets.ts';
import { headersFor, listPath } from './protocols.ts';

const TEST_MS = 15_000;
const LIST_LIMIT = 20 * 1024 * 1024;
/** Most pages of one list that are asked for. */
const MOST_PAGES = 20;

/**
 * Tests address and key. Never throws, except an AbortError when `signal` is aborted. An address that lacks its `/v1`
 * is noticed by asking there too: the problem's `suggestion` is the base URL that works. Gives up after 15 s.
 */
export async function testConnection(
  endpoint: Pick<Endpoint, 'baseUrl' | 'protocol'>,
  key: string | undefined,
  signal: AbortSignal,
  deps: { fetch?: Fetch; surroundings?: Surroundings } = {},
): Promise<ConnectionReport> {
  if (endpoint.protocol === 'browser') return await testBrowserModel();
  const startedAt = performance.now();
  return await withTimeLimit(signal, TEST_MS, async (limited) => {
    const get = (baseUrl: string, path: string) =>
      callEndpoint({
        baseUrl,
        path,
        method: 'GET',
        accept: 'application/json',
        key,
        headers: headersFor(endpoint.protocol, baseUrl, plainKey(key)),
        signal: limited,
        ...deps,
      });
    const page = async (baseUrl: string, more?: Readonly<Record<string, string>>) => {
      const path = listPath(endpoint.protocol);
      const asked = more ? `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(more)}` : path;
      const text = await (await get(baseUrl, asked)).text();
      return { text, body: text.length <= LIST_LIMIT ? lenientJson(text) : undefined };
    };
    /** The list with those of its further pages; they end where one brings nothing new. */
    const withOthers = async (baseUrl: string, body: unknown, first: ModelList): Promise<ModelList> => {
      let [found, last] = [first, body];
      for (let at = 1; at < MOST_PAGES; at += 1) {
        const more = nextPage(last, endpoint.protocol === 'anthropic');
        if (!more) break;
        last = (await orElse(page(baseUrl, more), undefined, 'a further page of models'))?.body;
        limited.throwIfAborted();
        const next = modelsIn(last);
        const models = new Set([...found.models, ...(next?.models ?? [])]);
        if (!next || models.size === found.models.length) break;
        found = {
          models: [...models].sort((a, b) => a.localeCompare(b)),
          prices: { ...found.prices, ...next.prices },
        };
      }
      return found;
    };
    const list = async (baseUrl: string): Promise<ModelList> => {
      const { text, body } = await page(baseUrl);
      const found = modelsIn(body);
      const refused = found ? undefined : refusalIn(body, baseUrl, plainKey(key));
      if (refused) throw refused;
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
      return await withOthers(baseUrl, body, found);
    };

    try {
      const { models, prices } = await list(endpoint.baseUrl);
      const base = addressBelow(checkedBase(endpoint.baseUrl));
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
      const reason = problem.params?.reason;
      const wrongPath =
        problem.code === 'model-format' ||
        (problem.code === 'model-not-found' && reason !== 'address' && reason !== 'credentials');
      const suggestion = wrongPath
        ? await betterBase(endpoint.baseUrl, list)
        : reason === 'address'
          ? withScheme(endpoint.baseUrl)
          : undefined;
      return {
        ok: false,
        problem: suggestion ? { ...problem, params: { ...problem.params, suggestion } } : problem,
      };
    }
  });
}

/**
 * Finds the first address on the same server that lists models: with `/v1` behind, without a pasted
 * `/chat/completions`, or at its root, for one of another protocol: `/api/chat`.
 */
async function betterBase(
  baseUrl: string,
  list: (baseUrl: string) => Promise<unknown>,
): Promise<string | undefined> {
  const url = checkedBase(baseUrl);
  const base = addressBelow(url);
  const bare = base.replace(/\/(completions|models|embeddings|responses|messages)$/, '');
  const tries = [...new Set([bare, `${bare}/v1`, `${bare}/api/v1`, `${url.origin}/v1`])]
    .filter((candidate) => candidate !== base)
    .map((candidate) => candidate + url.search);
  for (const candidate of tries) {
    try {
      await list(candidate);
      return candidate;
    } catch (error) {
      // A refused key is an answer, too: the list is there.
      if (error instanceof RecollectError && error.problem.code === 'model-key') return candidate;
      if (isAbort(error)) return undefined;
    }
  }
  return undefined;
}

/**
 * Refusal for key, account or rate in an error with status 200; undefined for any other
 * error, which may be that of a wrong path.
 */
function refusalIn(body: unknown, baseUrl: string, key: string | undefined): RecollectError | undefined {
  if (!isFields(body)) return undefined;
  const error = body.error || body;
  const about = { endpoint: checkedBase(baseUrl).host, model: '' };
  const refused = problemOfStreamError(error, about, key);
  return /^model-(key|forbidden|rate)$/.test(refused.problem.code) ? refused : undefined;
}

const LOCAL =
  /^(localhost|.*\.local(host)?|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2})$/;

/** Adds the missing scheme: `http` for a machine near by, `https` for all others. */
function withScheme(typed: string): string | undefined {
  const [, host, rest] =
    /^(?:\/\/)?([\w-]+(?:\.[\w-]+)*)((?::\d+)?(?:[/?].*)?)$/.exec(typed.replace(/\s+/g, '')) ?? [];
  if (host === undefined || rest === undefined || !/^localhost$|\./i.test(host)) return undefined;
  const address = `${LOCAL.test(host) ? 'http' : 'https'}://${host}${rest}`;
  return URL.canParse(address) ? address.replace(/(?<!\/)\/+$/, '') : undefined;
}
