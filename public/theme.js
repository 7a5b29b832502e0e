// Runs before the first paint: light or dark, as it was chosen last or as the system has it. The app keeps it up to date (src/ui/shell/theme.ts).
// The page's policy forbids eval. zod would try it for speed when the first schema is made, and the refusal would be reported as a violation:
// it is told not to, here, because no module can be sure to run before all schemas.
globalThis.__zod_globalConfig = { jitless: true };

(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('recollect.theme') ?? 'auto';
  } catch {
    // Storage is blocked: the system decides.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const { dataset } = document.documentElement;
  dataset.theme = dark ? 'dark' : 'light';
  // What shows before the app is there (src/ui/shell/static-shell.ts): on the first visit what the app is, later its frame.
  let shown = 'first';
  try {
    shown = localStorage.getItem('recollect.first-paint') ?? 'first';
    if (localStorage.getItem('recollect.sidebar') === '0') dataset.firstPaintSidebar = 'hidden';
  } catch {
    // Storage is blocked: every visit is the first.
  }
  const isOther = location.pathname !== '/';
  dataset.firstPaint = shown === 'first' && isOther ? 'page' : shown;
  // Only a conversation has a field to write in.
  if (isOther && !location.pathname.startsWith('/c/')) dataset.firstPaintWords = 'hidden';
  if (/^zh\b/i.test(navigator.language)) dataset.firstPaintLanguage = 'zh';
})();
