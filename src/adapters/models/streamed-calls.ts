// The calls of one answer, put together from the deltas of a stream: whose delta is whose, which tool
// is meant, which arguments are whole.
import {
  type Fields,
  isFields,
  lenientJson,
  pythonJson,
  readJson,
  stringOf,
} from '../../domain/base/json.ts';
import { listOf } from './event-fields.ts';
import { firstObjectIn, objectsIn } from './server-events.ts';

/** Lists calls: from a list, from a single call, or by their numbers. */
export const callsOf = (value: unknown): readonly Fields[] => {
  const list =
    isFields(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^\d+$/.test(key))
      ? Object.values(value)
      : listOf(value);
  return list.filter(isFields);
};
/** A name that some servers send as a number. */
const nameOf = (value: unknown): string =>
  typeof value === 'number' ? String(value) : stringOf(value).trim();

interface Call {
  readonly index: number;
  readonly id: string;
  /** Empty until it has arrived; arguments that arrived before wait for it. */
  name: string;
  arguments: string;
  /** A signature that must be sent back with the call. */
  extra: unknown;
  isSent: boolean;
}

/** Collects the calls of one answer. */
export class StreamedCalls {
  /** Names of the tools that may be called. */
  readonly #tools: readonly string[];
  readonly #calls: Call[] = [];
  /** Call that a delta with this index continues. */
  readonly #byIndex = new Map<string, Call>();
  readonly #ids = new Set<string>();

  constructor(tools: readonly string[]) {
    this.#tools = tools;
  }

  /** True if a call has arguments and no name: it cannot be made. */
  get hasNameless(): boolean {
    return this.#calls.some((call) => call.name === '' && call.arguments !== '');
  }

  /** True once a call has begun. */
  get hasAny(): boolean {
    return this.#calls.length > 0;
  }

  /** Adds a whole call. `given`: its arguments, a JSON object. */
  add(name: string, given: string): void {
    Object.assign(this.#newCall(''), { name, arguments: given });
  }

  /** True if this is a call that came already, whole and with the same arguments. */
  holds(raw: Fields): boolean {
    const { name, text } = this.#given(raw);
    return name !== '' && this.#calls.some((call) => call.name === name && call.arguments === text);
  }

  #given(raw: Fields): { readonly name: string; readonly id: string; readonly text: string } {
    const written = typeof raw.function === 'string' ? readJson(raw.function) : raw.function;
    const fn = [written, raw.custom].find(isFields) ?? raw;
    const given = fn.arguments ?? (fn === raw ? undefined : raw.arguments) ?? fn.parameters ?? fn.input;
    return {
      name: this.toolNamed(nameOf(fn.name)),
      id: nameOf(raw.id ?? raw.tool_call_id),
      text:
        typeof given === 'string'
          ? given
          : isFields(given) || Array.isArray(given)
            ? JSON.stringify(given)
            : '',
    };
  }

  /** Adds a delta of a call, or a whole one, in any form that an endpoint sends. */
  read(raw: Fields): void {
    const { name, id, text } = this.#given(raw);
    let call = this.#callFor({ index: raw.index, id, name, text });
    if (!call) {
      if (name === '' && id === '' && text === '') return;
      call = this.#newCall(id);
      const key = raw.index === undefined || raw.index === null ? `id ${id}` : String(raw.index);
      this.#byIndex.set(key, call);
      if (id !== '') this.#byIndex.set(`id ${id}`, call);
    }
    if (call.name === '' || this.#completesName(call, name)) call.name += name;
    const isBetween = /\}\s*\{/.test(call.arguments.slice(-8) + text);
    const [own = '', ...others] = argumentsOf(argumentsWith(call.arguments, text), isBetween);
    call.arguments = own;
    call.extra ??= isFields(raw.extra_content) ? raw.extra_content : undefined;
    // The arguments of several calls in one: what follows belongs to the last.
    for (const each of others) {
      const next = this.#newCall(id);
      Object.assign(next, { name: call.name, arguments: each });
      this.#byIndex.set(String(raw.index ?? `id ${id}`), next);
    }
  }

  /**
   * Finds a tool by its name, also in capitals, in quotes, with a namespace before it (`functions.recall:0`,
   * `mcp__recall`), and a number or the marks of gpt-oss behind it (`recall<|channel|>commentary`).
   */
  toolNamed(name: string): string {
    if (this.#tools.includes(name)) return name;
    const plain = name.replace(/<\|.*/s, '').replace(/^["'`\s]+|["'`\s]+$/g, '');
    const bare = (
      plain
        .replace(/:\d+$/, '')
        .split(/[.:/]|__/)
        .at(-1) ?? ''
    ).toLowerCase();
    return this.#tools.find((tool) => tool.toLowerCase() === bare) ?? name;
  }

  /** True if the name of a call came in pieces, and this is the next one. */
  #completesName(call: Call, name: string): boolean {
    return (
      name !== '' &&
      call.arguments === '' &&
      !this.#tools.includes(call.name) &&
      this.#tools.some((tool) => tool.startsWith(call.name + name))
    );
  }

  /** Call that a delta continues; undefined if it begins one. */
  #callFor({
    index,
    id,
    name,
    text,
  }: {
    index: unknown;
    id: string;
    name: string;
    text: string;
  }): Call | undefined {
    const known = id === '' ? undefined : this.#byIndex.get(`id ${id}`);
    if (index === undefined || index === null) {
      if (known) return known;
      const last = this.#calls.at(-1);
      const isPiece = id === '' && last !== undefined && this.#completesName(last, name);
      return name === '' || isPiece ? last : undefined;
    }
    const call = this.#byIndex.get(String(index));
    // An unknown index: some servers count on in the middle of a call.
    if (!call) return name === '' ? (known ?? (id === '' ? this.#calls.at(-1) : undefined)) : undefined;
    if (!this.#isAnother(call, { id, name, text })) return call;
    return known !== call && (name === '' || !isComplete(known?.arguments ?? '')) ? known : undefined;
  }

  /** True if a delta with the index of `call` is about another one: some servers give every call the index 0. */
  #isAnother(call: Call, { id, name, text }: { id: string; name: string; text: string }): boolean {
    if (call.name === '' || this.#completesName(call, name)) return false;
    const same = this.#isSame(call, id);
    if (name === '') return !same && this.#byIndex.has(`id ${id}`);
    if (isComplete(call.arguments) && text.trim() !== '' && !text.startsWith(call.arguments)) return true;
    if (same) return false;
    return name !== call.name || (id !== '' && isWhole(call.arguments));
  }

  #isSame(call: Call, id: string): boolean {
    return call.id === id || this.#byIndex.get(`id ${id}`) === call;
  }

  #newCall(id: string): Call {
    const index = this.#calls.length;
    let own = id === '' ? `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}` : id;
    // Results find their call by its id.
    for (let at = 2; this.#ids.has(own); at++) own = `${id}-${at}`;
    this.#ids.add(own);
    const call: Call = { index, id: own, name: '', arguments: '', extra: undefined, isSent: false };
    this.#calls.push(call);
    return call;
  }

  /**
   * Returns an event for each call not passed on yet. Called when nothing more will arrive: the SDK makes calls then,
   * and takes a signature, which may come last, only with a call's first piece.
   */
  events(): unknown[] {
    const out: unknown[] = [];
    for (const call of this.#calls) {
      if (call.name === '' || call.isSent) continue;
      call.isSent = true;
      // Arguments that were encoded as text once more.
      const inner = call.arguments.startsWith('"') ? readJson(call.arguments) : undefined;
      const given = typeof inner === 'string' && isFields(readJson(inner)) ? inner : call.arguments;
      const { index, id, name } = call;
      const whole = { index, id, ...(signatureOf(call.extra) ?? {}), function: { name, arguments: given } };
      out.push({ choices: [{ delta: { tool_calls: [whole] } }] });
    }
    return out;
  }
}

const isWhole = (text: string): boolean => text === '' || readJson(text) !== undefined;
const isComplete = (text: string): boolean => text.startsWith('{') && isWhole(text);
const EMPTY: ReadonlySet<string> = new Set(['', '{}', '{ }', 'null', 'None', 'undefined']);

/**
 * Adds a delta to arguments. Some servers begin with an empty object or a space; some repeat everything so far. An
 * object cannot begin within its own first characters, so a delta that begins with everything so far is the whole.
 */
function argumentsWith(before: string, text: string): string {
  if (before === '' && EMPTY.has(text.trim())) return '';
  return before.startsWith('{') && text.startsWith(before) ? text : before + text;
}

/** Arguments of each call in one text: `{…}{…}` are two, unless the second repeats the first. */
function argumentsOf(text: string, isBetween: boolean): readonly string[] {
  const objects = isBetween ? objectsIn(text) : [text];
  return isComplete(objects[0] ?? '') ? [...new Set(objects)] : [text];
}

/** Signs behind the arguments of a call: a bracket too many, a fence, a mark of the model's template. */
const BEHIND = /^[}\]]*(?:```|<[^<>]{1,40}>)?$/;

/**
 * The arguments of a whole call as a JSON object, also out of a fence, with a comma too many, or as
 * Python prints them; as they were written if they are none.
 */
export function wholeArguments(written: string): string {
  if (isFields(readJson(written))) return written;
  const bare = written.trim().replace(/^```(?:json)?\s*/, '');
  const first = firstObjectIn(bare);
  const text =
    first !== undefined && BEHIND.test(bare.slice(first.length).replace(/\s+/g, '')) ? first : bare;
  const value = lenientJson(text) ?? pythonJson(text);
  const [only, ...others] = Array.isArray(value) ? (value as unknown[]) : [value];
  return isFields(only) && others.length === 0 ? JSON.stringify(only) : written;
}

/** Gemini's signature of a call. https://ai.google.dev/gemini-api/docs/thought-signatures */
function signatureOf(
  extra: unknown,
): { extra_content: { google: { thought_signature: string } } } | undefined {
  const google = isFields(extra) && isFields(extra.google) ? extra.google : undefined;
  const signature = stringOf(google?.thought_signature);
  return signature === '' ? undefined : { extra_content: { google: { thought_signature: signature } } };
}
