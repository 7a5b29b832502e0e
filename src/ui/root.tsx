// The whole interface: providers, the frame, and the current screen.
import {
  type ReactNode,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { pause, whenIdle } from '../adapters/browser/idle.ts';
import { isTemporary } from '../domain/base/ids.ts';
import { ignore, log, orElse } from '../domain/base/log.ts';
import type { App } from '../services/app.ts';
import { loadRecall, loadTurns } from '../services/load-ahead.ts';
import { loadComposerParts } from './chat/composer-parts.ts';
import { useLeftTemporary } from './chat/left-temporary.ts';
import { loadOpened } from './chat/opened-part.ts';
import { loadOutcomeView } from './chat/outcomes.tsx';
import { AppProvider, useApp, useReadable } from './hooks/app.tsx';
import { useIsPhone } from './hooks/media.ts';
import { NavigationProvider, pathOf, useBackCloses, useNavigation } from './hooks/navigation.tsx';
import { SessionProvider, useSession } from './hooks/session.tsx';
import { useStoredSwitch } from './hooks/stored.ts';
import { allWords, languageFor, setFirstWords, setLanguage, wholeLanguages } from './i18n/index.ts';
import { useTranslation } from './i18n/use-translation.ts';
import { AnswerNotices } from './shell/answer-notices.ts';
import { DataAlert, StorageNotice, UpdateNotice } from './shell/app-notices.tsx';
import { Arrivals } from './shell/arrivals.ts';
import { AutoLock } from './shell/auto-lock.ts';
import { CheatSheet } from './shell/cheat-sheet.tsx';
import { CleanupNotice } from './shell/cleanup-notice.tsx';
import { Dialog, Sheet, Spinner, TooltipProvider } from './shell/controls.tsx';
import { DropAnywhere } from './shell/drop-anywhere.tsx';
import { isFirstVisit } from './shell/early-words.ts';
import { ErrorBoundary, loaded } from './shell/error-boundary.tsx';
import { FatalScreen } from './shell/fatal-screen.tsx';
import { firstScreen, firstScreenDrawn, keepFirstPaint } from './shell/first-paint.ts';
import { ForgetNotice } from './shell/forget-notice.tsx';
import { sidebarRows } from './shell/groups.ts';
import { SidebarControl } from './shell/header.tsx';
import { useInputDevice } from './shell/input-device.ts';
import { Notices } from './shell/notices.tsx';
import { useShortcuts } from './shell/shortcuts.ts';
import { Sidebar } from './shell/sidebar.tsx';
import { useSwipe } from './shell/swipe.ts';
import { useAppearance, useTheme } from './shell/theme.ts';
import { TabTitle } from './shell/title.ts';
import { useVisibleArea } from './shell/visible-area.ts';
import './sync/pairing-link.ts';
import { useOpenRooms } from './sync/use-sync.ts';

const ConversationScreen = loaded(
  () => import('./chat/conversation-screen.tsx').then((module) => module.ConversationScreen),
  { isFirst: true },
);
const MemoryScreen = loaded(() => import('./memory/memory-screen.tsx').then((module) => module.MemoryScreen));
const SettingsScreen = loaded(() =>
  import('./settings/settings-screen.tsx').then((module) => module.SettingsScreen),
);
const PairScreen = loaded(() => import('./sync/pair-screen.tsx').then((module) => module.PairScreen));
const ProjectScreen = loaded(() =>
  import('./projects/project-screen.tsx').then((module) => module.ProjectScreen),
);
const ProjectWindows = loaded(() =>
  import('./projects/project-windows.tsx').then((module) => module.ProjectWindows),
);
const loadPalette = () => import('./palette/palette.tsx');
const Palette = loaded(() => loadPalette().then((module) => module.Palette));
const loadImport = () => import('./library/import-dialog.tsx');
const ForgetDialog = loaded(() => import('./memory/forget-dialog.tsx').then((module) => module.ForgetDialog));
const ImportDialog = loaded(() => loadImport().then((module) => module.ImportDialog));

/**
 * Longest wait for an idle moment to load parts that are not on the screen yet, and least delay after the first screen,
 * ms: memory starts first, which keeps a phone's cores busy, and a network pause looks like idle time.
 */
const [LOAD_AHEAD_WITHIN_MS, LOAD_AHEAD_AFTER_MS] = [5000, 4000];
/** Loading time that needs no message, ms. */
const SAY_AFTER_MS = 300;

/** Draws nothing until the words are loaded, then follows the language of the settings. */
function Words({ children }: { children: ReactNode }) {
  const { settings } = useApp();
  const chosen = useReadable(settings.config, (config) => config.ui.language);
  const [ready, setReady] = useState(false);
  const isFirst = useRef(true);
  useEffect(() => {
    let wanted = true;
    // As a transition: drawn in one go, the whole app would block a slow phone.
    const shown = () => startTransition(() => setReady(true));
    // Parts that are loaded already asked for all words of another language only.
    const make = isFirst.current && wholeLanguages.get().size === 0 ? setFirstWords : setLanguage;
    isFirst.current = false;
    make(languageFor(chosen, navigator.languages)).then(
      () => wanted && shown(),
      (error: unknown) => {
        log.error('The words of this language could not be read; English is in the bundle', error);
        return setFirstWords('en').then(() => wanted && shown());
      },
    );
    return () => {
      wanted = false;
    };
  }, [chosen]);
  return ready ? children : null;
}

/**
 * A screen is drawn: removes the page before the app; a first visit's words stay until the list is known to be empty.
 */
function FirstPaint(): null {
  const { documents, lock } = useApp();
  const isReady = useReadable(documents.library, (library) => library.ready);
  const isLocking = useReadable(lock.state, ({ phase }) => phase !== 'off');
  useLayoutEffect(() => {
    if (isReady || !isFirstVisit()) firstScreenDrawn();
  }, [isReady]);
  useEffect(() => keepFirstPaint(isLocking ? 'none' : 'page'), [isLocking]);
  return null;
}

function Screen() {
  const { route } = useNavigation();
  switch (route.screen) {
    case 'memory':
      return <MemoryScreen section={route.section} />;
    case 'settings':
      return <SettingsScreen section={route.section} />;
    case 'pair':
      return <PairScreen />;
    case 'project':
      return <ProjectScreen projectId={route.projectId} itemId={route.itemId} />;
    case 'conversation':
      return <ConversationScreen conversationId={route.conversationId} messageId={route.messageId} />;
  }
}

/** Placeholder for content that is still loading. */
function OnItsWay({ children }: { children: ReactNode }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SAY_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
}

/** Loads a dialog's code on demand. If that fails or it cannot be drawn, shows a plain dialog that says so. */
function Window({
  open,
  onClose,
  title,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  children: ReactNode;
}) {
  const { t } = useTranslation('shell');
  const loading = (
    <OnItsWay>
      <Dialog open={open} onOpenChange={onClose} title={title}>
        <Spinner label={t('loading')} className="pb-5 text-ink-2" />
      </Dialog>
    </OnItsWay>
  );
  return (
    <ErrorBoundary
      place={String(open)}
      window={(failed) => (
        <Dialog open={open} onOpenChange={onClose} title={title}>
          {failed}
        </Dialog>
      )}
    >
      <Suspense fallback={loading}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function Frame() {
  const app = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const { t } = useTranslation('shell');
  const phone = useIsPhone();
  const [wanted, setWanted] = useStoredSwitch('sidebar', true);
  const floating = useReadable(session.floating);
  const theme = useReadable(app.settings.config, (config) => config.ui.theme);
  const shown = wanted && !phone;
  const place = pathOf(navigation.route);
  const close = useCallback(() => session.floating.set(null), [session]);
  const openSidebar = useCallback(() => {
    if (phone) session.floating.set('drawer');
    else setWanted(true);
  }, [phone, session, setWanted]);
  const control = useMemo(() => ({ shown, open: openSidebar }), [shown, openSidebar]);
  useTheme();
  useAppearance();
  useInputDevice();
  useVisibleArea();
  useShownConversation();
  useFrameShortcuts(() => {
    if (phone) session.floating.update((now) => (now === 'drawer' ? null : 'drawer'));
    else setWanted(!wanted);
  });
  // Dialogs, menus and other drawers lie outside of the frame.
  const frame = useRef<HTMLDivElement>(null);
  useSwipe(
    'right',
    phone && floating === null,
    (target) => frame.current?.contains(target) ?? false,
    openSidebar,
  );

  return (
    <SidebarControl value={control}>
      <button
        type="button"
        className="sr-only z-[80] rounded-md bg-ink px-3 py-2 text-paper focus:not-sr-only focus:fixed focus:top-[max(0.5rem,var(--safe-top))] focus:left-[max(0.5rem,var(--safe-left))]"
        onClick={() => document.getElementById('main')?.focus()}
      >
        {t('skip')}
      </button>
      {/* Clipped, not hidden: hidden overflow still scrolls when something is brought into
          view, which moved the composer away. */}
      <div
        ref={frame}
        className="relative top-(--visible-top) flex h-[calc(var(--visible-height)-var(--safe-top)-var(--safe-bottom))] overflow-clip"
      >
        {shown && (
          <aside
            aria-label={t('sidebar')}
            className="group/side w-(--sidebar-width) shrink-0 overflow-hidden border-r"
          >
            <ErrorBoundary place={place}>
              <Sidebar onHide={() => setWanted(false)} onOpened={() => undefined} />
            </ErrorBoundary>
          </aside>
        )}
        <Main place={place} />
      </div>
      <Sheet
        open={floating === 'drawer' && phone}
        onOpenChange={close}
        title={t('sidebar')}
        side="left"
        hideTitle
      >
        <ErrorBoundary place={place}>
          <Sidebar onHide={close} onOpened={close} />
        </ErrorBoundary>
      </Sheet>
      <Windows onClose={close} />
      <DropAnywhere />
      <CheatSheet open={floating === 'shortcuts'} onOpenChange={close} />
      <Notices theme={theme === 'auto' ? 'system' : theme} />
    </SidebarControl>
  );
}

/** Shows notices and the screen of the address. */
function Main({ place }: { place: string }) {
  const { t } = useTranslation('shell');
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <TabTitle />
      <AutoLock />
      <AnswerNotices />
      <Arrivals />
      <DataAlert />
      <UpdateNotice />
      <StorageNotice />
      <CleanupNotice />
      <ForgetNotice />
      <main id="main" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        <ErrorBoundary place={place}>
          <Suspense
            fallback={
              <OnItsWay>
                <Spinner label={t('loading')} className="m-auto text-ink-2" />
              </OnItsWay>
            }
          >
            <Screen />
            <FirstPaint />
          </Suspense>
        </ErrorBoundary>
      </main>
    </div>
  );
}

/**
 * Search, import and forget dialogs. They stay mounted once opened, so that closing
 * animates and opening again is instant.
 */
function Windows({ onClose }: { onClose: () => void }) {
  const session = useSession();
  const { t } = useTranslation(['shell', 'library', 'projects', 'forget']);
  const floating = useReadable(session.floating);
  const forgetting = useReadable(session.forgetting);
  const dropped = useReadable(session.dropped);
  const isAhead = useLoadedAhead();
  const asking = useReadable(session.asking);
  const opened = useRef({ palette: false, import: false, projects: false, forget: false });
  opened.current.projects ||= asking !== null;
  if (floating === 'palette' || floating === 'import') opened.current[floating] = true;
  if (forgetting) opened.current.forget = true;
  const closeForgetting = () => session.forgetting.set(null);
  useBackCloses(floating === 'palette', onClose);
  return (
    <>
      <Window open={floating === 'palette'} onClose={onClose} title={t('search')}>
        {(isAhead || opened.current.palette) && (
          <Palette open={floating === 'palette'} onOpenChange={onClose} />
        )}
      </Window>
      <Window open={asking !== null} onClose={() => session.asking.set(null)} title={t('projects:title')}>
        {opened.current.projects && <ProjectWindows />}
      </Window>
      <Window open={floating === 'import'} onClose={onClose} title={t('library:import.title')}>
        {opened.current.import && (
          <ImportDialog
            open={floating === 'import'}
            onOpenChange={() => {
              onClose();
              session.dropped.set(null);
            }}
            {...(dropped ? { files: dropped } : {})}
          />
        )}
      </Window>
      <Window open={forgetting !== null} onClose={closeForgetting} title={t('forget:title')}>
        {opened.current.forget && <ForgetDialog asked={forgetting} onClose={closeForgetting} />}
      </Window>
    </>
  );
}

/**
 * Loads the code of opened conversations, search and import in idle time after the start. Returns
 * true once search and import are loaded.
 */
function useLoadedAhead(): boolean {
  const [isAhead, setAhead] = useState(false);
  useEffect(() => {
    // Loads before it opens, because people type at once and letters would go elsewhere. Also draws it: React delays a
    // first lazy render by a third of a second.
    const search = () => Promise.all([loadPalette(), loadImport()]).then(() => setAhead(true));
    const parts: readonly [load: () => Promise<unknown>, without: string][] = [
      [allWords, 'texts that are not on the first screen; they are loaded with their components'],
      [loadComposerParts, 'parts of the composer; they are loaded with the first words'],
      [search, 'the code of search and import; it is loaded when it is opened'],
      [loadOpened, 'the code of opened conversations; it is loaded when one is opened'],
      [loadRecall, 'the code that asks memory; it is loaded with the first question'],
      [loadTurns, 'the code of turns; it is loaded with the first one'],
      [loadOutcomeView, 'the code of command outcomes; it is loaded with the first one'],
    ];
    const closing = new AbortController();
    const { signal } = closing;
    ignore(
      firstScreen.then(() => pause(LOAD_AHEAD_AFTER_MS, signal)).then(() => loadInTurn(parts, signal)),
      'loading ahead; what is opened is loaded then',
    );
    return () => closing.abort();
  }, []);
  return isAhead;
}

/**
 * Loads one part in each idle moment: all in one would be a long task on a phone,
 * and hold up a hand that begins to type.
 */
async function loadInTurn(
  parts: readonly [load: () => Promise<unknown>, without: string][],
  signal: AbortSignal,
): Promise<void> {
  for (const [load, without] of parts) {
    await whenIdle(LOAD_AHEAD_WITHIN_MS, signal);
    if (signal.aborted) return;
    await orElse(load(), undefined, without);
  }
}

/** Informs session, memory and sync which conversation is on the screen. */
function useShownConversation(): void {
  const { memory } = useApp();
  const session = useSession();
  const { route } = useNavigation();
  const shown = route.screen === 'conversation' ? route.conversationId : null;
  useEffect(() => session.current.set(shown), [session, shown]);
  useEffect(() => {
    // Switching to another conversation ends this one for now: memory need not wait for
    // more messages before it makes vectors.
    if (shown !== null) return () => memory.wake('ended');
    return undefined;
  }, [memory, shown]);
  useLeftTemporary();
  // Sync ignores temporary conversations.
  useOpenRooms(shown !== null && !isTemporary(shown) ? shown : null);
}

/** Keyboard shortcuts that work on every screen. */
function useFrameShortcuts(onToggleSidebar: () => void): void {
  const { documents } = useApp();
  const session = useSession();
  const navigation = useNavigation();
  const toggle = (what: 'palette' | 'shortcuts') => {
    session.floating.update((now) => (now === what ? null : what));
    return undefined;
  };
  const step = (by: 1 | -1) => {
    const ids = sidebarRows(documents.library.get().entries, 'open', Date.now()).flatMap((row) =>
      row.type === 'entry' ? [row.entry.id] : [],
    );
    const current = session.current.get();
    const at = current === null ? (by === 1 ? -1 : ids.length) : ids.indexOf(current);
    const next = ids[at + by];
    if (next) navigation.openConversation(next);
    return undefined;
  };
  useShortcuts({
    palette: () => toggle('palette'),
    shortcuts: () => toggle('shortcuts'),
    new: () => {
      navigation.newConversation();
      session.composer.get()?.focus();
      return undefined;
    },
    sidebar: () => {
      onToggleSidebar();
      return undefined;
    },
    previous: () => step(-1),
    next: () => step(1),
  });
}

function Gate() {
  const { device } = useApp();
  const fatal = useReadable(device.fatal);
  if (fatal) return <FatalScreen problem={fatal} />;
  return (
    <NavigationProvider>
      <SessionProvider>
        <Frame />
      </SessionProvider>
    </NavigationProvider>
  );
}

/** The whole visible app. */
export function Root({ app }: { app: App }) {
  return (
    <AppProvider app={app}>
      <Words>
        <TooltipProvider>
          <Gate />
        </TooltipProvider>
      </Words>
    </AppProvider>
  );
}
