// Where the files that the build assembled are not to be had, recall by meaning comes all the same: by ONNX Runtime, and by plain comparison.
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

// The service worker would answer in place of the route.
test.use({ serviceWorkers: 'block' });

for (const [how, answer] of [
  ['nothing', { status: 404 }],
  ['its start page', { status: 200, contentType: 'text/html', body: '<!doctype html><title>memory</title>' }],
] as const)
  test(`recall by meaning comes where the server has ${how} in place of assembled files`, async ({
    context,
    page,
  }) => {
    const asked = new Set<string>();
    await context.route(/\/assets\/assembly-/, (route) => {
      asked.add(new URL(route.request().url()).pathname.split('/').at(-1) ?? '');
      return route.fulfill(answer);
    });
    await openApp(page);
    await bringExport(page, chatgptHistory(HISTORY));
    await remembered(page);
    await recallsByMeaning(page);
    expect([...asked].sort()).toEqual(['encoder-plain.wasm', 'encoder.wasm', 'late-tables.wasm']);
  });
