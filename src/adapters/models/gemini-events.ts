// Events of Gemini in the form that the SDK's strict schema takes: proxies wrap them, write their keys with
// underscores, figures as text, and pages without addresses. One such value would cost the words beside it.
import { type Fields, fieldsOf, isFields, objectsOf, readJson, stringOf } from '../../domain/base/json.ts';
import { attempt } from '../../domain/base/log.ts';
import { listOf } from './event-fields.ts';
import { partOfGemini } from './executed-code.ts';
import { finishOf, saysBrokenOff } from './finish-reasons.ts';

/** Keys of an event that some proxies write with underscores. */
const KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...[
      'finishReason',
      'finishMessage',
      'usageMetadata',
      'promptFeedback',
      'blockReason',
      'groundingMetadata',
    ],
    ...['groundingChunks', 'urlContextMetadata', 'urlMetadata', 'retrievedUrl', 'urlRetrievalStatus'],
    ...[
      'promptTokenCount',
      'candidatesTokenCount',
      'totalTokenCount',
      'cachedContentTokenCount',
      'thoughtsTokenCount',
    ],
    ...[
      'functionCall',
      'inlineData',
      'mimeType',
      'thoughtSignature',
      'executableCode',
      'codeExecutionResult',
      'retrievedContext',
      'citationMetadata',
      'citationSources',
    ],
  ].map((key) => [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), key]),
);

/** Depth of the keys that are the protocol's own: arguments of calls keep theirs. */
const DEPTH = 6;
function withUsualKeys(value: unknown, depth = DEPTH): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => withUsualKeys(each, depth - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      KEYS[key] ?? key,
      key === 'args' ? each : withUsualKeys(each, depth - 1),
    ]),
  );
}

/** An event of Gemini with its usual keys, out of what a proxy wrapped it in; any other event as it is. */
export function unwrapped(event: Fields): Fields {
  const inner = isFields(event.response) && event.response.candidates ? event.response : event;
  if (!Array.isArray(inner.candidates) && !isFields(inner.candidates)) return innerOf(event);
  const usual = withUsualKeys(inner) as Fields;
  return {
    ...usual,
    candidates: objectsOf(listOf(usual.candidates)).map(({ finishReason: reason, ...candidate }) => {
      const name = nameOfReason(reason);
      return name === '' ? candidate : { ...candidate, finishReason: name };
    }),
  };
}

/** An event that a proxy of AWS packed, out of its bytes. */
function innerOf(event: Fields): Fields {
  const packed = isFields(event.chunk) ? event.chunk : event;
  if (typeof packed.bytes !== 'string' || packed.type !== undefined) return event;
  const { bytes } = packed;
  const inner = attempt(
    () => readJson(new TextDecoder().decode(Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0)))),
    undefined,
    'bytes that are no event',
  );
  return isFields(inner) ? inner : event;
}

/** Finish reasons by their number, as the protocol's own definition counts them. */
const REASONS = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'];
/** Reasons of a held answer that the SDK does not know. */
const HELD = /^(?:IMAGE_(?:PROHIBITED_CONTENT|RECITATION)|MODEL_ARMOR|JAILBREAK)$/;

/** A finish reason as the SDK knows it; empty while the answer goes on. */
function nameOfReason(reason: unknown): string {
  const name = typeof reason === 'number' ? (REASONS[reason] ?? 'OTHER') : stringOf(reason).toUpperCase();
  if (/UNSPECIFIED$/.test(name) || saysBrokenOff(reason)) return '';
  return HELD.test(name) ? 'PROHIBITED_CONTENT' : finishOf(reason) === 'length' ? 'MAX_TOKENS' : name;
}

const figures = (usage: Fields): Fields =>
  Object.fromEntries(
    Object.entries(usage).flatMap(([key, value]) => {
      const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof figure === 'number' && Number.isFinite(figure) ? [[key, figure]] : [];
    }),
  );

/** Pages with an address. */
function pagesOf(grounding: Fields): Fields {
  return {
    groundingChunks: objectsOf(grounding.groundingChunks).flatMap(({ web, maps }) => {
      const { uri, title } = fieldsOf(web ?? maps);
      return typeof uri === 'string'
        ? [{ web: { uri, ...(typeof title === 'string' ? { title } : {}) } }]
        : [];
    }),
  };
}

/** Pages it was asked to read, files and quotations that an answer of Gemini rests on; the SDK tells of others. */
export function citedByGemini(candidate: Fields): readonly Fields[] {
  const read = objectsOf(fieldsOf(candidate.urlContextMetadata).urlMetadata).filter(
    ({ urlRetrievalStatus: status }) => !/ERROR|PAYWALL|UNSAFE/.test(stringOf(status)),
  );
  const files = objectsOf(fieldsOf(candidate.groundingMetadata).groundingChunks).flatMap(
    ({ retrievedContext: file }) =>
      isFields(file) ? [{ url: file.uri, title: file.title ?? file.uri }] : [],
  );
  const { citationSources, citations } = fieldsOf(candidate.citationMetadata);
  const quoted = objectsOf(citationSources ?? citations).filter(({ uri }) => typeof uri === 'string');
  return [
    ...read.map(({ retrievedUrl: url }) => ({ url })),
    ...files,
    ...quoted.map(({ uri: url, title }) => ({ url, title })),
  ];
}

/** A part whose call has the id and the arguments that the SDK wants. */
function wholeCall(part: Fields): Fields {
  if (!isFields(part.functionCall)) return part;
  const { id, args, ...call } = part.functionCall;
  const given = typeof args === 'string' ? readJson(args) : args;
  const named = id === undefined || id === null || id === '' ? {} : { id: String(id) };
  return { ...part, functionCall: { ...call, ...named, args: isFields(given) ? given : {} } };
}

/** Gives events of one answer the types that the SDK wants. Ratings have no use here; code that ran becomes words. */
export class GeminiShapes {
  /** The first of several candidates that were asked for. */
  #shown: unknown;
  /** A signature on a part of its own, which belongs to the call behind it. */
  #signature: unknown;

  shape(event: Fields): Fields {
    const { usageMetadata: usage, candidates, ...rest } = event;
    const all = objectsOf(candidates);
    if (all.length > 0) this.#shown ??= all[0]?.index ?? 0;
    return {
      ...rest,
      candidates: all
        .filter(({ index = 0 }) => index === this.#shown)
        .map((candidate) => {
          const { safetyRatings: _, groundingMetadata: grounding, citationMetadata: __, ...kept } = candidate;
          const content = fieldsOf(kept.content);
          return {
            ...kept,
            ...(isFields(grounding) ? { groundingMetadata: pagesOf(grounding) } : {}),
            ...(Array.isArray(content.parts) || isFields(content.parts)
              ? {
                  content: {
                    ...content,
                    parts: objectsOf(listOf(content.parts)).map((part) => this.#part(part)),
                  },
                }
              : {}),
          };
        }),
      ...(isFields(usage) ? { usageMetadata: figures(usage) } : {}),
    };
  }

  #part(given: Fields): Fields {
    const { thought } = given;
    const part = wholeCall(
      partOfGemini(typeof thought === 'string' ? { text: thought, thought: true } : given),
    );
    if (isFields(part.functionCall)) {
      const signature = part.thoughtSignature ?? this.#signature;
      this.#signature = undefined;
      return signature === undefined ? part : { ...part, thoughtSignature: signature };
    }
    const isAlone = part.thoughtSignature !== undefined && !part.text && !isFields(part.inlineData);
    if (isAlone || part.text) this.#signature = isAlone ? part.thoughtSignature : undefined;
    return part;
  }
}
