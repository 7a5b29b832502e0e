// Notifications of the system: of the page where it may make them, else of the service worker. The system keeps them
// for as long as nobody reads them, so they are closed as soon as they say too much.

/** Notices of this page, which no other thread can close. */
const own = new Set<Notification>();

const registrationOf = async (): Promise<ServiceWorkerRegistration | undefined> =>
  await (navigator as Partial<Navigator>).serviceWorker?.getRegistration();

/**
 * Shows a notice about a conversation, in the place of an earlier one about it. Desktop pages can create notifications
 * themselves; phones allow that only to the service worker, which opens the conversation without `onClick`.
 */
export async function showSystemNotice(
  title: string,
  { body, conversation }: { readonly body?: string; readonly conversation: string },
  onClick: () => void,
): Promise<void> {
  const options = { ...(body ? { body } : {}), tag: conversation, data: { conversation } };
  let notice: Notification;
  try {
    notice = new Notification(title, options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    await (await registrationOf())?.showNotification(title, options);
    return;
  }
  own.add(notice);
  const gone = new AbortController();
  // Nobody could close it once its page is gone.
  addEventListener('pagehide', () => notice.close(), { signal: gone.signal });
  notice.onclick = () => {
    focus();
    onClick();
    notice.close();
  };
  notice.onclose = () => {
    own.delete(notice);
    gone.abort();
  };
}

/**
 * Closes the notices about conversations for which `isMeant` is true, by default all: of this page, and of the service
 * worker, whichever tab asked for them.
 */
export async function closeSystemNotices(
  isMeant: (conversation: string) => boolean = () => true,
): Promise<void> {
  // At once: the page may be about to reload.
  for (const notice of own) if (isMeant(notice.tag)) notice.close();
  const kept = (await (await registrationOf())?.getNotifications?.()) ?? [];
  for (const notice of kept) if (isMeant(notice.tag)) notice.close();
}
