// Our own JSON with what our exporter would not write.
import { describe, expect, it } from 'vitest';
import { json } from '../../../src/adapters/exporters/json.ts';
import { recollect } from '../../../src/adapters/importers/recollect.ts';
import { sourceOf } from '../../fixtures/files.ts';
import { sampleArchive } from '../../fixtures/recollect.ts';
import { readAll } from '../../suites/importer.suite.ts';

describe('times that no calendar names', () => {
  it('become the nearest that one does, and are counted', async () => {
    for (const wild of ['1e20', '-1e20', '1e308']) {
      const archive = Buffer.from(await sampleArchive(json))
        .toString()
        .replaceAll(/"createdAt":\s*\d+/g, `"createdAt":${wild}`);
      const { conversations, skipped } = await readAll(
        recollect,
        sourceOf('own.json', { 'own.json': archive }),
      );
      const [conversation] = conversations;
      const times = [
        conversation?.meta.createdAt,
        ...(conversation?.messages ?? []).map(({ createdAt }) => createdAt),
      ];
      expect(times.length).toBeGreaterThan(2);
      for (const time of times) expect(() => new Date(time ?? Number.NaN).toISOString()).not.toThrow();
      expect(skipped['impossible-time']).toBeGreaterThan(1);
    }
  });
});
