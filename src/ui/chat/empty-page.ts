// Reports whether the empty page is on screen.
import { routeOf } from '../hooks/navigation.tsx';

/** Reads the address itself: after a wait the person may have navigated away and must not be pulled back. */
export function isEmptyPage({ pathname, search }: Pick<Location, 'pathname' | 'search'> = location): boolean {
  const route = routeOf(pathname, search);
  return route.screen === 'conversation' && route.conversationId === null;
}
