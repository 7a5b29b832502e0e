// Tells if the empty page is on the screen.
import { routeOf } from '../hooks/navigation.tsx';

/** Asked of the address itself: whoever waited for something may have been led elsewhere meanwhile, and must not be pulled back. */
export function isEmptyPage({ pathname, search }: Pick<Location, 'pathname' | 'search'> = location): boolean {
  const route = routeOf(pathname, search);
  return route.screen === 'conversation' && route.conversationId === null;
}
