// What the page shows before the app's code is there says what the app itself says a moment later.
import { expect, it } from 'vitest';
import { type FirstWords, staticShell } from '../../../src/ui/shell/static-shell.ts';

const words = (mark: string): FirstWords => ({
  title: `${mark} <title> & "more"`,
  lead: `${mark} lead`,
  ways: [{ title: `${mark} way`, text: `${mark} text` }],
  privacy: `${mark} private`,
  placeholder: `${mark} placeholder`,
  field: `${mark} field`,
});

it('has the words of both languages, as text', () => {
  const html = staticShell({ en: words('en'), zh: words('zh') });
  for (const mark of ['en', 'zh']) {
    expect(html).toContain(`${mark} &lt;title&gt; &amp; &quot;more&quot;`);
    for (const part of ['lead', 'way', 'text', 'private', 'placeholder', 'field'])
      expect(html).toContain(`${mark} ${part}`);
  }
  expect(html).not.toContain('<title>');
});

it('is nothing that one could reach or hear but for the field of a language, and asks for no file', () => {
  const html = staticShell({ en: words('en'), zh: words('zh') });
  expect(html).toMatch(/<div class="fp-middle" aria-hidden="true" inert>/);
  expect(html.match(/<textarea lang="(en|zh)"[^>]* aria-label="(en|zh) field"/g)).toHaveLength(2);
  expect(html).not.toMatch(/url\(|src=|href=|<script/);
});
