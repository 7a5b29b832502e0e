// Events of Gemini in the form that the SDK's strict schema takes: proxies wrap them, write their keys with
// underscores, figures as text, and pages without addresses. One such value would cost the words beside it.
import { isFields } from '../../domain/base/json.ts';
import { type Fields, fieldsOf, objectsOf } from './event-fields.ts';
import { partOfGemini } from './executed-code.ts';

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
  const inner = isFields(event.response) && Array.isArray(event.response.candidates) ? event.response : event;
  if (!Array.isArray(inner.candidates)) return event;
  return withUsualKeys(inner) as Fields;
}

/** Finish reasons by their number, as the protocol's own definition counts them. */
const REASONS = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'];

const figures = (usage: Fields): Fields =>
  Object.fromEntries(
    Object.entries(usage).flatMap(([key, value]) => {
      const figure = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      return typeof figure === 'number' && Number.isFinite(figure) ? [[key, figure]] : [];
    }),
  );

/** Pages with an address; all else that grounds an answer is shown nowhere. */
function pagesOf(grounding: Fields): Fields {
  return {
    groundingChunks: objectsOf(grounding.groundingChunks).flatMap(({ web }) => {
      const { uri, title } = fieldsOf(web);
      return typeof uri === 'string'
        ? [{ web: { uri, ...(typeof title === 'string' ? { title } : {}) } }]
        : [];
    }),
  };
}

/** Gives an event the types that the SDK wants. Ratings have no use here; code that ran becomes words. */
export function shapedGemini(event: Fields): Fields {
  const { usageMetadata: usage, candidates, ...rest } = event;
  return {
    ...rest,
    candidates: objectsOf(candidates).map((candidate) => {
      const { safetyRatings: _, groundingMetadata: grounding, finishReason: reason, ...kept } = candidate;
      const content = fieldsOf(kept.content);
      return {
        ...kept,
        ...(typeof reason === 'number' ? { finishReason: REASONS[reason] ?? 'OTHER' } : {}),
        ...(typeof reason === 'string' ? { finishReason: reason } : {}),
        ...(isFields(grounding) ? { groundingMetadata: pagesOf(grounding) } : {}),
        ...(Array.isArray(content.parts)
          ? { content: { ...content, parts: objectsOf(content.parts).map(partOfGemini) } }
          : {}),
      };
    }),
    ...(isFields(usage) ? { usageMetadata: figures(usage) } : {}),
  };
}
