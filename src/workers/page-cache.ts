// Lets a page go that the browser keeps for its back button. WebKit keeps its workers as well, frozen with the locks they hold, and the
// next page in the tab waited for these without end: no index, no second copy, no sync.

/** Ends the worker when its page is put aside, and returns it. */
export function endedWithPage(worker: Worker): Worker {
  window.addEventListener('pagehide', ({ persisted }) => {
    if (persisted) worker.terminate();
  });
  return worker;
}

/** Loads the page anew when it is shown again without its workers. @param reload for tests */
export function reloadWhenShownAgain(reload: () => void = () => location.reload()): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reload();
  });
}
