// Suggests a name for a device until its owner gives one.
import i18next from 'i18next';

/** Data that a browser gives on itself and its platform. */
interface BrowserLike {
  readonly userAgent: string;
  readonly maxTouchPoints?: number;
  readonly userAgentData?: {
    readonly platform: string;
    readonly mobile: boolean;
    readonly brands: readonly { readonly brand: string }[];
  };
}

const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Mac/, 'Mac'],
  [/Windows|Win32|Win64/, 'Windows'],
  [/CrOS|Chrome ?OS/, 'Chromebook'],
  [/Linux/, 'Linux'],
];
/** Browsers that others are built on come last. */
const BROWSERS: readonly [RegExp, string][] = [
  [/Edg(?:A|iOS)?\/|Microsoft Edge/, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\/|Samsung Internet/, 'Samsung Internet'],
  [/Vivaldi/, 'Vivaldi'],
  [/Brave/, 'Brave'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Google Chrome|Chromium/, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const first = (list: readonly [RegExp, string][], text: string): string | null =>
  list.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** System and browser as far as the browser reveals them. `phone`, `tablet`: from one of many makers. */
export function deviceOf({ userAgent, maxTouchPoints = 0, userAgentData }: BrowserLike): {
  readonly system: string | null;
  readonly browser: string | null;
} {
  const brands = userAgentData?.brands.map(({ brand }) => brand).join(' ') ?? '';
  const system = first(SYSTEMS, userAgentData?.platform ?? '') ?? first(SYSTEMS, userAgent);
  const browser = first(BROWSERS, brands) ?? first(BROWSERS, userAgent);
  // An iPad claims to be a Mac, but no Mac has a touchscreen.
  if (system === 'Mac' && maxTouchPoints > 1) return { system: 'iPad', browser };
  if (system !== 'Android') return { system, browser };
  return { system: (userAgentData?.mobile ?? /Mobile/.test(userAgent)) ? 'phone' : 'tablet', browser };
}

/** A name for this device in the language of the page. */
export function guessedDeviceName(browser: BrowserLike = navigator): string {
  const { system, browser: name } = deviceOf(browser);
  if (system === 'phone' || system === 'tablet') {
    if (name === null) return i18next.t(`sync:device.${system}`);
    return i18next.t(system === 'phone' ? 'sync:device.onPhone' : 'sync:device.onTablet', { browser: name });
  }
  if (system && name) return i18next.t('sync:device.guess', { system, browser: name });
  return system ?? name ?? i18next.t('sync:device.guessNothing');
}

/** Name of the device that signed a message. Earlier versions signed with the browser's name for its platform. */
export const shownDevice = (signed: string): string =>
  /^(?:MacIntel|MacPPC|Win32|Win64|Linux \S+|iPhone|iPad|Android)$/.test(signed)
    ? (first(SYSTEMS, signed) ?? signed)
    : signed;
