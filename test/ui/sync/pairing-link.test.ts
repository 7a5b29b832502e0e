// What is a pairing link, and where the app keeps its screen.
import { expect, it } from 'vitest';
import { fingerprintOf, fragmentOf } from '../../../src/domain/sync/pairing.ts';
import { pathOf, routeOf } from '../../../src/ui/hooks/navigation.tsx';
import { deviceOf, shownDevice } from '../../../src/ui/sync/device-name.ts';
import { isPairingFragment, PAIR_PATH } from '../../../src/ui/sync/pairing-link.ts';

it('the fragment of every offer is recognised, other fragments are left alone', () => {
  const key = new Uint8Array(32).fill(1);
  const offer = {
    key,
    fingerprint: fingerprintOf(key),
    endpoint: 'wss://r.example',
    realm: '',
    token: null,
    index: null,
  };
  expect(isPairingFragment(fragmentOf(offer))).toBe(true);
  for (const other of ['', '#', '#repair=1', '#section']) expect(isPairingFragment(other)).toBe(false);
});

it('its screen has an address without secrets', () => {
  expect(routeOf(PAIR_PATH, '')).toEqual({ screen: 'pair' });
  expect(pathOf({ screen: 'pair' })).toBe(PAIR_PATH);
});

it('devices are called by system and browser', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1';
  expect(deviceOf({ userAgent: chrome })).toEqual({ system: 'Linux', browser: 'Chrome' });
  expect(deviceOf({ userAgent: safari })).toEqual({ system: 'iPhone', browser: 'Safari' });
  expect(deviceOf({ userAgent: '' })).toEqual({ system: null, browser: null });
  expect(
    deviceOf({ userAgent: chrome.replace('X11; Linux x86_64', 'Macintosh'), maxTouchPoints: 5 }),
  ).toEqual({
    system: 'iPad',
    browser: 'Chrome',
  });
  const hints = (platform: string, mobile: boolean, ...names: string[]) => ({
    userAgent: chrome,
    userAgentData: { platform, mobile, brands: names.map((brand) => ({ brand })) },
  });
  expect(deviceOf(hints('Android', true, 'Not A;Brand', 'Chromium', 'Google Chrome'))).toEqual({
    system: 'phone',
    browser: 'Chrome',
  });
  expect(deviceOf(hints('Android', false, 'Chromium', 'Samsung Internet')).system).toBe('tablet');
  expect(deviceOf(hints('Windows', false, 'Chromium', 'Microsoft Edge'))).toEqual({
    system: 'Windows',
    browser: 'Edge',
  });
});

it('older signatures of messages are shown as systems, names as they are', () => {
  expect(['MacIntel', 'Win32', 'Linux armv8l', 'Linux on my desk', 'Chrome on Mac'].map(shownDevice)).toEqual(
    ['Mac', 'Windows', 'Linux', 'Linux on my desk', 'Chrome on Mac'],
  );
});
