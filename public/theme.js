// Runs before the first paint: light or dark, as it was chosen last or as the system has it. The app keeps it up to date (src/ui/shell/theme.ts).
(() => {
  let chosen = 'auto';
  try {
    chosen = localStorage.getItem('recollect.theme') ?? 'auto';
  } catch {
    // Storage is blocked: the system decides.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
