// One household is one address, however its addresses are written: otherwise the limits of each would hold nobody back.
import { expect, it } from 'vitest';
import { Admission } from '../../src/relay/admission.ts';
import { createMetrics } from '../../src/relay/metrics.ts';
import { readOptions } from '../../src/relay/options.ts';
import type { RelayStore } from '../../src/relay/store.ts';

const admission = () =>
  new Admission({ store: {} as RelayStore, options: readOptions([], {}), metrics: createMetrics() });

it.each([
  [
    '2001:db8::1',
    '2001:db8::2',
    '2001:db8::a:b',
    '2001:db8:0:0:1:2:3:4',
    '2001:0DB8::1:2:3:4',
    '2001:db8::%eth0',
  ],
  ['2001:db8:1::a', '2001:db8:1:0:1:2:3:4', '2001:db8:1::', '[2001:db8:1::b]:4711', '[2001:db8:1::b]'],
  ['2001:db8:0:1::5', '2001:db8:0:1:a:b:c:d'],
  ['192.0.2.7', '::ffff:192.0.2.7', '192.0.2.7:4711', '192.0.2.7:4712'],
  ['::1', '::1%lo'],
])('%s is one address with all of its network', (first, ...others) => {
  const addresses = admission();
  for (const other of others) expect(addresses.address(other)).toBe(addresses.address(first));
});

it('other networks are other addresses', () => {
  const addresses = admission();
  const all = ['2001:db8::1', '2001:db8:0:1::1', '2001:db9::1', '192.0.2.7', '192.0.2.8', '::1', ''];
  expect(new Set(all.map((one) => addresses.address(one))).size).toBe(all.length);
});
