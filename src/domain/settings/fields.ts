// The configuration by dotted path: what each key is, what it may be, and what a value handed in would do. Derived from
// the schema in config.ts; there is no second list.

import { z } from 'zod';
import { RecollectError } from '../base/errors.ts';
import { isFields } from '../base/json.ts';
import { once } from '../base/once.ts';
import { type Config, configSchema, defaultConfig } from './config.ts';

interface Field<Kind extends string, Value> {
  /** e.g. `recall.filters.max_results` */
  readonly path: string;
  readonly kind: Kind;
  readonly default: Value;
}

/** One key of the configuration, as a settings screen needs to know it. */
export type ConfigField =
  /** `only`: the only allowed value. */
  | (Field<'boolean', boolean> & { readonly only?: boolean })
  | (Field<'number', number> & { readonly min: number; readonly max: number; readonly integer: boolean })
  /** `open`: a web address is allowed as well. */
  | (Field<'enum', string> & { readonly choices: readonly string[]; readonly open: boolean })
  /** `format: 'url'`: an http or https address, or empty. */
  | (Field<'text', string> & {
      readonly minLength: number;
      readonly maxLength: number | null;
      readonly format: 'url' | null;
    })
  | (Field<'list', readonly string[]> & {
      readonly maxItems: number | null;
      readonly minLength: number;
      readonly maxLength: number | null;
      /** The only allowed entries; null: any entry. */
      readonly choices: readonly string[] | null;
    })
  /** Names that the person chooses, with a text each. */
  | Field<'map', Readonly<Record<string, string>>>;

/** Parts of JSON Schema with which zod describes our schema. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly const?: string | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly format?: string;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

function fieldOf(path: string, shape: Shape): ConfigField {
  const options = shape.anyOf ?? [shape];
  const choices = options.flatMap(
    (option) => option.enum ?? (typeof option.const === 'string' ? [option.const] : []),
  );
  const address = options.some((option) => option.format === 'uri');
  if (choices.some((choice) => choice !== ''))
    return { path, kind: 'enum', default: shape.default as string, choices, open: address };
  switch (options[0]?.type) {
    case 'boolean':
      return {
        path,
        kind: 'boolean',
        default: shape.default as boolean,
        ...(typeof shape.const === 'boolean' ? { only: shape.const } : {}),
      };
    case 'number':
    case 'integer':
      return {
        path,
        kind: 'number',
        default: shape.default as number,
        min: shape.minimum ?? Number.NEGATIVE_INFINITY,
        max: shape.maximum ?? Number.POSITIVE_INFINITY,
        integer: shape.type === 'integer',
      };
    case 'array':
      return {
        path,
        kind: 'list',
        default: shape.default as string[],
        maxItems: shape.maxItems ?? null,
        maxLength: shape.items?.maxLength ?? null,
        minLength: shape.items?.minLength ?? 1,
        choices: shape.items?.enum ?? null,
      };
    case 'object':
      return { path, kind: 'map', default: shape.default as Record<string, string> };
    default:
      return {
        path,
        kind: 'text',
        default: shape.default as string,
        minLength: shape.minLength ?? 0,
        maxLength: shape.maxLength ?? null,
        format: address ? 'url' : null,
      };
  }
}

const fieldsOf = (shape: Shape, path = ''): ConfigField[] =>
  shape.properties
    ? Object.entries(shape.properties).flatMap(([key, inner]) =>
        fieldsOf(inner, path ? `${path}.${key}` : key),
      )
    : [fieldOf(path, shape)];

/** Every key of the configuration, in the order of the schema. */
export const configFields = once((): readonly ConfigField[] =>
  fieldsOf(z.toJSONSchema(configSchema, { io: 'input' }) as Shape),
);

const byPath = once(() => new Map(configFields().map((field) => [field.path, field])));

/** The field at a path of the configuration; undefined if there is none. */
export const configField = (path: string): ConfigField | undefined => byPath().get(path);

/** Value of the configuration at the path of a key or a group of keys; undefined if there is none. */
export function configValue(config: Config, path: string): unknown {
  let value: unknown = config;
  for (const key of path.split('.'))
    value = isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Describes the values that a key allows, in signs that need no language. */
export function allowedValues(field: ConfigField): string {
  switch (field.kind) {
    case 'boolean':
      return field.only === undefined ? 'true | false' : String(field.only);
    case 'number':
      return `${field.min} … ${field.max}${field.integer ? ' (1, 2, 3 …)' : ''}`;
    case 'enum':
      return [...field.choices, ...(field.open ? ['https://…'] : [])].join(' | ');
    case 'text':
      if (field.format === 'url') return 'https://… | http://… | ""';
      return `"…" (${field.minLength}–${field.maxLength ?? '∞'})`;
    case 'list':
      if (field.choices) return `[${field.choices.join(', ')}]`;
      return `["…" (${field.minLength}–${field.maxLength ?? '∞'}), …] (0–${field.maxItems ?? '∞'})`;
    case 'map':
      return '{ name: "…" }';
  }
}

// ---------------------------------------------------------------------------------------------- changing

/** Values by path; a missing or undefined value stands for the default. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/** Reason for which a value is refused. */
export interface SettingRefusal {
  readonly key: string;
  readonly value: unknown;
  readonly allowed: string;
  /** The key does not exist; `allowed` then lists the names that do. */
  readonly unknown?: boolean;
}

/** Makes the configuration from these values and defaults for the rest, and refuses invalid values key by key. */
export function configOf(values: ConfigValues): { config: Config; refused: readonly SettingRefusal[] } {
  const refused: SettingRefusal[] = [];
  const config = structuredCopy(defaultConfig);
  const set = Object.entries(values).filter(([, value]) => value !== undefined);
  if (set.length === 0) return { config, refused };
  for (const [path, value] of set) {
    const field = configField(path);
    if (!field) refused.push({ key: path, value, allowed: siblings(path), unknown: true });
    else if (!configSchema.safeParse(nested(path, value)).success) refused.push(...refusalsOf(field, value));
    else place(config as unknown as Record<string, unknown>, path, structuredCopy(value));
  }
  return { config: configSchema.parse(config), refused };
}

/**
 * Refusals of a value. For a list it names only the bad entries, which a person would hardly find among the good ones.
 */
function refusalsOf(field: ConfigField, value: unknown): SettingRefusal[] {
  const key = field.path;
  if (field.kind !== 'list' || !Array.isArray(value)) return [{ key, value, allowed: allowedValues(field) }];
  const entry = ({ minLength, maxLength, choices }: typeof field) =>
    choices?.join(' | ') ?? `"…" (${minLength}–${maxLength ?? '∞'})`;
  const wrong = value.filter(
    (item) =>
      typeof item !== 'string' ||
      item.length < field.minLength ||
      item.length > (field.maxLength ?? Number.POSITIVE_INFINITY),
  );
  // An entry of the right form may still be invalid: a pattern that would be slow.
  if (wrong.length === 0)
    wrong.push(...value.filter((item) => !configSchema.safeParse(nested(key, [item])).success));
  if (wrong.length === 0) return [{ key, value: `[…] (${value.length})`, allowed: allowedValues(field) }];
  return wrong.map((item: unknown) => ({ key, value: item, allowed: entry(field) }));
}

/**
 * Splits a value that was set at `path` (a key, a group of keys with an object, or one name within a map) into values
 * by key. `undefined` stands for the default.
 */
export function valuesAt(
  config: Config,
  path: string,
  value: unknown,
): { values: ConfigValues; refused: readonly SettingRefusal[] } {
  const values: Record<string, unknown> = {};
  const refused: SettingRefusal[] = [];
  const collect = (at: string, found: unknown) => {
    const map = configFields().find((field) => field.kind === 'map' && at.startsWith(`${field.path}.`));
    if (byPath().has(at)) values[at] = found;
    else if (map) {
      const { [at.slice(map.path.length + 1)]: _, ...others } = configValue(config, map.path) as Record<
        string,
        unknown
      >;
      values[map.path] = found === undefined ? others : { ...others, [at.slice(map.path.length + 1)]: found };
    } else if (!configFields().some((field) => at === '' || field.path.startsWith(`${at}.`)))
      refused.push({ key: at, value: found, allowed: siblings(at), unknown: true });
    else if (found === undefined)
      for (const field of configFields()) {
        if (at === '' || field.path.startsWith(`${at}.`)) values[field.path] = undefined;
      }
    else if (isFields(found))
      for (const [key, inner] of Object.entries(found)) collect(at ? `${at}.${key}` : key, inner);
    else refused.push({ key: at, value: found, allowed: `{ ${siblings(`${at}.`)} }` });
  };
  collect(path, value);
  return { values, refused };
}

/** Key whose entries are refused if they are slow patterns or no patterns. */
const OWN_PATTERNS = 'privacy.own_patterns';

/** Makes the error for refused values. `key`, `value` and `allowed` list several values in the same order. */
export function settingInvalid(refused: readonly SettingRefusal[]): RecollectError {
  const list = (part: (refusal: SettingRefusal) => string) => refused.map(part).join('; ');
  const several = refused.length > 1;
  const params = {
    key: list(({ key }) => key),
    value: list(({ value }) => shown(value)),
    allowed: list(({ key, allowed }) => (several ? `${key}: ${allowed}` : allowed)),
  };
  const code = refused.every(({ key }) => key === OWN_PATTERNS)
    ? 'setting-pattern'
    : refused.every(({ unknown }) => unknown)
      ? 'setting-unknown'
      : 'setting-invalid';
  return new RecollectError(
    code,
    refused
      .map(({ key, value, allowed }) => `${key} cannot be ${shown(value)}; allowed: ${allowed}`)
      .join('. '),
    { params },
  );
}

const shown = (value: unknown): string => {
  // JSON cannot express an infinite number.
  if (typeof value === 'number') return String(value);
  const written = (typeof value === 'string' ? value || '""' : JSON.stringify(value)) ?? String(value);
  return written.length > 80 ? `${written.slice(0, 79)}…` : written;
};

/** Lists the existing names beside an unknown one. */
function siblings(path: string): string {
  const parent = path.slice(0, path.lastIndexOf('.') + 1);
  const names = configFields()
    .filter((field) => field.path.startsWith(parent))
    .map((field) => field.path.slice(parent.length).split('.')[0] as string);
  // If the group does not exist either, list the groups above it.
  return names.length > 0 || parent === '' ? [...new Set(names)].join(', ') : siblings(parent.slice(0, -1));
}

const nested = (path: string, value: unknown): unknown =>
  path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function place(into: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let group = into;
  for (const key of keys) group = group[key] as Record<string, unknown>;
  group[last] = value;
}

/** The configuration is plain data; the ground floor has no structuredClone. */
const structuredCopy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
