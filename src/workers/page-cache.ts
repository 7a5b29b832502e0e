// Ends the workers of a page that the browser keeps for its back button (back/forward cache). WebKit keeps
// them frozen with the Web Locks that they hold, so that the next page in the tab would wait for these without
// end: no index, no second copy, no sync.

/** Returns the worker, which from now on ends when its page goes to the cache. */
export function endedWithPage(worker: Worker): Worker {
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted) worker.terminate();
  });
  return worker;
}

/** Reloads the page when it comes back from the cache, since its workers have ended. `reload`: for tests. */
export function reloadWhenShownAgain(reload: () => void = () => location.reload()): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reload();
  });
}
