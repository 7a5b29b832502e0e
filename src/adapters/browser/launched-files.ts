// Files that the system opened with the installed app (https://wicg.github.io/web-app-launch/#launchqueue-interface).
// They wait in memory only: a locked device must not store even their names.
import { type Writable, writable } from '../../domain/base/readable.ts';

interface LaunchQueue {
  setConsumer(consumer: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

const waiting = writable<readonly FileSystemFileHandle[]>([]);
let subscribed: LaunchQueue | undefined;

/** Waiting files, oldest first. The reader that opens them empties the list. */
export function launchedFiles(): Writable<readonly FileSystemFileHandle[]> {
  const { launchQueue } = globalThis as { readonly launchQueue?: LaunchQueue };
  if (launchQueue && launchQueue !== subscribed) {
    subscribed = launchQueue;
    launchQueue.setConsumer(({ files = [] }) => waiting.update((before) => [...before, ...files]));
  }
  return waiting;
}
