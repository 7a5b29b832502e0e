// Facts about an answer beside its words: if it is whole, its error, the pages and
// documents that it cites, its pictures.
import { type Fields, isFields, stringOf } from '../../domain/base/json.ts';
import { shortenCited } from '../../domain/chat/cited.ts';
import { listOf } from './event-fields.ts';

/** A page that an endpoint cites, or a document: without an address, with the words that were cited. */
interface Source {
  readonly url: string;
  readonly title?: string;
  readonly cited?: string;
}

/** Facts about an answer, besides its words. */
export interface StreamFacts {
  /** `[DONE]` arrived, or the answer was one whole document. */
  done: boolean;
  /** A finish reason for a whole answer arrived. */
  finished: boolean;
  /** The last finish reason says that the answer was broken off. */
  brokenOff: boolean;
  /** Called when `finished` becomes true. */
  readonly onFinished: () => void;
  /** An event could not be read: words may be missing. */
  malformed: boolean;
  /** An event contained nothing known: the endpoint speaks another protocol. */
  foreign: boolean;
  /** The protocol of the first event that shows one. */
  protocol: 'chat' | 'anthropic' | 'google' | 'openai-responses' | undefined;
  /** Error that the endpoint reported. */
  error: unknown;
  /** Looks like an error, and counts as one only if no finish reason arrives. */
  suspect: unknown;
  readonly sources: Source[];
  /** `data:` URLs or addresses of pictures that the model drew, in their order. */
  readonly pictures: string[];
}

const nobody = () => undefined;
/**
 * Makes the facts of an answer of which nothing has arrived yet. `onFinished` is called when its finish reason arrives.
 */
export const newFacts = (onFinished: () => void = nobody): StreamFacts => ({
  done: false,
  finished: false,
  brokenOff: false,
  onFinished,
  malformed: false,
  foreign: false,
  protocol: undefined,
  error: undefined,
  suspect: undefined,
  sources: [],
  pictures: [],
});

/** True for an error with content; some servers send `null`, `{}`, `""` or `false` for no error. */
export function isError(error: unknown): boolean {
  if (typeof error === 'string') return error.trim() !== '';
  if (Array.isArray(error)) return error.some(isError);
  if (error === true) return true;
  return (
    isFields(error) &&
    Object.values(error).some((value) => value !== null && value !== '' && value !== 0 && value !== false) &&
    !(Number(error.code ?? 1) === 0 && /^(success|ok)\W?$/i.test(stringOf(error.message)))
  );
}

/** Fields with the words of a failure, and those that need a code beside them: others use the same names. */
const FAILED = [
  ...['message', 'msg', 'detail', 'error_msg', 'error_message', 'errorMessage', 'errmsg', 'err_msg'],
  'error_description',
];
const FAILED_BY_CODE = ['Message', 'reason', 'title', 'text'];
const CODES = ['code', 'error_code', 'errorCode', 'error_type', 'statusCode'];
/** The same, where other events have them, too. */
const KINDS = ['status', 'type'];

/** Notes an event that may tell of a failure, for an answer that does not come to its end; true if it may. */
export function noteSuspect(facts: StreamFacts, value: Fields): boolean {
  const codeIn = (names: readonly string[]) => names.map((name) => value[name]).find(isCode);
  const own = codeIn(CODES);
  const name = [...FAILED, ...(own === undefined ? [] : FAILED_BY_CODE)].find((one) => isError(value[one]));
  if (name === undefined) return false;
  const code = own ?? codeIn(KINDS);
  const isUsual = name === 'message' || name === 'detail';
  facts.suspect ??= isUsual ? { ...value, code } : { message: value[name], code };
  return true;
}
const isCode = (value: unknown): boolean =>
  (typeof value === 'number' && value !== 0) || (typeof value === 'string' && value !== '');

/**
 * Names of fields with the pages of an answer: Perplexity, xAI, Zhipu, Volcengine, Qwen, Azure, Cohere, Groq
 * (`executed_tools`), Open WebUI, Venice, Google's `grounding_metadata`, and what LiteLLM passes on of it.
 */
const WITH_PAGES =
  /citation|annotation|source|search|reference|grounding|^(context|executed_tools|provider_specific_fields|extra_content|\w+_parameters)$/i;
/** Names of an address within them. */
const ADDRESSES = ['url', 'link', 'uri', 'source'];
/** Names of what is no page. */
const NO_PAGES = /image|icon|thumb|logo|video|media|quer(y|ies)|question/i;
/** Most levels that are looked through. */
const MOST_DEPTH = 8;
/** Most sources that are kept. */
const MOST_SOURCES = 100;

/**
 * Notes a page that an answer rests on: only web addresses, each once, with the first
 * title that is told; no more than 100.
 */
export function addSource({ sources }: StreamFacts, url: unknown, title: unknown): void {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return;
  const name = stringOf(title).trim();
  const known = sources.findIndex((source) => source.url === url);
  if (known < 0 && sources.length < MOST_SOURCES) sources.push(name === '' ? { url } : { url, title: name });
  else if (known >= 0 && name !== '' && !sources[known]?.title) sources[known] = { url, title: name };
}

/**
 * Notes a document that an answer cites, once for each place in it; without words only if it is not there with some.
 */
export function addDocument({ sources }: StreamFacts, title: unknown, words: unknown): void {
  const name = stringOf(title).trim();
  const cited = shortenCited(stringOf(words));
  if ((name === '' && cited === '') || sources.length >= MOST_SOURCES) return;
  const isKnown = (source: Source) =>
    source.url === '' && source.title === (name || undefined) && (cited === '' || source.cited === cited);
  if (sources.some(isKnown)) return;
  sources.push({ url: '', ...(name === '' ? {} : { title: name }), ...(cited === '' ? {} : { cited }) });
}

const asPicture = (image: unknown): unknown =>
  typeof image === 'string'
    ? { image_url: image }
    : isFields(image)
      ? { ...image, image_url: image.image_url ?? image.url }
      : image;
/** Address of a picture, in any of the forms that a part may have. */
function pictureIn(part: unknown): string | undefined {
  if (!isFields(part)) return undefined;
  const { image_url: named = part.type === 'image' ? part.url : undefined } = part;
  const bytes = part.b64_json ?? part.image_base64;
  if (typeof bytes === 'string' && bytes !== '') return `data:image/png;base64,${bytes}`;
  // Google's and Anthropic's form of a part.
  const inline = [part.inline_data, part.inlineData, part.source].find(isFields);
  const type = stringOf(inline?.mime_type ?? inline?.mimeType ?? inline?.media_type);
  if (/^image\/[\w.+-]+$/.test(type) && typeof inline?.data === 'string')
    return `data:${type};base64,${inline.data}`;
  const url = isFields(named) ? named.url : named;
  return typeof url === 'string' && /^(?:data:image\/|https?:)/i.test(url) ? url : undefined;
}

/** Notes a picture, once. */
export function addPicture({ pictures }: StreamFacts, url: string): void {
  if (!pictures.includes(url)) pictures.push(url);
}

/**
 * Notes the pictures of a choice, beside the words (`images`, as OpenRouter sends them) or among them.
 * Some servers repeat them at the end.
 */
export function notePictures(facts: StreamFacts, { delta, message }: Fields): void {
  for (const said of [delta, message])
    if (isFields(said))
      for (const picture of [
        ...listOf(said.images ?? said.image).map(asPicture),
        ...listOf(said.content),
        // AiHubMix.
        ...listOf(said.multi_mod_content),
      ]) {
        const url = pictureIn(picture);
        if (url !== undefined) addPicture(facts, url);
      }
}

/** Notes the pages that an answer cites: endpoints list them beside its words, each in a form of its own. */
export function noteSources(facts: StreamFacts, value: Fields): void {
  for (const [name, each] of Object.entries(value)) if (WITH_PAGES.test(name)) notePages(facts, each);
  for (const part of listOf(value.content))
    if (isFields(part) && WITH_PAGES.test(stringOf(part.type))) notePages(facts, part);
}

function notePages(facts: StreamFacts, value: unknown, depth = 0): void {
  if (typeof value === 'string') addSource(facts, value, '');
  else if (depth > MOST_DEPTH) return;
  else if (Array.isArray(value)) for (const each of value) notePages(facts, each, depth + 1);
  else if (isFields(value)) {
    const address = ADDRESSES.map((name) => value[name]).find((url) => typeof url === 'string');
    addSource(facts, address, value.title ?? value.name);
    // A file of Azure's index.
    if (address === undefined && typeof value.filepath === 'string')
      addDocument(facts, value.title || value.filepath, value.content);
    for (const [name, each] of Object.entries(value))
      if (typeof each === 'object' && !NO_PAGES.test(name)) notePages(facts, each, depth + 1);
  }
}
