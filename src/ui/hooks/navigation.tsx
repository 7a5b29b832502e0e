// Keeps the person's place as a real URL: `/`, `/c/<id>?m=<message>`, `/p/<project>`, `/memory/<section>`,
// `/settings/<section>`, `/pair`, so that the browser's Back works.
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { asConversationId, asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { isNotes } from '../../domain/memory/notes.ts';
import type { ProjectId } from '../../domain/projects/project.ts';

export type Route =
  | {
      readonly screen: 'conversation';
      readonly conversationId: ConversationId | null;
      readonly messageId: MessageId | null;
    }
  | { readonly screen: 'memory'; readonly section: string }
  | { readonly screen: 'settings'; readonly section: string }
  | { readonly screen: 'project'; readonly projectId: ProjectId; readonly itemId: MessageId | null }
  | { readonly screen: 'pair' };

/** Names the way by which a message was found: the bar above it says so. */
type FoundBy = 'search' | 'memory';

export interface Navigation {
  readonly route: Route;
  /** Null for a message that was opened in another way, e.g. by a link. */
  readonly foundBy: FoundBy | null;
  /** Increases with every step: opening the same message twice is two jumps. */
  readonly visit: number;
  /** Current value of `visit`, for code that has waited. */
  latestVisit(): number;
  /** True if Back or Forward led here. */
  readonly returned: boolean;
  /** True if this app has a page to go back to. */
  readonly canGoBack: boolean;
  /** With `replace` the current page is not kept in the history. */
  openConversation(
    id: ConversationId,
    messageId?: MessageId | null,
    options?: { replace?: boolean; foundBy?: FoundBy },
  ): void;
  /** `item`: one of the project's files. */
  openProject(id: ProjectId, item?: MessageId | null): void;
  newConversation(): void;
  openScreen(screen: 'memory' | 'settings' | 'pair', section?: string): void;
  /** Goes one page back; to a new conversation if there is none. */
  back(): void;
}

/** A screen without a section: for settings the list of sections on a phone, otherwise the first section. */
const ALL_SECTIONS = '';

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    log.debug('A part of the address is not encoded as addresses are', error);
    return '';
  }
};

/** Reads a route from a URL's path and query. Unknown paths give a new conversation. */
export function routeOf(path: string, query: string): Route {
  const [, first = '', encoded = ''] = path.split('/');
  const second = decoded(encoded);
  if (first === 'c' && second) {
    const message = new URLSearchParams(query).get('m');
    return {
      screen: 'conversation',
      conversationId: asConversationId(second),
      messageId: message ? asMessageId(message) : null,
    };
  }
  if (first === 'p' && second) {
    const item = new URLSearchParams(query).get('m');
    return {
      screen: 'project',
      projectId: asConversationId(second),
      itemId: item ? asMessageId(item) : null,
    };
  }
  if (first === 'memory') return { screen: 'memory', section: second || ALL_SECTIONS };
  if (first === 'settings') return { screen: 'settings', section: second || ALL_SECTIONS };
  if (first === 'pair') return { screen: 'pair' };
  return { screen: 'conversation', conversationId: null, messageId: null };
}

/** URL of a route: the inverse of `routeOf`. */
export function pathOf(route: Route): string {
  switch (route.screen) {
    case 'memory':
    case 'settings':
      return route.section === ALL_SECTIONS
        ? `/${route.screen}`
        : `/${route.screen}/${encodeURIComponent(route.section)}`;
    case 'pair':
      return '/pair';
    case 'project': {
      const query = route.itemId === null ? '' : `?m=${encodeURIComponent(route.itemId)}`;
      return `/p/${encodeURIComponent(route.projectId)}${query}`;
    }
    case 'conversation': {
      if (route.conversationId === null) return '/';
      const query = route.messageId === null ? '' : `?m=${encodeURIComponent(route.messageId)}`;
      return `/c/${encodeURIComponent(route.conversationId)}${query}`;
    }
  }
}

interface Position {
  readonly route: Route;
  readonly visit: number;
  readonly returned: boolean;
  /** Number of this app's pages behind the current one. */
  readonly depth: number;
  readonly foundBy: FoundBy | null;
}

/** State kept in a history entry: pages behind it, and how many layers lay over its page. */
const kept = (name: 'depth' | 'layers'): number => {
  const value = (history.state as Record<string, unknown> | null)?.[name];
  return typeof value === 'number' ? value : 0;
};

const keptFoundBy = (): FoundBy | null => {
  const value = (history.state as Record<string, unknown> | null)?.foundBy;
  return value === 'search' || value === 'memory' ? value : null;
};

/**
 * Makes the history of a tab from the browser's own. A layer over a page (drawer, dialog) has its own entry with the
 * same address and depth, so that Back closes it; `layers` counts them:
 * - page: 0; page and drawer: 1; page, drawer and dialog: 2
 * - a layer closed in another way leaves its entry behind: the next layer takes it over, the next
 *   page replaces it, and Back skips it
 */
export function createPlaces() {
  const read = (visit: number, returned: boolean): Position => ({
    route: routeOf(location.pathname, location.search),
    visit,
    returned,
    depth: kept('depth'),
    foundBy: keptFoundBy(),
  });
  let place = read(0, false);
  /** Layers of the current entry. */
  let level = kept('layers');
  const layers: (() => void)[] = [];
  const listeners = new Set<() => void>();
  const announce = (returned: boolean) => {
    place = read(place.visit + 1, returned);
    for (const listener of [...listeners]) listener();
  };
  const coverAll = () => {
    while (level < layers.length) {
      level += 1;
      history.pushState({ depth: place.depth, layers: level, foundBy: place.foundBy }, '');
    }
  };
  const onPop = () => {
    const before = level;
    level = kept('layers');
    const samePage = kept('depth') === place.depth;
    const over = layers.splice(samePage ? level : 0).reverse();
    for (const close of over) close();
    if (samePage && level < before) {
      if (pathOf(place.route) !== pathOf(routeOf(location.pathname, location.search))) announce(true);
      // That layer is already gone, so Back meant the layer that still covers the page, or else the previous page.
      const left = over.length === 0 ? layers.pop() : undefined;
      if (left) left();
      else if (over.length === 0) history.go(-1 - level);
    } else if (!samePage || level === before) announce(true);
  };
  return {
    get: () => place,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) window.addEventListener('popstate', onPop);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) window.removeEventListener('popstate', onPop);
      };
    },
    go: (
      route: Route,
      { replace = false, foundBy = null }: { replace?: boolean; foundBy?: FoundBy | null } = {},
    ) => {
      const path = pathOf(route);
      const same = path === location.pathname + location.search;
      // An entry that a closed layer left becomes a page: as a layer's entry the next page would take its place.
      if (same || (replace && (level === 0 || layers.length > 0)))
        history.replaceState({ depth: place.depth, layers: level, foundBy }, '', path);
      else {
        const state = { depth: place.depth + 1, layers: 0, foundBy };
        if (level > 0) history.replaceState(state, '', path);
        else history.pushState(state, '', path);
        level = 0;
        // Layers that still exist once the new page is drawn cover that page.
        if (layers.length > 0) setTimeout(coverAll);
      }
      announce(false);
    },
    /** One page back, past the layers over this one. */
    back: () => history.go(-1 - level),
    /** Adds a layer over the page; Back calls `close`. Returns a function that removes the layer. */
    cover: (close: () => void) => {
      layers.push(close);
      coverAll();
      return () => {
        const at = layers.indexOf(close);
        if (at >= 0) layers.splice(at, 1);
      };
    },
  };
}

const NavigationContext = createContext<Navigation | null>(null);
const LayersContext = createContext<((close: () => void) => () => void) | null>(null);

export function NavigationProvider({ children }: { children: ReactNode }) {
  const places = useMemo(createPlaces, []);
  const place = useSyncExternalStore(places.subscribe, places.get);
  const navigation = useMemo<Navigation>(
    () => ({
      route: place.route,
      foundBy: place.foundBy,
      visit: place.visit,
      latestVisit: () => places.get().visit,
      returned: place.returned,
      canGoBack: place.depth > 0,
      openConversation: (conversationId, messageId = null, options) =>
        places.go(
          isNotes(conversationId)
            ? { screen: 'memory', section: 'notes' }
            : { screen: 'conversation', conversationId, messageId },
          options,
        ),
      openProject: (projectId, itemId = null) => places.go({ screen: 'project', projectId, itemId }),
      newConversation: () => places.go({ screen: 'conversation', conversationId: null, messageId: null }),
      openScreen: (screen, section = ALL_SECTIONS) =>
        places.go(screen === 'pair' ? { screen } : { screen, section }),
      back: () => {
        if (places.get().depth > 0) places.back();
        else places.go({ screen: 'conversation', conversationId: null, messageId: null }, { replace: true });
      },
    }),
    [place, places],
  );
  return (
    <LayersContext value={places.cover}>
      <NavigationContext value={navigation}>{children}</NavigationContext>
    </LayersContext>
  );
}

/** The same for code that may run before or after the app; then null. */
export const useNavigationIfAny = (): Navigation | null => useContext(NavigationContext);

/** Current place, and functions to go elsewhere. Throws outside of `NavigationProvider`. */
export function useNavigation(): Navigation {
  const navigation = useNavigationIfAny();
  if (!navigation) throw new Error('useNavigation needs a <NavigationProvider> above it');
  return navigation;
}

/**
 * Makes the browser's Back close a layer before it leaves the page. A layer that stays open anyway reports
 * another `state` and covers the page again.
 */
export function useBackCloses(open: boolean, close: () => void, state: unknown = null): void {
  const cover = useContext(LayersContext);
  const closed = useEffectEvent(close);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another `state` covers the page again
  useEffect(() => (open && cover ? cover(() => closed()) : undefined), [open, cover, state]);
}
