// Files that the system opens with the installed app: no browser without a desktop
// does that, so its queue is played here.
type Consumer = (launch: { readonly files: readonly FileSystemFileHandle[] }) => void;

/**
 * Takes the place of the browser's queue; returns what the system does. What comes before anybody
 * listens is kept, as the browser keeps it.
 */
export function launching(): (files: readonly FileSystemFileHandle[]) => void {
  let consumer: Consumer | undefined;
  const kept: (readonly FileSystemFileHandle[])[] = [];
  const setConsumer = (consume: Consumer) => {
    consumer = consume;
    for (const files of kept.splice(0)) consume({ files });
  };
  Object.defineProperty(globalThis, 'launchQueue', { configurable: true, value: { setConsumer } });
  return (files) => (consumer ? consumer({ files }) : void kept.push(files));
}

/** A file that can be opened. */
export async function handleOf(name: string, content = ''): Promise<FileSystemFileHandle> {
  const root = await navigator.storage.getDirectory();
  const handle = await root.getFileHandle(name, { create: true });
  const writing = await handle.createWritable();
  await writing.write(content);
  await writing.close();
  return handle;
}
