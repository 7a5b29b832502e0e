// What can be done with a block of code in an answer: its lines wrap, it is saved as a file, and SVG
// is drawn where it can reach nothing.
import { expect, it, onTestFinished, vi } from 'vitest';
import { page } from 'vitest/browser';
import { createTestApp, show } from '../harness.tsx';

/** Shows an answer that is one block of code. */
async function answered(code: string, language: string) {
  const app = await createTestApp({
    *reply() {
      yield { type: 'text-delta', text: `\`\`\`${language}\n${code}\n\`\`\`` };
    },
  });
  const id = await app.say('Write it.');
  await app.idle(id);
  await show(app, `/c/${id}`);
}

it('wraps long lines where one asks for it, and scrolls them again', async () => {
  await answered(`const long = "${'words '.repeat(200)}";`, 'ts');
  const code = page.getByRole('region', { name: 'Code', exact: true });
  await expect.element(code).toBeVisible();
  const isCut = () => code.element().scrollWidth > code.element().clientWidth;
  const wrap = page.getByRole('button', { name: 'Wrap lines' });
  expect(isCut()).toBe(true);
  await wrap.click();
  await expect.element(wrap).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(isCut).toBe(false);
  await wrap.click();
  await expect.poll(isCut).toBe(true);
});

it.each([
  ['python', 'code.py'],
  ['C++', 'code.txt'],
])('saves %s byte for byte, as %s', async (language, name) => {
  const code = '\tif a:\n\n  PATH=$HOME/bin:$PATH # é 👋 <b>&amp;</b>\r\n\tb  ';
  const files = vi.spyOn(URL, 'createObjectURL');
  const named: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    named.push(this.download);
  });
  onTestFinished(() => {
    files.mockRestore();
    click.mockRestore();
  });
  await answered(code, language);
  await page.getByRole('button', { name: 'Download code' }).click();
  await expect.poll(() => named).toEqual([name]);
  const blob = files.mock.lastCall?.[0] as Blob;
  expect(new Uint8Array(await blob.arrayBuffer())).toEqual(new TextEncoder().encode(code));
});

it.each(['svg', 'xml'])(
  'draws SVG (%s) when asked, in a frame without an origin and without network',
  async (language) => {
    const outside = `${location.origin}/icons/icon.svg`;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><rect width="120" height="80" fill="teal"/>
<image href="${outside}" width="9" height="9"/>
<script>
  const blocked = new Set();
  const refused = async (act) => { try { await act(); return false; } catch { return true; } };
  const tell = async () => {
    const all = await Promise.all([
      refused(() => fetch('${outside}')),
      refused(() => parent.document.body),
      refused(() => top.document.body),
      refused(() => localStorage.length),
    ]);
    const { width } = document.querySelector('rect').getBoundingClientRect();
    parent.parent.postMessage({ drawn: width, refused: all, blocked: [...blocked].sort() }, '*');
  };
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => { blocked.add(effectiveDirective); tell(); });
  tell();
</script></svg>`;
    const told: { readonly origin: string; readonly data: unknown }[] = [];
    const hear = ({ origin, data }: MessageEvent) => {
      if (typeof data === 'object' && data !== null && 'drawn' in data) told.push({ origin, data });
    };
    addEventListener('message', hear);
    onTestFinished(() => removeEventListener('message', hear));
    await answered(drawing, language);
    const preview = page.getByRole('button', { name: 'Preview' });
    await expect.element(preview).toBeVisible();
    expect(document.querySelector('.code-block iframe')).toBeNull();
    await preview.click();
    await expect
      .poll(() => told.at(-1))
      .toEqual({
        origin: 'null',
        data: { drawn: 120, refused: [true, true, true, true], blocked: ['connect-src', 'img-src'] },
      });
    const outer = document.querySelector<HTMLIFrameElement>('.code-block iframe');
    const inner = outer?.contentDocument?.querySelector('iframe');
    expect(inner?.getAttribute('sandbox')?.split(' ')).not.toContain('allow-same-origin');
    expect(inner?.contentDocument).toBeNull();
    await page.getByRole('button', { name: 'Show the code' }).click();
    await expect
      .element(page.getByRole('region', { name: 'Code', exact: true }))
      .toHaveTextContent('fill="teal"');
  },
);
