// All words of the interface, in English and Chinese. One file is one namespace: `en/<name>.ts` exports `<name>`,
// `zh/<name>.ts` its twin. The first bundle has English, except for words that the first screen does not use
// (`later`); Chinese is loaded on demand. Components use `useTranslation('<name>')` of `use-translation.ts`;
// `keys.ts` gives TypeScript the existing keys.
import i18next, { type CustomTypeOptions, type Resource, type ResourceKey } from 'i18next';
import { type Readable, writable } from '../../domain/base/readable.ts';

export type Language = 'en' | 'zh';

type Module = Record<string, ResourceKey>;
const english = import.meta.glob<Module>(['./en/*.ts', '!./en/{context,memory,palette,settings}.ts'], {
  eager: true,
});
const englishLater = import.meta.glob<Module>('./en/{context,memory,palette,settings}.ts');
const chinese = import.meta.glob<Module>(['./zh/*.ts', '!./zh/{context,memory,palette,settings}.ts']);
const chineseLater = import.meta.glob<Module>('./zh/{context,memory,palette,settings}.ts');
/** Namespaces loaded after the first screen, or with a part that loads later. */
const later = { en: englishLater, zh: chineseLater };

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1, -'.ts'.length);

function catalogue(modules: Record<string, Module>): Record<string, ResourceKey> {
  const namespaces: Record<string, ResourceKey> = {};
  for (const [path, module] of Object.entries(modules)) {
    const name = nameOf(path);
    const words = module[name];
    if (words === undefined) throw new Error(`${path} must export "${name}"`);
    namespaces[name] = words;
  }
  return namespaces;
}

const LOCALES: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

/** Language for a setting: `auto` uses the browser's preferences. */
export function languageFor(setting: 'auto' | Language, wanted: readonly string[]): Language {
  if (setting !== 'auto') return setting;
  for (const tag of wanted) {
    if (/^zh\b/i.test(tag)) return 'zh';
    if (/^en\b/i.test(tag)) return 'en';
  }
  return 'en';
}

async function load(modules: Record<string, () => Promise<Module>>): Promise<Record<string, ResourceKey>> {
  const loaded = await Promise.all(
    Object.entries(modules).map(async ([path, load]) => [path, await load()] as const),
  );
  return catalogue(Object.fromEntries(loaded));
}

const languageNow = (): Language => (i18next.language === 'zh' ? 'zh' : 'en');

const whole = writable<ReadonlySet<Language>>(new Set());
/** Languages with all words loaded. */
export const wholeLanguages: Readable<ReadonlySet<Language>> = whole;

/**
 * Resolves when all words of the current language are loaded. Rejects if a file is
 * unavailable, and may be called again.
 */
export async function allWords(language = languageNow()): Promise<void> {
  if (whole.get().has(language)) return;
  for (const [name, words] of Object.entries(await load(later[language])))
    i18next.addResourceBundle(language, name, words, true, true);
  whole.update((languages) => new Set([...languages, language]));
}

/** Loads the words of a language; resolves when all are there. Call it again to switch. */
export async function setLanguage(language: Language): Promise<void> {
  if (i18next.isInitialized) await allWords(language);
  await setFirstWords(language);
  await allWords(language);
}

/**
 * The same for the words of the first screen only. Resolves sooner, and is only for the start: a
 * later switch has other screens open.
 */
export async function setFirstWords(language: Language): Promise<void> {
  const resources: Resource = {};
  if (!i18next.isInitialized) resources.en = catalogue(english);
  if (language === 'zh' && !(i18next.isInitialized && i18next.hasResourceBundle('zh', 'shell'))) {
    resources.zh = await load(chinese);
  }
  if (!i18next.isInitialized)
    await i18next.init({
      lng: language,
      fallbackLng: 'en',
      resources,
      ns: [...Object.keys(resources.en ?? {}), ...Object.keys(englishLater).map(nameOf)],
      defaultNS: 'shell',
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  else {
    for (const [name, words] of Object.entries(resources.zh ?? {}))
      i18next.addResourceBundle('zh', name, words, true, true);
    if (i18next.language !== language) await i18next.changeLanguage(language);
  }
  document.documentElement.lang = LOCALES[language];
}

/**
 * Words under a key known only at run time, in the current language; undefined if there are none. `values` fill their
 * placeholders. A component that shows them must also use `useTranslation`, to follow the language.
 */
export function wordsFor(
  namespace: keyof CustomTypeOptions['resources'],
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const options = { ...values, ns: namespace };
  return i18next.exists(key, options) ? String(i18next.t(key as never, options)) : undefined;
}

/** Current locale, for `Intl`. */
export const locale = (): string => LOCALES[languageNow()];

/** Formatters are expensive to create and every row of a list needs them, so keeps one for each locale and format. */
const kept = new Map<string, unknown>();
function formatter<F>(shape: string, make: (locale: string) => F): F {
  const key = `${locale()} ${shape}`;
  const known = kept.get(key);
  if (known !== undefined) return known as F;
  const made = make(locale());
  kept.set(key, made);
  return made;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Local day as a number that grows by one each day, however long the day was. */
const dayOf = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;

/**
 * Past time in words: "3 days ago", "昨天"; times in ms since 1970. From one day on it counts local days, months and
 * calendar years, as "yesterday" does, but weeks by length. A future time is a fast clock's, and counts as now.
 */
export function formatRelative(told: number, now = Date.now()): string {
  const date = Math.min(told, now);
  const named = formatter('relative', (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }));
  const counted = formatter('counted', (tag) => new Intl.RelativeTimeFormat(tag));
  const away = date - now;
  const size = Math.abs(away);
  if (size < MINUTE) return named.format(0, 'second');
  if (size < HOUR) return counted.format(Math.trunc(away / MINUTE), 'minute');
  if (size < DAY) return counted.format(Math.trunc(away / HOUR), 'hour');
  const [there, here] = [new Date(date), new Date(now)];
  const days = dayOf(there) - dayOf(here);
  const years = there.getFullYear() - here.getFullYear();
  const months = years * 12 + there.getMonth() - here.getMonth();
  if (Math.abs(days) < 7) return named.format(days, 'day');
  if (Math.abs(days) < 30 || months === 0) return counted.format(Math.trunc(days / 7), 'week');
  if (Math.abs(days) < 365 || years === 0) return named.format(months, 'month');
  return named.format(years, 'year');
}

/** Exact time, for titles and screen readers. ms since 1970. */
export const formatExact = (date: number): string =>
  formatter('exact', (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'short' })).format(
    date,
  );

/** Short date and time for narrow places: "26 Nov, 14:05". ms since 1970. */
export const formatDayTime = (date: number): string =>
  formatter(
    'dayTime',
    (tag) =>
      new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' }),
  ).format(date);

/** Time of day, for lists under a day's heading: "14:05". ms since 1970. */
export const formatTimeOfDay = (date: number): string =>
  formatter('time', (tag) => new Intl.DateTimeFormat(tag, { timeStyle: 'short' })).format(date);

/** Date without time, e.g. "21 Nov 2026". ms since 1970. */
export const formatDate = (date: number): string =>
  formatter('date', (tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'medium' })).format(date);

/** Number in the locale's notation. */
export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  formatter(`number ${JSON.stringify(options)}`, (tag) => new Intl.NumberFormat(tag, options)).format(value);

/** Names one after the other, as the language separates them. */
export const formatList = (names: readonly string[]): string =>
  names.join(languageNow() === 'zh' ? '、' : ', ');

/** Name of a language by its BCP 47 tag: "British English", "中文（中国）". */
export const languageName = (language: string): string =>
  formatter('language', (tag) => new Intl.DisplayNames(tag, { type: 'language' })).of(language) ?? language;

/** 0–1 as a percentage. */
export const formatPercent = (share: number, digits = 0): string =>
  formatNumber(share, { style: 'percent', maximumFractionDigits: digits });

/** Most digits after the point that `Intl` takes in every browser. */
const MOST_DIGITS = 20;

/**
 * Money, whole or with all of its cents: "$2", "$0.10". `currency`: ISO 4217.
 * @param significant how many digits it keeps where it has them: "$0.0012"
 */
export function formatPrice(
  { amount, currency }: { amount: number; currency: string },
  significant = 2,
): string {
  const style = { style: 'currency', currency } as const;
  const cents = formatter(
    `cents ${currency}`,
    (tag) => new Intl.NumberFormat(tag, style).resolvedOptions().maximumFractionDigits ?? 2,
  );
  const needed = amount === 0 ? 0 : significant - 1 - Math.floor(Math.log10(Math.abs(amount)));
  const digits = Math.min(Math.max(cents, needed), MOST_DIGITS);
  return Number.isInteger(Number(amount.toFixed(digits)))
    ? formatNumber(amount, { ...style, minimumFractionDigits: 0, maximumFractionDigits: 0 })
    : formatNumber(amount, { ...style, minimumFractionDigits: cents, maximumFractionDigits: digits });
}

/** Bytes in the largest unit that gives at least 1, with at most one decimal. */
export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
  let [value, at] = [bytes, 0];
  while (Math.abs(value) >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return formatNumber(value, {
    style: 'unit',
    unit: units[at] as string,
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: at === 0 || value >= 100 ? 0 : 1,
  });
}

/** Duration in ms: "0.8 s", "42 s", "3 min". */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  const unit = (value: number, name: string, digits: number) =>
    formatNumber(value, {
      style: 'unit',
      unit: name,
      unitDisplay: name === 'second' ? 'narrow' : 'short',
      maximumFractionDigits: digits,
    });
  if (seconds < 10) return unit(seconds, 'second', 1);
  if (seconds < 90) return unit(seconds, 'second', 0);
  if (seconds < 5400) return unit(seconds / 60, 'minute', 0);
  return unit(seconds / 3600, 'hour', 1);
}
