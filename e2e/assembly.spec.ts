// Where the files that the build assembled are not to be had, or come with a wrong type, recall by meaning comes all
// the same: by ONNX Runtime, and by plain comparison.
import {
  bringExport,
  chatgptHistory,
  expect,
  HISTORY,
  openApp,
  recallsByMeaning,
  remembered,
  test,
} from './app.ts';

test.use({ firstStart: true });

// The service worker would answer in place of the route.
test.use({ serviceWorkers: 'block' });

for (const [how, answer] of [
  ['nothing', { status: 404 }],
  ['its start page', { status: 200, contentType: 'text/html', body: '<!doctype html><title>memory</title>' }],
  ['a wrong type', { contentType: 'text/plain' }],
] as const)
  test(`recall by meaning comes where the server has ${how} in place of assembled files`, async ({
    context,
    page,
  }) => {
    const asked = new Set<string>();
    await context.route(/\/assets\/assembly-/, async (route) => {
      asked.add(new URL(route.request().url()).pathname.split('/').at(-1) ?? '');
      // The bytes are right where only the type is wrong.
      await route.fulfill('status' in answer ? answer : { response: await route.fetch(), ...answer });
    });
    await openApp(page);
    await bringExport(page, chatgptHistory(HISTORY));
    await remembered(page);
    await recallsByMeaning(page);
    // Right bytes do whatever their type is called: nothing stands in for them.
    const instead = 'status' in answer ? ['encoder-plain.wasm'] : [];
    expect([...asked].sort()).toEqual([...instead, 'encoder.wasm', 'late-tables.wasm']);
  });
