// Writes `test/fixtures/embedding/sample-vectors.json`: what the bundled models give in Node, to compare other places
// with. `npx tsx test/adapters/embedding/write-sample-vectors.ts`, after a change of models.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { BUNDLED_MODELS } from '../../../src/adapters/embedding/bundled-models.ts';
import { createInProcessLocalEmbedding } from './in-process.ts';

const texts = [
  'Where did we go on holiday last summer?',
  'Every night at three pg_dump writes a dump of Postgres, which is copied to the other building.',
  'const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);',
  '我们的数据库备份每天凌晨执行，保存在另一台机器上。',
  '上次说的 rate limit 是多少',
  `Long: ${'the meeting about the garden was moved to Thursday afternoon, '.repeat(30)}`,
];
const models = resolve(import.meta.dirname, '../../../public/models');
const vectors: Record<string, number[][]> = {};
for (const { id } of BUNDLED_MODELS) {
  const provider = createInProcessLocalEmbedding({ models, config: { model: id } });
  const found = await provider.embed(texts, { kind: 'passage', signal: new AbortController().signal });
  vectors[id] = found.map((vector) => Array.from(vector, (value) => Number(value.toFixed(4))));
  await provider.close();
}
writeFileSync(
  resolve(import.meta.dirname, '../../fixtures/embedding/sample-vectors.json'),
  `${JSON.stringify({ texts, vectors })}\n`,
);
