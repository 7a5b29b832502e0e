// All services of a tab for the interface. Built in main.tsx.
import type { Device, StorageStatus } from '../adapters/browser/device.ts';
import type { Extraction } from '../adapters/extractors/thread.ts';
import type { Store } from '../adapters/log/conversation-log.ts';
import type { Projection } from '../adapters/projection/projection.ts';
import type { Problem } from '../domain/base/errors.ts';
import type { Readable } from '../domain/base/readable.ts';
import type { Chat } from './chat/chat.ts';
import type { Command } from './commands/command.ts';
import type { ContextControl } from './context/context.ts';
import type { Documents } from './documents/documents.ts';
import type { Notes } from './documents/notes.ts';
import type { Forget } from './forget/forget.ts';
import type { Library } from './library/library.ts';
import type { Retention } from './library/retention.ts';
import type { DeviceLock } from './lock/lock.ts';
import type { Memory } from './memory/memory.ts';
import type { PrivacyFilter } from './privacy/privacy-filter.ts';
import type { Projects } from './projects/projects.ts';
import type { Prompts } from './prompts/prompts.ts';
import type { DeviceName } from './settings/device-name.ts';
import type { Settings } from './settings/settings.ts';
import type { Spending } from './spending/spending.ts';
import type { CopyState } from './storage/copy-state.ts';
import type { Sync } from './sync/sync.ts';

export type { StorageStatus };

export interface App {
  readonly documents: Documents;
  readonly library: Library;
  readonly projects: Projects;
  /** The clean-up that runs by itself. */
  readonly retention: Retention;
  /** Forgetting for good. */
  readonly forget: Forget;
  readonly chat: Chat;
  readonly context: ContextControl;
  readonly memory: Memory;
  readonly notes: Notes;
  /** Computes the map of vectors. */
  readonly projection: Projection;
  /** Keeps private words out of index, requests and sync, and holds their tokens. */
  readonly privacy: PrivacyFilter;
  /** Extracts the text of attached documents. */
  readonly extraction: Extraction;
  readonly settings: Settings;
  readonly sync: Sync;
  readonly prompts: Prompts;
  readonly deviceName: DeviceName;
  /** Locking of this device. */
  readonly lock: DeviceLock;
  /** Sums what this device spent on models. */
  readonly spending: Spending;
  readonly commands: readonly Command[];
  readonly device: Device;
  /** `memory`: nothing is stored beyond the life of the tab. */
  readonly storageKind: Store['kind'];
  /** Problem with the person's data, shown until they dismiss it. */
  readonly alert: Readable<Problem | null>;
  dismissAlert(): void;
  /** Returns the size of the log. */
  logStats(): ReturnType<Store['log']['stats']>;
  /** State of the log's second copy; null until a worker has checked it. */
  readonly logCopy: Readable<CopyState | null>;
}
