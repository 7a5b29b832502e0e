// Files that the system opened with the installed app (https://wicg.github.io/web-app-launch/#launchqueue-interface). They wait in memory until
// somebody opens them: on a locked device their very names must lie nowhere.
import { type Writable, writable } from '../../domain/base/readable.ts';

interface LaunchQueue {
  setConsumer(consumer: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

const waiting = writable<readonly FileSystemFileHandle[]>([]);
let subscribed: LaunchQueue | undefined;

/** Waiting files, the first first. Whoever opens them empties the list. */
export function launchedFiles(): Writable<readonly FileSystemFileHandle[]> {
  const { launchQueue } = globalThis as { readonly launchQueue?: LaunchQueue };
  if (launchQueue && launchQueue !== subscribed) {
    subscribed = launchQueue;
    launchQueue.setConsumer(({ files = [] }) => waiting.update((before) => [...before, ...files]));
  }
  return waiting;
}
