// Page shown before the app's code is loaded: the frame, and on a first visit an introduction. The
// build writes it into index.html from the texts of the interface; `public/theme.js` decides what of it
// is shown, `first-paint.ts` removes it.

/** Words that the first page shows in one language. */
export interface FirstWords {
  readonly title: string;
  readonly lead: string;
  readonly ways: readonly { readonly title: string; readonly text: string }[];
  readonly privacy: string;
  readonly placeholder: string;
  /** Name of the field for screen readers. */
  readonly field: string;
}

/** Sizes and colours as in styles.css, which is not loaded yet. */
const STYLE = `
#first-paint{--p:#fff;--w:#fff;--s:#f8f8f6;--l:#e6e6e1;--b:#cfcfc8;--i:#1d1d1b;--i2:#51514c;--i3:#696962;--r:1.6;position:fixed;inset:0;z-index:90;display:flex;pointer-events:none;background:var(--p);color:var(--i);font:.875rem/1.25rem system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","PingFang SC","Hiragino Sans GB","Noto Sans SC","Noto Sans CJK SC","Microsoft YaHei",sans-serif}
[data-theme=dark] #first-paint{--p:#1b1b1a;--w:#232321;--s:#151514;--l:#2f2f2c;--b:#4a4a45;--i:#ecece8;--i2:#b9b9b2;--i3:#9a9a92}
:where(#first-paint) *{box-sizing:border-box;margin:0;padding:0}
:root[data-first-paint=none] #first-paint *,:root:not([data-first-paint=first]) .fp-first,:root[data-first-paint-language=zh] #first-paint [lang=en],:root:not([data-first-paint-language=zh]) #first-paint [lang=zh]{display:none}
:root[data-first-paint-language=zh] #first-paint{--r:1.75}
.fp-side{width:272px;flex:none;background:var(--s);border-right:1px solid var(--l)}
.fp-page{display:flex;flex:1;min-width:0;flex-direction:column}
.fp-middle{flex:1;min-height:0;overflow:hidden;margin-top:52px;display:flex;flex-direction:column;align-items:center;padding:32px 16px 56px}
.fp-first{width:100%;max-width:35rem;margin:auto;padding:17px}
.fp-first h1{text-align:center;text-wrap:balance;font-size:1.75rem;line-height:2.25rem;font-weight:600;letter-spacing:-.025em}
.fp-first p{max-width:28rem;margin:8px auto 0;text-align:center;text-wrap:balance;word-break:keep-all;font-size:1rem;line-height:1.6;color:var(--i2)}
.fp-first ul{margin-top:28px;list-style:none;border:1px solid var(--l);border-radius:10px}
.fp-first li{padding:14px 48px 14px 50px;color:var(--i2)}
.fp-first li+li{border-top:1px solid var(--l)}
.fp-first li b{display:block;color:var(--i);font-weight:600}
.fp-first .fp-private{margin-top:20px;max-width:none;font-size:.875rem;line-height:1.25rem;color:var(--i3)}
.fp-words{width:100%;max-width:42rem;margin:0 auto;padding:0 12px 12px}
.fp-words div{background:var(--w);border:1px solid var(--b);border-radius:20px;padding-bottom:40.4px;font-size:1rem;line-height:var(--r)}
.fp-words textarea{display:block;width:100%;max-height:40dvh;padding:12px 16px 4px;border:0;outline:0;resize:none;background:none;font:inherit;color:var(--i);field-sizing:content;pointer-events:auto}
.fp-words textarea::placeholder{color:var(--i3);opacity:1}
.fp-words textarea:read-only{opacity:.6}
#first-paint[data-field-alone]{background:none}
[data-field-alone] .fp-side,[data-field-alone] .fp-middle{visibility:hidden}
@media (pointer:coarse){.fp-words div{padding-bottom:52px}}
@media (width<720px){.fp-side{display:none}}
:root[data-first-paint-sidebar=hidden] .fp-side,:root[data-first-paint-words=hidden] .fp-words{display:none}
@media not (pointer:coarse){.fp-first .fp-private{margin-bottom:22px}}
@media (width>=480px){.fp-first{padding:25px}}
@media (width>=720px){.fp-words{padding:0 20px 12px}}
`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);

const first = (language: string, { title, lead, ways, privacy }: FirstWords): string =>
  `<div class="fp-first" lang="${language}"><h1>${escaped(title)}</h1><p>${escaped(lead)}</p><ul>${ways
    .map((way) => `<li><b>${escaped(way.title)}</b>${escaped(way.text)}</li>`)
    .join('')}</ul><p class="fp-private">${escaped(privacy)}</p></div>`;

/**
 * HTML for the body, before `#root`. Only its field can be focused and is announced
 * (early-words.ts): the app follows a moment later.
 */
export function staticShell(words: Readonly<Record<'en' | 'zh', FirstWords>>): string {
  const languages = Object.entries(words);
  return [
    `<style>${STYLE.replaceAll('\n', '')}</style>`,
    '<div id="first-paint"><div class="fp-side"></div><div class="fp-page">',
    `<div class="fp-middle" aria-hidden="true" inert>${languages.map(([language, its]) => first(language, its)).join('')}</div>`,
    '<div class="fp-words"><div>',
    ...languages.map(
      ([language, { placeholder, field }]) =>
        `<textarea lang="${language}" dir="auto" rows="1" autocomplete="off" autofocus aria-label="${escaped(field)}" placeholder="${escaped(placeholder)}"></textarea>`,
    ),
    '</div></div></div></div>',
  ].join('');
}
