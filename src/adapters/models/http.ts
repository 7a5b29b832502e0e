// Sends one careful request to a person's endpoint: nowhere else, no cookies, no redirects, no retries. Failures leave
// here as a RecollectError that says what a person can do; cancelling stays an AbortError.
import { isAbort, type ProblemParams, RecollectError } from '../../domain/base/errors.ts';
import { lenientJson } from '../../domain/base/json.ts';
import { ignore, log, orElse } from '../../domain/base/log.ts';
import { withTimeLimit } from '../../domain/base/time-limit.ts';
import { startOf } from '../../domain/text/whole-characters.ts';
import { isSomebodyThere } from './presence.ts';

export type Fetch = typeof fetch;

/** Facts about the thread that explain why a request failed. Injected in tests. */
export interface Surroundings {
  /** A browser enforces CORS and mixed content; Node does not. */
  readonly browser: boolean;
  readonly online: () => boolean;
  /** `https:` for a secure page; empty outside a browser. */
  readonly pageProtocol: string;
  /** Calls back for each request that the page's Content-Security-Policy blocks; returns how to stop. */
  readonly onPolicy: (listener: (blocked: string) => void) => () => void;
}

interface EndpointRequest {
  readonly baseUrl: string;
  /** Below the base URL, with a leading slash; or `url`, the whole address. */
  readonly path?: string;
  readonly url?: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly accept: string;
  readonly key: string | undefined;
  /** Identify the sender, in place of a bearer token. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with an error's status and body, as far as it was read, before it is thrown. */
  readonly onRefused?: ((refusal: { readonly status: number; readonly text: string }) => void) | undefined;
  /** Requested model, for the sentence. */
  readonly model?: string;
  readonly signal: AbortSignal;
  readonly fetch?: Fetch | undefined;
  readonly surroundings?: Surroundings | undefined;
}

/** Most characters of an endpoint's words in a sentence. */
const DETAIL_LIMIT = 300;
/** Most bytes read of an error's body. */
const BODY_LIMIT = 64 * 1024;
const PROBE_MS = 4000;

/** Facts about the present thread: page, worker or Node. */
function thisThread(): Surroundings {
  const scope = globalThis as {
    navigator?: { onLine?: boolean };
    location?: { protocol?: string };
    addEventListener?: typeof addEventListener;
    removeEventListener?: typeof removeEventListener;
  };
  const browser = scope.location !== undefined;
  return {
    browser,
    online: () => scope.navigator?.onLine !== false,
    pageProtocol: scope.location?.protocol ?? '',
    onPolicy: (listener) => {
      const onViolation = (event: Event) => listener((event as SecurityPolicyViolationEvent).blockedURI);
      scope.addEventListener?.('securitypolicyviolation', onViolation);
      return () => scope.removeEventListener?.('securitypolicyviolation', onViolation);
    },
  };
}

const isLoopback = (host: string) => /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** Usual end of a base URL, which then needs no remark. */
const VERSION = /\/v\d\w*\/?$/;

/**
 * Cleans a base URL: removes spaces and line breaks, slashes behind its path, a fragment, and a pasted
 * `/chat/completions`; keeps its query.
 * @throws `model-not-found` for anything but an http(s) address, or one with a name and password: no browser sends
 *   those
 */
export function checkedBase(baseUrl: string): URL {
  const text = baseUrl.replace(/\s+/g, '');
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const wrong = (reason: string, sentence: string, endpoint: string) =>
    new RecollectError('model-not-found', sentence, {
      params: { reason, endpoint, model: '', detail: '', suggestion: '' },
    });
  if (!url || !/^https?:$/.test(url.protocol))
    throw wrong('address', `${baseUrl || 'The base URL'} is not a web address.`, baseUrl);
  if (url.username !== '' || url.password !== '')
    throw wrong('credentials', 'The address has a name and password in it.', url.host);
  url.hash = '';
  url.pathname = withoutSlashes(withoutSlashes(url.pathname).replace(/\/chat\/completions$/, ''));
  return url;
}

const withoutSlashes = (path: string): string => path.replace(/(?<!\/)\/+$/, '');

/** Adds `path` to the base URL, without its query, which `callEndpoint` appends to every address. */
export const addressBelow = (base: URL, path = ''): string =>
  `${base.origin}${withoutSlashes(base.pathname)}${path}`;

/** Extracts the key from pasted text: removes spaces, invisible characters, quotes, and the name of its header. */
export const plainKey = (key: string | undefined): string | undefined =>
  key
    ?.replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .trim()
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/^authorization:\s*/i, '')
    .replace(/^bearer\s+/i, '')
    .trim();

/**
 * JSON of a request's body. Half of a character of two units, as a cut leaves it, becomes the sign of replacement: many
 * servers refuse the whole request for it, and with it every later one of the conversation.
 */
export const bodyOf = (body: object): string =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\ufffd') : value,
  );

/**
 * Sends the request and returns a response with status 2xx, its body unread.
 * Throws RecollectError (`model-*`), or an AbortError when the signal is aborted.
 */
export async function callEndpoint(request: EndpointRequest): Promise<Response> {
  const base = checkedBase(request.baseUrl);
  const url = new URL(request.url ?? addressBelow(base, request.path));
  for (const [name, value] of base.searchParams)
    if (!url.searchParams.has(name)) url.searchParams.append(name, value);
  // Send the key to no other server, whichever code built the address.
  if (url.origin !== base.origin) throw new TypeError(`${url.origin} is not ${base.origin}`);
  const about = { endpoint: base.host, model: request.model ?? '' };
  const key = plainKey(request.key);
  if (key && !/^[\x21-\x7e]+$/.test(key))
    throw new RecollectError('model-key', 'The key has characters that no key has.', {
      params: { ...about, reason: 'characters', detail: '' },
    });
  const send = request.fetch ?? fetch;
  let response: Response;
  try {
    response = await send(url, {
      method: request.method,
      // Only needed headers: the endpoint's CORS rules would have to allow any other one.
      headers: {
        accept: request.accept,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(request.headers ?? (key ? { authorization: `Bearer ${key}` } : {})),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      // A redirect would carry the conversation to an address that the person did not choose.
      redirect: 'manual',
      signal: request.signal,
    });
  } catch (error) {
    if (isAbort(error) || request.signal.aborted) throw abortOf(request.signal, error);
    throw await whyUnreachable(url, about, error, request);
  }
  if (response.ok) return response;
  throw await whyRefused(response, base, about, key, request);
}

const abortOf = (signal: AbortSignal, error: unknown): unknown =>
  isAbort(error) ? error : isAbort(signal.reason) ? signal.reason : new DOMException('Stopped', 'AbortError');

/**
 * A browser reports "Failed to fetch" for everything. These can be distinguished: no network, a page that may not load
 * plain http, the page's own policy, and a server that is up but does not allow this page (`presence.ts`).
 */
async function whyUnreachable(
  url: URL,
  about: ProblemParams,
  cause: unknown,
  request: EndpointRequest,
): Promise<RecollectError> {
  const around = request.surroundings ?? thisThread();
  const host = url.host;
  const network = (reason: string, message: string, detail = '') =>
    new RecollectError('model-network', message, {
      params: { ...about, reason, detail },
      retry: reason !== 'mixed-content' && reason !== 'policy',
      cause,
    });
  if (!around.browser) {
    const detail = networkCode(cause);
    return network('unreachable', `${host} could not be reached (${detail}).`, detail);
  }
  if (!around.online() && !isLoopback(url.hostname)) return network('offline', 'There is no network.');
  if (around.pageProtocol === 'https:' && url.protocol === 'http:' && !isLoopback(url.hostname))
    return network('mixed-content', `A secure page may not ask ${host} over plain http.`);
  let policy = false;
  const stop = around.onPolicy((blocked) => {
    if (blocked === '' || blocked.startsWith(url.origin)) policy = true;
  });
  try {
    const isThere = await withTimeLimit(request.signal, PROBE_MS, (limited) =>
      isSomebodyThere(url.href, request.fetch ?? fetch, limited),
    );
    if (isThere)
      return new RecollectError(
        'model-cors',
        `${host} is there but does not allow this page to ask it (CORS).`,
        {
          params: { ...about, reason: isLoopback(url.hostname) ? 'local' : 'remote', detail: '' },
          cause,
        },
      );
  } catch (error) {
    // Stopped, or no answer in time: nothing more is known.
    log.debug('No server answered the check whether an endpoint exists', error);
  } finally {
    stop();
  }
  return policy
    ? network('policy', `The page's own policy forbids asking ${host}.`)
    : network('unreachable', `${host} could not be reached.`);
}

/** The innermost system code of a network error, e.g. `ECONNREFUSED`. */
function networkCode(error: unknown): string {
  let detail = error instanceof Error ? error.message : String(error);
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string') detail = code;
    if (at instanceof AggregateError && at.errors[0] instanceof Error)
      detail = (at.errors[0] as { code?: string }).code ?? at.errors[0].message;
  }
  return detail;
}

async function whyRefused(
  response: Response,
  base: URL,
  about: ProblemParams,
  key: string | undefined,
  { signal, onRefused }: Pick<EndpointRequest, 'signal' | 'onRefused'>,
): Promise<RecollectError> {
  const { status } = response;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel();
    return new RecollectError('model-not-found', 'The address points to somewhere else (redirect).', {
      params: {
        ...about,
        reason: 'redirect',
        detail: response.headers.get('location') ?? '',
        suggestion: '',
      },
    });
  }
  const text = await firstBytes(response, signal);
  onRefused?.({ status, text });
  return problemOfStatus(status, readDetail(text, key), about, retryAfter(response.headers, text), {
    versioned: VERSION.test(base.pathname),
    keyless: !key,
  });
}

/** Words and codes of an endpoint's error, from any of its forms. */
interface RefusalDetail {
  /** As shown: without the key. */
  readonly message: string;
  /** As said. Only judged, since a key such as "api" or "ollama" stands in sentences. */
  readonly words: string;
  /** `code`, `type` and `status`, lower case. */
  readonly code: string;
}

/**
 * Maps a status and the endpoint's own words to a problem. `versioned`: the base URL has the
 * usual end. `keyless`: no key was sent.
 */
function problemOfStatus(
  status: number,
  { message, words, code }: RefusalDetail,
  about: ProblemParams,
  seconds: number | undefined,
  { versioned = false, keyless = false }: { readonly versioned?: boolean; readonly keyless?: boolean } = {},
): RecollectError {
  const all = `${code} ${words}`.toLowerCase();
  // A gateway fails with the words in which a provider told of too many requests.
  if (status !== 429 && (status === 400 || status === 498 || status >= 500) && isThrottled(all))
    return problemOfStatus(429, { message, words, code }, about, seconds);
  const overloaded =
    status === 529 || ((status === 429 || status >= 500) && /\boverloaded/.test(all.replaceAll('_', ' ')));
  const params = { ...about, status, detail: message, ...(overloaded ? { cause: 'overloaded' } : {}) };
  const ownWords = message || `status ${status}`;
  const make = (
    problem: ConstructorParameters<typeof RecollectError>[0],
    sentence: string,
    extra: ProblemParams = {},
    retry = false,
  ) => new RecollectError(problem, `${sentence} (${ownWords})`, { params: { ...params, ...extra }, retry });

  // Some endpoints answer 400 also for a wrong key, an empty account or an unknown model: their words show which.
  const isBadRequest = status === 400 || status === 422;
  const noCredit = isBalance(all);
  const isHeld = isRefusal(all) && !noCredit && !isQuota(all);
  const quota =
    isQuota(all) ||
    noCredit ||
    (seconds === undefined && !isHeld && /billing|balance|credits?\b|suspended/.test(all));
  const isModelForbidden = status <= 404 && isForbiddenModel(all);
  if (
    (status === 401 && !isModelForbidden) ||
    (status === 403 && (/api[ _-]?key|invalid_key|unauthori[sz]ed/.test(all) || isKeyProblem(all))) ||
    (isBadRequest && isKeyProblem(all))
  )
    return keyless
      ? make('model-key', 'The endpoint wants a key.', { reason: 'missing' })
      : make('model-key', 'The endpoint does not accept the key.', {
          reason: status === 401 ? 'refused' : 'invalid',
        });
  if (status === 402 || (status === 403 && quota) || (isBadRequest && noCredit))
    return make('model-forbidden', 'The account has no credit left.', { reason: 'balance' });
  if ((status === 429 && quota) || (isBadRequest && isQuota(all)))
    return make('model-rate', 'The quota of the account is used up.', { reason: 'quota', seconds: 0 });
  if (status === 429 && /request too large|tokens must be reduced/.test(all))
    return make('model-context', 'The conversation is too long for the model.');
  // An overloaded server that names a time asks for the same.
  if (status === 429 || (status >= 500 && seconds !== undefined))
    return make('model-rate', 'Too many requests.', waitOf(seconds), true);
  if (
    (status < 500 || /contextwindowexceeded/.test(all)) &&
    (isContextProblem(all) || (status === 413 && /\btokens?\b|context/.test(all)))
  )
    return make('model-context', 'The conversation is too long for the model.');
  if (status === 413) return make('model-server', 'The request is too large.', { reason: 'size' });
  if (isAboutImages(all)) return make('model-server', 'The model takes no images.', { reason: 'images' });
  if (isBadRequest && isBadPicture(all))
    return make('model-server', 'The endpoint did not take an image.', { reason: 'picture' });
  if ((status === 400 || status === 403 || status === 422) && isRefusal(all))
    return make('model-refused', 'The endpoint refused to answer this.');
  if (
    status === 451 ||
    isModelForbidden ||
    (status === 403 && !isUnknownModel(all)) ||
    (isBadRequest && isRegion(all))
  )
    return make('model-forbidden', 'The endpoint forbids this.', { reason: 'forbidden' });
  if (about.model !== '' && (status === 410 || (status !== 404 && isUnknownModel(all))))
    return make('model-not-found', 'The endpoint does not know the model.', {
      reason: 'model',
      suggestion: '',
    });
  if ((status === 404 || status === 405) && !isUnsupported(all))
    return make('model-not-found', 'The endpoint does not know this.', {
      reason:
        (/model|deployment/.test(all) || isUnknownModel(all)) && about.model !== ''
          ? 'model'
          : versioned
            ? 'versioned'
            : 'path',
      suggestion: '',
    });
  const isMomentary = status >= 500 || [408, 409, 424, 425].includes(status);
  return make(
    'model-server',
    'The endpoint failed.',
    // Without a model, a list was requested.
    { reason: isMomentary ? 'server' : about.model === '' ? 'list' : 'request' },
    isMomentary,
  );
}

/** Expresses a wait in the unit that people would use. */
function waitOf(seconds: number | undefined): ProblemParams {
  if (!seconds) return { reason: 'soon', seconds: 0 };
  if (seconds <= 120) return { reason: 'seconds', seconds };
  const minutes = Math.ceil(seconds / 60);
  if (minutes <= 120) return { reason: 'minutes', seconds, minutes };
  return { reason: 'hours', seconds, hours: Math.ceil(minutes / 60) };
}

const isQuota = (text: string) =>
  /insufficient_(user_)?(quota|balance)|exceeded_current_quota|usage limits?\b|使用上限|budget[ _](has been )?exceeded/.test(
    text,
  );
const isBalance = (text: string) =>
  /insufficient[_ ](balance|credits?|funds)|(credit )?balance is (too low|insufficient|not enough)|arrear|in good standing|free ?tier\b.{0,60}(exhausted|only)|余额不足|欠费|额度(不足|已用尽|失败)/.test(
    text,
  );
/** Too many requests or tokens in a while, whatever the status. */
const isThrottled = (text: string) =>
  /^[\w .:]{0,60}\berror code: 429\b|\bthrottl(ed|ing)|too many (requests|tokens)\b.{0,20}\bwait|\bratelimiterror|\bcapacity exceeded|访问量过大|请求(数|量)?(较多|过多|过于频繁)|(速率|频率|并发).{0,6}(限制|过高|超)|限流/.test(
    text.trim(),
  );
/** No model that the person may use can do what the request wants: other settings help. */
const isUnsupported = (text: string) => /no endpoints found that support/.test(text);
const isKeyProblem = (text: string) =>
  /(invalid|incorrect|wrong|expired|missing|no)[ _](api|access)[ _-]?(key|token)|api[ _-]?key[^.]{0,30} (not valid|invalid|incorrect|wrong|expired|missing|not found)|api_key_(invalid|expired|missing)|not authenticated|authentication (required|failed)|unregistered callers/.test(
    text,
  );
const isRegion = (text: string) =>
  /location is not supported|unsupported_country|(country|region)\b[^.]{0,40} not (supported|available|allowed)/.test(
    text,
  );
const isUnknownModel = (text: string) =>
  /\bmodel_not_(found|supported)|\b(unknown|invalid|no such) model\b|not a valid model|\bmodels?[\s/:'"`]{1,4}\S{0,80}\s?(is |was |could )?(not (be )?found|(does )?not exists?)|requested model is not|模型不存在|无可用渠道|no available channels?|no endpoints found for|function '[^']{1,80}': not found|\bmodels?\b.{0,80}(decommissioned|retired|no longer (available|supported))|with on-demand throughput/.test(
    text,
  );
/** The key may use other models, or terms were not accepted. */
const isForbiddenModel = (text: string) =>
  /\bmodel\b.{0,80}(terms acceptance|accept the terms)|not activated the model|matching your data policy|(key|team|user|project|tier).{0,40}(not allowed|no access|not have access|not authorized) to (access |use )?.{0,20}\bmodel/.test(
    text,
  );
const isContextProblem = (text: string) =>
  [
    /context[_ ]?(length|window|size)|maximum (context|(prompt|model|input|sequence) length)|max(imum)?_(model|seq|input)_?len/,
    /too many (input )?tokens|(prompt|input|request) is too long|prompt exceeds max length|prompt 超长/,
    /token (count|limit).{0,200}(exceed|over)|input (length|tokens?).{0,200}(exceed|should be \[)/,
    /must have less than \d+ tokens|(prompt|message|text|input)s?( tokens?)? (is |are )?too long|maximum (allowed )?(prompt|input) length|max input characters/,
    /(输入|上下文).{0,12}(长度|token).{0,8}(超|最大)|(输入|token).{0,6}(超过|超出).{0,8}(限制|上限)|入力.{0,12}(超え|上限)|string_above_max_length/,
    /exceed\w{0,8} .{0,200}(context|token limit|max(imum)? (\w+ )?tokens)|inputs.{0,5}tokens.{0,80}must be/,
  ].some((words) => words.test(text));
/** OpenRouter says 404, most others 400: "image input", "image_url is not supported", "unknown variant `image_url`". */
const isAboutImages = (text: string) =>
  /(support|accept|take|allow)[^.]{0,60}\b(image|vision|multimodal)|(handle|process)[^.]{0,20}\bimages\b|at most 0 image|invalid (value|type)\W{1,4}(input_)?image|image input modality|不支持.{0,6}(图片|图像|视觉|多模态)|\b(image_?url|images?|vision|multi-?modal)\b[^.]{0,80}(support|not allowed|only (available|possible))|unknown variant .?image|not a (vision|multimodal) model/.test(
    text.slice(0, DETAIL_LIMIT),
  ) &&
  !/\b(too (large|big|many)|size|resolution|download|decode|corrupt|format|mime|base64|pixels?)\b/.test(
    text.slice(0, DETAIL_LIMIT),
  );
/** An image that is broken or too large: the model takes others. */
const isBadPicture = (text: string) =>
  /(could not|cannot|unable to|failed to) (process|read|decode|load|download)( the| input| this)? image|\bimage\b.{0,80}(exceeds|too large|too small|does not match|dimensions|corrupt|unsupported)|(invalid|unsupported|corrupt(ed)?) (base64 )?image/.test(
    text,
  );
const isRefusal = (text: string) =>
  /content[_ ]?(filter|policy|management)|high risk|moderation|flagged|safety (system|policy)|sensitive ?(content|information)|risk control|inappropriate content|data_?inspection|new_sensitive|敏感|违规/.test(
    text,
  );

/** Statuses by the names that Anthropic and Google give them. */
const NAMED: readonly (readonly [RegExp, number])[] = [
  [/\bauthentication_error|unauthenticated/, 401],
  [/\bpermission_(error|denied)/, 403],
  [/\bnot_found(_error)?\b/, 404],
  [/\brequest_too_large/, 413],
  [/\bresource_exhausted/, 429],
  [/\binvalid_(request_error|argument)/, 400],
];
const statusNamed = (code: string): number => NAMED.find(([name]) => name.test(code))?.[1] ?? 0;

/** Translates an error object that arrived with status 200. */
export function problemOfStreamError(
  error: unknown,
  about: ProblemParams,
  key: string | undefined,
): RecollectError {
  const detail = readDetail(JSON.stringify({ error }), key);
  const all = `${detail.code} ${detail.words}`.toLowerCase();
  const ownWords = Number(/\b(4\d\d|5\d\d)\b/.exec(detail.code)?.[1] ?? 0);
  const status = isThrottled(all)
    ? 429
    : isContextProblem(all) || isRefusal(all)
      ? 400
      : isBalance(all) || /no credit/.test(all)
        ? 402
        : /rate[_ ]limit|too[_ ]many[_ ]requests/.test(all) || isQuota(all)
          ? 429
          : ownWords ||
            statusNamed(detail.code) ||
            (/overloaded/.test(all) ? 529 : isKeyProblem(all) ? 401 : isUnknownModel(all) ? 404 : 500);
  return problemOfStatus(status, detail, about, secondsIn(detail.words));
}

async function firstBytes(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const leave = () => {
    ignore(reader.cancel(), 'the rest of an error that was read as far as needed');
  };
  const decoder = new TextDecoder();
  let text = '';
  // An endpoint that sends an error slowly must not hold up the sentence.
  const read = withTimeLimit(signal, PROBE_MS, async (limited) => {
    limited.addEventListener('abort', leave, { once: true });
    while (text.length < BODY_LIMIT) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
  });
  await orElse(read, undefined, 'the rest of an error that came too slowly');
  leave();
  return text;
}

const at = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/**
 * Fields with an error or its words: OpenAI and its followers; Cloudflare, Baidu, MiniMax,
 * Spark, Tencent, AWS, OAuth, RFC 9457.
 */
const WORDS = [
  ...[
    'message',
    'msg',
    'detail',
    'error_description',
    'error',
    'errors',
    'error_msg',
    'error_message',
    'errorMessage',
    'errmsg',
    'err_msg',
  ],
  ...['base_resp', 'status_msg', 'header', 'Response', 'Error', 'Message', 'reason', 'title'],
];

/** Finds the first words in an error of any usual form. FastAPI names the input in `loc`. */
function wordsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  const place = at(value, 'loc');
  const words = Array.isArray(place) ? at(value, 'msg') : undefined;
  if (Array.isArray(place) && typeof words === 'string')
    return `${place.filter((step) => step !== 'body').join('.')}: ${words}`;
  if (Array.isArray(value)) return wordsIn(value[0]);
  if (typeof value !== 'object' || value === null) return '';
  for (const name of WORDS) {
    const words = wordsIn(at(value, name));
    if (words) return words;
  }
  // ASP.NET lists its words by input.
  const byInput = at(value, 'errors');
  return typeof byInput === 'object' && byInput !== null ? wordsIn(Object.values(byInput)[0]) : '';
}

/**
 * Finds the endpoint's words in an error body (OpenAI, Ollama, FastAPI, Google, plain
 * texts, web pages); never repeats the key.
 */
function readDetail(text: string, key: string | undefined): RefusalDetail {
  let message = '';
  let code = '';
  const parsed = lenientJson(text);
  if (parsed === undefined)
    // A web page gives its headline, XML its message.
    message = /^\s*</.test(text)
      ? (/<(?:title|h1|message)\b[^<>]*>\s*([^<\s][^<]*)/i.exec(text)?.[1] ?? '')
      : text;
  else {
    const body = Array.isArray(parsed) ? parsed[0] : parsed;
    const error = at(body, 'error');
    message = wordsIn(body);
    code = [error, body]
      .flatMap((value) => ['code', 'type', 'status'].map((name) => at(value, name)))
      .filter((value) => typeof value === 'string' || typeof value === 'number')
      .join(' ')
      .toLowerCase();
    // OpenRouter passes on the words of the provider behind it.
    const raw = at(at(error, 'metadata'), 'raw');
    if (typeof raw === 'string') message += `: ${readDetail(raw, key).words}`;
  }
  // A gateway passes the body of another server's error on as its words.
  const inner = /^\s*[{<]/.test(message) && message !== text ? readDetail(message, key) : undefined;
  if (inner && inner.words !== '') return { ...inner, code: `${code} ${inner.code}`.trim() };
  const words = message.replace(/\s+/g, ' ').trim();
  const shown = key ? words.replaceAll(key, '…') : words;
  const cut = (said: string) => (said.length > DETAIL_LIMIT ? `${startOf(said, DETAIL_LIMIT)}…` : said);
  return { message: cut(shown), words: cut(words), code };
}

/** Longest wait that an endpoint may ask for, seconds. */
const LONGEST_WAIT = 7 * 86_400;

/** Seconds to wait: from the header (RFC 9110, 10.2.3: seconds or a date), else from the endpoint's words. */
function retryAfter(headers: Headers, text: string): number | undefined {
  const seconds = secondsOf(headers) ?? secondsIn(text);
  return seconds !== undefined && seconds <= LONGEST_WAIT ? seconds : undefined;
}

function secondsOf(headers: Headers): number | undefined {
  // OpenAI and Azure also give milliseconds.
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, Math.ceil(ms / 1000));
  const header = headers.get('retry-after');
  const asked = header ? secondsOfTime(header) : undefined;
  if (asked !== undefined) return asked;
  // Limits tell when they end, also those of which something remains.
  const ends: number[] = [];
  for (const [name, value] of headers) {
    if (!/^(x-|anthropic-)?ratelimit\b.*\breset(-|$)/.test(name)) continue;
    const left = headers.get(name.replace(/reset(-after)?/, 'remaining'));
    const seconds = left === null || Number(left) <= 0 ? secondsOfTime(value) : undefined;
    if (seconds !== undefined) ends.push(seconds);
  }
  // https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
  const [, draft] = /;\s*t=(\d{1,9})/.exec(headers.get('ratelimit') ?? '') ?? [];
  if (draft !== undefined) ends.push(Number(draft));
  return ends.length > 0 ? Math.max(...ends) : undefined;
}

/** Seconds from a header: a number of them, a duration, a date, or a time since 1970 in seconds or ms. */
function secondsOfTime(text: string): number | undefined {
  const whole = (seconds: number) => (Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined);
  const [, number] = /^(-?\d{1,15}(?:\.\d+)?)\s*(?:,|$)/.exec(text.trim()) ?? [];
  if (number !== undefined) {
    const value = Number(number);
    const sinceThen = value > 1e12 ? value / 1000 : value;
    return whole(value > 1e9 ? sinceThen - Date.now() / 1000 : value);
  }
  // `Date.parse` takes much for a date.
  return DURATION.test(text.trim()) ? durationOf(text) : whole((Date.parse(text) - Date.now()) / 1000);
}

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600 };
const UNITS = '(?:ms|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)';
const DURATION = new RegExp(`^(?:\\d{1,9}(?:\\.\\d+)?\\s*${UNITS}[\\s,]*)+$`, 'i');

const durationOf = (text: string): number =>
  Math.ceil(
    [...text.matchAll(/(?<![\d.])([\d.]+)\s*(ms|h|m|s)/gi)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * (SECONDS[unit?.toLowerCase() ?? ''] ?? 1),
      0,
    ),
  );

/** Fields of an error that say how long to wait, or until when. */
const WAIT_FIELD =
  /"(?:retry_?after|estimated_time|resets?_(?:at|in|after))(_?ms)?(?:_?seconds?)?":\s*"?(\d{1,13}(?:\.\d+)?)\b/i;

function secondsIn(text: string): number | undefined {
  // OpenRouter passes on the time at which the provider's limit ends, ms since 1970.
  const reset = /"x-ratelimit-reset":\s*"?(\d{13})\b/i.exec(text)?.[1];
  if (reset !== undefined) return Math.max(0, Math.ceil((Number(reset) - Date.now()) / 1000));
  const [, ms, field] = WAIT_FIELD.exec(text) ?? [];
  if (field !== undefined) return ms ? Math.ceil(Number(field) / 1000) : secondsOfTime(field);
  const [, chinese, unit] = /(\d{1,5}) ?(秒|分钟|分鐘)(?:钟|鐘)?(?:之?[后後]|再)/.exec(text) ?? [];
  if (chinese !== undefined) return Number(chinese) * (unit === '秒' ? 1 : 60);
  const [, said, later] = WAIT.exec(text) ?? [];
  return said === undefined && later === undefined ? undefined : durationOf(said ?? later ?? '');
}

const WAIT = new RegExp(
  `(?:again (?:in|after)\\s|(?:retry|wait)[ -]?(?:(?:in|after|for):?\\s)?|"retryDelay":\\s*")\\s*((?:\\d{1,9}(?:\\.\\d+)?\\s*(?:more )?${UNITS}(?![a-z])[\\s,]*)+)|again (\\d{1,9} ?${UNITS}) later`,
  'i',
);
