// Says so when the app does not come up, and mends its files. A script of its own, without the app's code: that may be what is damaged.
(() => {
  /** Nothing was drawn for so long after the page was read, ms: something that was asked for never came. */
  const STUCK_MS = 20_000;
  /** So long after the page was read the app's code is asked for at the latest, painted or not, ms. */
  const PAINTED_WITHIN_MS = 1_000;
  const zh = /^zh\b/i.test(navigator.language);
  const TEXTS = zh
    ? {
        stuck: (file) => `Recollect 没有正常启动：它的${file ? `文件 ${file} ` : '某个文件'}缺失或已损坏。你的对话没有受到影响。`,
        offline: '没有网络，无法重新下载文件。请联网后再试。',
        repair: '修复并重新加载',
      }
    : {
        stuck: (file) =>
          `Recollect did not start: ${file ? `its file ${file}` : 'a file of it'} is missing or damaged. Your conversations are untouched.`,
        offline: 'Its files cannot be fetched again without a network. Go online, then try again.',
        repair: 'Repair and reload',
      };

  const once = (act) => {
    let done = false;
    return () => {
      if (!done) act();
      done = true;
    };
  };

  /** In the session of the tab: the files were fetched anew once already. */
  const MARK = 'recollect.repaired';
  const wasRepaired = () => {
    try {
      const before = sessionStorage.getItem(MARK) !== null;
      sessionStorage.setItem(MARK, 'yes');
      return before;
    } catch (error) {
      console.debug('Some private modes refuse the session storage', error);
      return false;
    }
  };

  /**
   * Lets go of the kept copies of the app, never of anything a person said, and loads it anew. The service worker fetches what it misses. Only where
   * that did not help it is let go of, too: beside another open tab Chromium never says that the one registered after it is ready.
   */
  const repair = async (note) => {
    const reached = await fetch('/service-worker.js', { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!reached) {
      note.textContent = TEXTS.offline;
      return;
    }
    for (const name of await caches.keys())
      if (name.startsWith('workbox-precache')) await caches.delete(name);
    const again = wasRepaired();
    for (const registration of await navigator.serviceWorker.getRegistrations())
      if (again) await registration.unregister();
      else await registration.update().catch((error) => console.debug('No newer version could be looked for', error));
    location.reload();
  };

  // The app's code, named by the build. A first visit fetches it over the network: it is asked for once the page is painted, and holds up nothing.
  const { app, needs, ahead } = document.currentScript.dataset;
  const add = (element, given) => {
    element.crossOrigin = '';
    document.head.append(Object.assign(element, given));
  };
  const isThere = (sheet) =>
    sheet.sheet !== null ||
    new Promise((resolve) => {
      sheet.addEventListener('load', resolve);
      sheet.addEventListener('error', resolve);
    });
  /** A script that is added runs as soon as it came: the page must be read by then, and its styles be there. */
  const run = async () => {
    await Promise.all([...document.querySelectorAll('link[rel=stylesheet]')].map(isThere));
    add(document.createElement('script'), { type: 'module', src: app, async: false });
  };
  const load = once(() => {
    add(document.createElement('link'), { rel: 'modulepreload', href: app });
    // Each is read in a task of its own, in this order: whichever came first would have all it imports read with it.
    for (const src of needs.split(' ')) add(document.createElement('script'), { type: 'module', src, async: false });
    // The screen of a conversation, old or new, which the app draws once it has been read: it comes behind the app's code.
    if (ahead && /^\/(?:c\/|$)/.test(location.pathname))
      for (const href of ahead.split(' '))
        add(document.createElement('link'), { rel: 'modulepreload', href, fetchPriority: 'low' });
    if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', run);
    else run();
  });
  if (app) {
    const isFirst = document.documentElement.dataset.firstPaint === 'first';
    const tellsPaint = globalThis.PerformanceObserver?.supportedEntryTypes?.includes('paint');
    if (!isFirst || document.hidden || !tellsPaint) load();
    else {
      new PerformanceObserver((seen) => seen.getEntriesByName('first-contentful-paint').length > 0 && load()).observe({
        type: 'paint',
        buffered: true,
      });
      // A tab that goes to the background meanwhile is never painted.
      addEventListener('load', () => setTimeout(load, PAINTED_WITHIN_MS));
    }
  }

  // What happens in the field before the app is there is noted for the composer that takes it over (src/ui/shell/early-words.ts).
  const early = (type, note) =>
    document.addEventListener(type, (event) => event.target.closest?.('#first-paint textarea') && note(event.target, event));
  early('compositionstart', ({ dataset }) => (dataset.composing = ''));
  early('compositionend', ({ dataset }) => delete dataset.composing);
  early('keydown', (field, event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    if (key !== 'Enter' || shiftKey || altKey || event.isComposing || event.keyCode === 229) return;
    // A keyboard on the glass breaks the line with it.
    if (field.value.trim() === '' || matchMedia('(pointer: coarse) and (hover: none)').matches) return;
    event.preventDefault();
    field.readOnly = true;
    field.dataset.pressed = JSON.stringify({ key, code: event.code, ctrlKey, metaKey });
  });

  let said = false;
  const say = (file) => {
    const root = document.getElementById('root');
    if (said || !root || root.childNodes.length > 0) return;
    said = true;
    const typed = [...document.querySelectorAll('#first-paint textarea')].map(({ value }) => value).join('');
    document.getElementById('first-paint')?.remove();
    document.documentElement.lang = zh ? 'zh' : 'en';
    const box = document.createElement('div');
    box.style.cssText = 'font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1rem';
    const words = document.createElement('p');
    words.setAttribute('role', 'alert');
    words.textContent = TEXTS.stuck(file);
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = TEXTS.repair;
    button.style.cssText = 'font:inherit;min-height:44px;padding:0 1rem';
    const note = document.createElement('p');
    note.setAttribute('role', 'status');
    button.addEventListener('click', () => {
      // Without caches and service worker there is nothing to let go of, and a reload asks the network.
      repair(note).catch(() => location.reload());
    });
    box.append(words, button, note);
    // Nothing that was typed goes with the page.
    if (typed !== '') box.append(Object.assign(document.createElement('p'), { textContent: typed }));
    root.append(box);
  };

  // In the capture phase errors of scripts that do not load are heard, too; those of pictures say nothing of the app.
  addEventListener(
    'error',
    ({ target, filename }) => {
      if (target !== window && !/^(?:SCRIPT|LINK)$/.test(target?.tagName ?? '')) return;
      const address = target === window ? filename : (target.src ?? target.href);
      setTimeout(say, 1_000, address?.split('/').at(-1));
    },
    { capture: true },
  );
  addEventListener('load', () => setTimeout(say, STUCK_MS, ''));
})();
