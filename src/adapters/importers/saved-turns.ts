// Turns as two programs keep them in a form of their own, as lists of messages that `message-lists.ts` reads: saves of
// KoboldAI Lite, which comes with KoboldCpp, and answers of Gemini's Interactions API.
import { type Fields, fieldsOf, isFields, objectsOf, stringOf } from '../../domain/base/json.ts';
import type { Session } from './editor-logs.ts';

// ------------------------------------------------------------------------------------------------ KoboldAI Lite
type Saved = { readonly role: 'user' | 'assistant' | 'system'; readonly content: string };

/** Marks that stand for the tags of a model's template, and how they are left out at the end of a turn. */
const MARK = /\{\{\[(INPUT|OUTPUT|SYSTEM)(?:_END)?\]\}\}/;
const ROLES = { INPUT: 'user', OUTPUT: 'assistant', SYSTEM: 'system' } as const;

const spoken = (turns: readonly Saved[]): Saved[] =>
  turns.flatMap(({ role, content }) => (content.trim() === '' ? [] : [{ role, content: content.trim() }]));

/** Turns between marks; what stands before the first one is a preamble. */
function byMarks(text: string): Saved[] {
  const [before = '', ...pieces] = text.split(MARK);
  const turns: Saved[] = [{ role: 'system', content: before }];
  for (let at = 0; at + 1 < pieces.length; at += 2)
    turns.push({ role: ROLES[pieces[at] as keyof typeof ROLES], content: pieces[at + 1] ?? '' });
  return spoken(turns);
}

/** Turns of which each begins a line with a name and a colon. */
function byNames(text: string, person: string, models: readonly string[]): Saved[] {
  const turns: { role: Saved['role']; lines: string[] }[] = [{ role: 'system', lines: [] }];
  for (const line of text.split('\n')) {
    const name = [person, ...models].find((one) => one !== '' && line.startsWith(`${one}:`));
    if (name === undefined) turns.at(-1)?.lines.push(line);
    else turns.push({ role: name === person ? 'user' : 'assistant', lines: [line.slice(name.length + 1)] });
  }
  return spoken(turns.map(({ role, lines }) => ({ role, content: lines.join('\n') })));
}

/** A tag of a template as the settings write it: with `\n` for a line end. */
const tagIn = (value: unknown): string => stringOf(value).replaceAll('\\n', '\n').trim();

/** Reads a save of KoboldAI Lite: one text in pieces, with marks, tags of a template, or names. */
export function koboldLite(records: readonly Fields[]): Session[] | undefined {
  const [save, ...rest] = records;
  if (!save || rest.length > 0 || !('gamestarted' in save) || !Array.isArray(save.actions)) return undefined;
  const settings = fieldsOf(save.savedsettings);
  const [input, output] = [tagIn(settings.instruct_starttag), tagIn(settings.instruct_endtag)];
  let text = [save.prompt, ...(save.actions as unknown[])].map(stringOf).join('');
  if (!MARK.test(text) && input !== '' && output !== '' && text.includes(output))
    text = text.replaceAll(input, '{{[INPUT]}}').replaceAll(output, '{{[OUTPUT]}}');
  const models = stringOf(settings.chatopponent).split('||$||');
  const turns = MARK.test(text)
    ? byMarks(text)
    : byNames(text, stringOf(settings.chatname) || 'User', models);
  const isTalk = ['user', 'assistant'].every((role) => turns.some((turn) => turn.role === role));
  // A story in one stretch has nobody who says it.
  if (!isTalk) return undefined;
  const memory = stringOf(save.memory).trim();
  const known: Saved[] = memory === '' ? [] : [{ role: 'system', content: memory }];
  return [{ id: undefined, messages: [...known, ...turns] }];
}

// ------------------------------------------------------------------------------------------------ Interactions API
const isInteraction = (record: Fields): boolean =>
  (record.object === 'interaction' || 'previous_interaction_id' in record || Array.isArray(record.steps)) &&
  (Array.isArray(record.steps) || Array.isArray(record.outputs));

/** A part of what was said, with its words under the name that others have for it. */
const blocksOf = (content: unknown): unknown[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : [content].flat().filter((one) => one !== undefined && one !== null);

/** One step, or one of the outputs of an earlier version, as a message. */
function stepOf(step: Fields): Fields[] {
  const { type, content, id, call_id: call, name, arguments: given, result, summary } = step;
  switch (type) {
    case 'user_input':
      return [{ role: 'user', content: blocksOf(content) }];
    case 'model_output':
      return [{ role: 'assistant', content: blocksOf(content) }];
    case 'text':
    case 'image':
      return [{ role: 'assistant', content: [step] }];
    case 'thought': {
      const thinking = objectsOf(summary)
        .map(({ text }) => stringOf(text))
        .join('\n\n');
      return thinking === '' ? [] : [{ role: 'assistant', content: [{ type: 'thinking', thinking }] }];
    }
    case 'function_call':
      return [{ role: 'assistant', tool_calls: [{ id, function: { name, arguments: given ?? {} } }] }];
    case 'function_result':
      return [
        {
          role: 'tool',
          tool_call_id: call,
          content: typeof result === 'string' ? result : JSON.stringify(result),
        },
      ];
    default:
      return [];
  }
}

/** The question: words, parts, or the steps of a conversation that the sender keeps. */
function askedIn(input: unknown): Fields[] {
  if (!Array.isArray(input)) return input === undefined ? [] : [{ role: 'user', content: blocksOf(input) }];
  const parts = input.filter(isFields);
  if (parts.some(({ type }) => /^(?:user_input|model_output|function_(?:call|result))$/.test(stringOf(type))))
    return parts.flatMap(stepOf);
  if (parts.some(({ role }) => typeof role === 'string'))
    return parts.map(({ role, content }) => ({
      role: role === 'model' ? 'assistant' : role,
      content: blocksOf(content),
    }));
  return [{ role: 'user', content: parts }];
}

/** Reads answers of the Interactions API; those that go on with one another are one conversation. */
export function interactions(records: readonly Fields[]): Session[] | undefined {
  if (!records.some(isInteraction)) return undefined;
  const sessions = new Map<string, { id: string | undefined; messages: Fields[] }>();
  for (const record of records.filter(isInteraction)) {
    const { id, created: timestamp, model, steps, outputs, input, previous_interaction_id: before } = record;
    const said = objectsOf(steps ?? outputs).flatMap(stepOf);
    const hasAsked = said.some(({ role }) => role === 'user');
    const messages = [...(hasAsked ? [] : askedIn(input)), ...said].map((one) => ({
      ...one,
      timestamp,
      ...(one.role === 'assistant' && typeof model === 'string' ? { model } : {}),
    }));
    const known = sessions.get(stringOf(before));
    const session = known ?? { id: stringOf(id) || undefined, messages: [] };
    session.messages.push(...messages);
    sessions.set(stringOf(id) || `interaction ${sessions.size}`, session);
  }
  return [...new Set(sessions.values())];
}
