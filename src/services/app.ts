// Everything a tab has, as the interface sees it. Built in main.tsx.
import type { Problem } from '../domain/base/errors.ts';
import type { Readable } from '../domain/base/readable.ts';
import type { Chat } from './chat/chat.ts';
import type { Command } from './commands/command.ts';
import type { Documents } from './documents/documents.ts';
import type { Library } from './library/library.ts';
import type { Memory } from './memory/memory.ts';
import type { Settings } from './settings/settings.ts';

export interface StorageStatus {
  /** Bytes the origin uses and may use; null where the browser does not say. */
  readonly usage: number | null;
  readonly quota: number | null;
  /** Whether the browser promised to keep it. */
  readonly persisted: boolean | null;
  /** `memory`: nothing outlives the tab. */
  readonly kind: 'persistent' | 'memory';
  readonly log: { readonly entries: number; readonly bytes: number };
  readonly modelBytes: number;
}

export interface Device {
  readonly online: Readable<boolean>;
  storage(): Promise<StorageStatus>;
  /** Asks the browser to keep the data; true when it promised. */
  persist(): Promise<boolean>;
  /** Non-null when the app can be installed right now. */
  readonly install: Readable<(() => Promise<void>) | null>;
  /** Non-null when a new version waits; calling it reloads into it. */
  readonly update: Readable<(() => void) | null>;
  /** Something this tab cannot do without (no storage at all, a newer log …): shown instead of the app. */
  readonly fatal: Readable<Problem | null>;
}

export interface App {
  readonly documents: Documents;
  readonly library: Library;
  readonly chat: Chat;
  readonly memory: Memory;
  readonly settings: Settings;
  readonly commands: readonly Command[];
  readonly device: Device;
}
