// Files that another app shared with the installed app. The service worker holds them in memory only: a locked device
// must not store even their names.
import { TAKE_FILES } from '../../domain/chat/shared-words.ts';

/** How long a service worker may take to answer, ms; one of an older version never does. */
const TIMEOUT_MS = 5_000;

/** Takes the files that wait, each once; none without a service worker, or where it was ended meanwhile. */
export async function takeSharedFiles(): Promise<readonly File[]> {
  const worker = navigator.serviceWorker?.controller;
  if (!worker) return [];
  const { port1, port2 } = new MessageChannel();
  return await new Promise((resolve) => {
    const end = (files: readonly File[]) => {
      clearTimeout(timer);
      port1.close();
      resolve(files);
    };
    const timer = setTimeout(() => end([]), TIMEOUT_MS);
    port1.onmessage = ({ data }: MessageEvent<unknown>) =>
      end(Array.isArray(data) ? data.filter((one) => one instanceof File) : []);
    worker.postMessage({ type: TAKE_FILES }, [port2]);
  });
}
