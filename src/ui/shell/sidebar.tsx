// The sidebar: new conversation, search, every conversation by day, the other screens, and the status line.
import {
  Archive,
  ArrowLeft,
  Brain,
  MonitorDown,
  PanelLeftClose,
  Search,
  Settings,
  SquarePen,
  Trash2,
} from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useIsPhone } from '../hooks/media.ts';
import { useNavigation } from '../hooks/navigation.tsx';
import { useProposals } from '../hooks/proposals.ts';
import { useSession } from '../hooks/session.tsx';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { ActivityButton } from '../library/activity.tsx';
import { ProjectList } from '../projects/project-list.tsx';
import { useHasAccount } from '../sync/use-sync.ts';
import { AppLink } from './app-link.tsx';
import { Button, Confirm, IconButton, Kbd, keyNames } from './controls.tsx';
import { useConversationActions, useReport } from './conversation-actions.tsx';
import { ConversationList } from './conversation-list.tsx';
import { inView, type SidebarView } from './groups.ts';
import { Logo } from './logo.tsx';
import { useShortcutKeys } from './shortcuts.ts';
import { StatusLine } from './status-line.tsx';

const NAV_ROW =
  'touchable flex h-8 w-full items-center gap-2.5 rounded-sm px-2 text-ink-2 hover:bg-fill hover:text-ink aria-[current]:bg-press aria-[current]:text-ink';

export function Sidebar({ onHide, onOpened }: { onHide: () => void; onOpened: () => void }) {
  const { t } = useTranslation('shell');
  const counts = useViewCounts();
  const [view, setView] = useState<SidebarView>('open');
  useEffect(() => {
    if (view !== 'open' && counts[view] === 0) setView('open');
  }, [view, counts]);
  /** Used to move the focus along when the view changes. */
  const frame = useRef<HTMLDivElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  const shown = useRef<SidebarView>('open');
  const foot = useRef<HTMLDivElement>(null);
  useSidebarFoot(foot);
  /** Container for the actions on the selection. It is not above the list, where it would move rows under a finger. */
  const [strip, setStrip] = useState<HTMLElement | null>(null);
  useEffect(() => {
    const before = shown.current;
    shown.current = view;
    if (before === view || document.activeElement !== document.body) return;
    const to =
      view === 'open' ? frame.current?.querySelector<HTMLElement>(`[data-view=${before}]`) : back.current;
    (to ?? frame.current?.querySelector<HTMLElement>('[data-entry]'))?.focus();
  }, [view]);

  return (
    <div
      ref={frame}
      data-sidebar
      className="more-below flex h-full flex-col overflow-y-auto bg-side [--ground:var(--side)]"
    >
      <SidebarHead onHide={onHide} onOpened={onOpened} onStrip={setStrip} />
      {view !== 'open' && (
        <div className="flex shrink-0 items-center gap-1 px-2 pt-2">
          <IconButton
            ref={back}
            label={t('backToConversations')}
            icon={<ArrowLeft size={16} aria-hidden />}
            onClick={() => setView('open')}
          />
          <h2 className="flex-1 font-semibold">{t(view)}</h2>
          {view === 'trash' && <EmptyTrash />}
        </div>
      )}
      <ProjectList view={view} onOpened={onOpened} />
      <nav aria-label={t('conversations')} className="min-h-36 flex-1">
        <ConversationList key={view} view={view} strip={strip} onOpened={onOpened} />
      </nav>
      {/* Place of notices on a phone. The sidebar scrolls where there is no room for
          both: they never lie on its last rows. */}
      <div className="h-(--notices) shrink-0 md:hidden" />
      <div ref={foot} className="flex shrink-0 flex-col gap-0.5 border-t p-2">
        {view === 'open' && <OtherViews counts={counts} onView={setView} />}
        <Screens onOpened={onOpened} />
        <div className="flex items-center gap-1">
          <StatusLine onOpened={onOpened} />
          <ActivityButton />
        </div>
      </div>
    </div>
  );
}

/** Publishes the upper edge of the drawer's foot as a style of the page, px from below: notices stay above it. */
function useSidebarFoot(foot: RefObject<HTMLElement | null>): void {
  const overlays = useIsPhone();
  useLayoutEffect(() => {
    const element = foot.current;
    if (!overlays || !element) return;
    const { style } = document.documentElement;
    const measure = () => {
      const height = innerHeight - element.getBoundingClientRect().top;
      style.setProperty('--sidebar-foot', `${Math.max(0, Math.round(height))}px`);
    };
    const grown = new ResizeObserver(measure);
    grown.observe(element);
    // The place of notices moves the foot when it grows.
    if (element.previousElementSibling) grown.observe(element.previousElementSibling);
    const sidebar = element.parentElement;
    sidebar?.addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      grown.disconnect();
      sidebar?.removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
      style.removeProperty('--sidebar-foot');
    };
  }, [overlays, foot]);
}

/** Number of conversations that are archived or in the trash. */
function useViewCounts(): { readonly archived: number; readonly trash: number } {
  const entries = useReadable(useApp().documents.library, (library) => library.entries);
  const projects = useReadable(useApp().documents.library, (library) => library.projects);
  return useMemo(() => {
    const all = [...entries, ...projects];
    return {
      archived: all.filter((entry) => inView(entry, 'archived')).length,
      trash: all.filter((entry) => inView(entry, 'trash')).length,
    };
  }, [entries, projects]);
}

/** Name, new conversation, search. */
function SidebarHead({
  onHide,
  onOpened,
  onStrip,
}: {
  onHide: () => void;
  onOpened: () => void;
  /** Called with the container that hides the name while it has content. */
  onStrip: (strip: HTMLElement | null) => void;
}) {
  const { t } = useTranslation('shell');
  const session = useSession();
  const navigation = useNavigation();
  const newKeys = useShortcutKeys('new');
  const paletteKeys = useShortcutKeys('palette');
  const sidebarKeys = useShortcutKeys('sidebar');
  return (
    <>
      <div ref={onStrip} className="peer sticky top-0 z-10 shrink-0 bg-side empty:hidden" />
      <div className="flex h-13 shrink-0 items-center gap-1 pr-2 pl-4 peer-[:not(:empty)]:hidden">
        <Logo className="text-ink" />
        <span className="flex-1 pl-1 font-semibold tracking-tight">Recollect</span>
        <IconButton
          label={t('hideSidebar')}
          shortcut={sidebarKeys}
          icon={<PanelLeftClose size={17} aria-hidden />}
          onClick={onHide}
        />
      </div>
      <div className="flex shrink-0 flex-col gap-0.5 px-2 pb-1">
        <button
          type="button"
          data-begins
          className={NAV_ROW}
          title={keyNames(newKeys).join(' ')}
          onClick={() => {
            session.project.set(null);
            navigation.newConversation();
            onOpened();
            session.composer.get()?.focus();
          }}
        >
          <SquarePen size={16} aria-hidden />
          <span className="flex-1 truncate text-left">{t('newConversation')}</span>
        </button>
        <button
          type="button"
          className={NAV_ROW}
          onClick={() => {
            onOpened();
            session.floating.set('palette');
          }}
        >
          <Search size={16} aria-hidden />
          <span className="flex-1 text-left">{t('search')}</span>
          <Kbd keys={paletteKeys} className="pointer-coarse:hidden" />
        </button>
      </div>
    </>
  );
}

/** Links to the archive and the trash, if they have content. */
function OtherViews({
  counts,
  onView,
}: {
  counts: ReturnType<typeof useViewCounts>;
  onView: (view: SidebarView) => void;
}) {
  const { t } = useTranslation('shell');
  if (counts.archived + counts.trash === 0) return null;
  return (
    <div className="flex gap-0.5">
      {counts.archived > 0 && (
        <button type="button" data-view="archived" className={NAV_ROW} onClick={() => onView('archived')}>
          <Archive size={16} aria-hidden />
          <span className="truncate">{t('archived')}</span>
          <span className="text-ink-3 text-xs">{counts.archived}</span>
        </button>
      )}
      {counts.trash > 0 && (
        <button type="button" data-view="trash" className={NAV_ROW} onClick={() => onView('trash')}>
          <Trash2 size={16} aria-hidden />
          <span className="truncate">{t('trash')}</span>
          <span className="text-ink-3 text-xs">{counts.trash}</span>
        </button>
      )}
    </div>
  );
}

/** Links to the other screens, and the offer to install the app. */
function Screens({ onOpened }: { onOpened: () => void }) {
  const { t } = useTranslation('shell');
  const { device } = useApp();
  const navigation = useNavigation();
  const report = useReport();
  const { route } = navigation;
  const install = useReadable(device.install);
  const waiting = useProposals().length;
  return (
    <>
      <AppLink
        href="/memory"
        className={NAV_ROW}
        aria-current={route.screen === 'memory' ? 'page' : undefined}
        {...(waiting > 0 ? { title: t('toDecide', { count: waiting }) } : {})}
        onOpen={() => {
          navigation.openScreen('memory');
          onOpened();
        }}
      >
        <Brain size={16} aria-hidden />
        {t('memory')}
        {waiting > 0 && (
          <span aria-hidden className="ml-auto truncate text-memory text-xs">
            {t('toDecideShort', { count: waiting })}
          </span>
        )}
      </AppLink>
      <AppLink
        href="/settings"
        className={NAV_ROW}
        aria-current={route.screen === 'settings' ? 'page' : undefined}
        onOpen={() => {
          navigation.openScreen('settings');
          onOpened();
        }}
      >
        <Settings size={16} aria-hidden />
        {t('settings')}
      </AppLink>
      {install && (
        <button
          type="button"
          className={NAV_ROW}
          onClick={() => {
            install().catch(report);
          }}
        >
          <MonitorDown size={16} aria-hidden />
          {t('install')}
        </button>
      )}
    </>
  );
}

/** Erases everything in the trash once the person confirms. */
function EmptyTrash() {
  const { t } = useTranslation(['shell', 'sync']);
  const { documents } = useApp();
  const actions = useConversationActions();
  const everywhere = useHasAccount();
  const [asking, setAsking] = useState(false);
  const { entries, projects } = useReadable(documents.library);
  const trash = useMemo(
    () => [...entries, ...projects].filter((entry) => inView(entry, 'trash')),
    [entries, projects],
  );
  return (
    <>
      <Button size="sm" variant="ghost" onClick={() => setAsking(true)}>
        {t('emptyTrash')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('emptyTrashTitle')}
        action={t('eraseForGood')}
        danger
        onConfirm={() => actions.erase(trash.map((entry) => entry.id))}
      >
        {sentences(
          t('emptyTrashWords', { count: trash.length }),
          everywhere && t('sync:forget.also'),
          t('eraseQuoted'),
        )}
      </Confirm>
    </>
  );
}
