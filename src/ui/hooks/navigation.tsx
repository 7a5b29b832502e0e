// Where the person is, as a real URL: `/`, `/c/<id>?m=<message>`, `/memory/<section>`, `/settings/<section>`, `/pair`. The browser's Back works.
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { asConversationId, asMessageId, type ConversationId, type MessageId } from '../../domain/base/ids.ts';
import { isNotes } from '../../domain/memory/notes.ts';

export type Route =
  | {
      readonly screen: 'conversation';
      readonly conversationId: ConversationId | null;
      readonly messageId: MessageId | null;
    }
  | { readonly screen: 'memory'; readonly section: string }
  | { readonly screen: 'settings'; readonly section: string }
  | { readonly screen: 'pair' };

export interface Navigation {
  readonly route: Route;
  /** Grows with every step: opening the same message twice is two jumps. */
  readonly visit: number;
  /** Whether there is a page of this app to go back to. */
  readonly canGoBack: boolean;
  /** With `replace` the current page is not kept in the history. */
  openConversation(id: ConversationId, messageId?: MessageId | null, options?: { replace?: boolean }): void;
  newConversation(): void;
  openScreen(screen: 'memory' | 'settings' | 'pair', section?: string): void;
  /** One page back; to a new conversation where there is none. */
  back(): void;
}

/** A screen as a whole: for settings the list of sections on a phone, the first one where there is room. */
export const ALL_SECTIONS = '';

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

/** Reads a route from a URL's path and query. Unknown paths are a new conversation. */
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
  if (first === 'memory') return { screen: 'memory', section: second || ALL_SECTIONS };
  if (first === 'settings') return { screen: 'settings', section: second || ALL_SECTIONS };
  if (first === 'pair') return { screen: 'pair' };
  return { screen: 'conversation', conversationId: null, messageId: null };
}

/** The URL of a route: the inverse of `routeOf`. */
export function pathOf(route: Route): string {
  switch (route.screen) {
    case 'memory':
    case 'settings':
      return route.section === ALL_SECTIONS
        ? `/${route.screen}`
        : `/${route.screen}/${encodeURIComponent(route.section)}`;
    case 'pair':
      return '/pair';
    case 'conversation': {
      if (route.conversationId === null) return '/';
      const query = route.messageId === null ? '' : `?m=${encodeURIComponent(route.messageId)}`;
      return `/c/${encodeURIComponent(route.conversationId)}${query}`;
    }
  }
}

interface Place {
  readonly route: Route;
  readonly visit: number;
  readonly depth: number;
}

const depthOf = (state: unknown): number => {
  const depth = (state as { depth?: unknown } | null)?.depth;
  return typeof depth === 'number' ? depth : 0;
};

/** One history per tab: the browser's own. */
function createPlaces() {
  const read = (visit: number): Place => ({
    route: routeOf(location.pathname, location.search),
    visit,
    depth: depthOf(history.state),
  });
  let place = read(0);
  const listeners = new Set<() => void>();
  const announce = () => {
    place = read(place.visit + 1);
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => place,
    subscribe: (listener: () => void) => {
      if (listeners.size === 0) window.addEventListener('popstate', announce);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) window.removeEventListener('popstate', announce);
      };
    },
    go: (route: Route, replace = false) => {
      const path = pathOf(route);
      if (replace || path === location.pathname + location.search)
        history.replaceState({ depth: place.depth }, '', path);
      else history.pushState({ depth: place.depth + 1 }, '', path);
      announce();
    },
  };
}

const NavigationContext = createContext<Navigation | null>(null);

export function NavigationProvider({ children }: { children: ReactNode }) {
  const places = useMemo(createPlaces, []);
  const place = useSyncExternalStore(places.subscribe, places.get);
  const navigation = useMemo<Navigation>(
    () => ({
      route: place.route,
      visit: place.visit,
      canGoBack: place.depth > 0,
      openConversation: (conversationId, messageId = null, options) =>
        places.go(
          isNotes(conversationId)
            ? { screen: 'memory', section: 'notes' }
            : { screen: 'conversation', conversationId, messageId },
          options?.replace,
        ),
      newConversation: () => places.go({ screen: 'conversation', conversationId: null, messageId: null }),
      openScreen: (screen, section = ALL_SECTIONS) =>
        places.go(screen === 'pair' ? { screen } : { screen, section }),
      back: () => {
        if (places.get().depth > 0) history.back();
        else places.go({ screen: 'conversation', conversationId: null, messageId: null }, true);
      },
    }),
    [place, places],
  );
  return <NavigationContext value={navigation}>{children}</NavigationContext>;
}

/** Where the person is and how to go elsewhere. Throws outside of `NavigationProvider`. */
export function useNavigation(): Navigation {
  const navigation = useContext(NavigationContext);
  if (!navigation) throw new Error('useNavigation needs a <NavigationProvider> above it');
  return navigation;
}
