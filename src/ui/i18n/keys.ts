// Types of the catalogues: using a key that English lacks is a type error.
import 'i18next';
import type { chat } from './en/chat.ts';
import type { commands } from './en/commands.ts';
import type { context } from './en/context.ts';
import type { forget } from './en/forget.ts';
import type { library } from './en/library.ts';
import type { lock } from './en/lock.ts';
import type { memory } from './en/memory.ts';
import type { palette } from './en/palette.ts';
import type { problems } from './en/problems.ts';
import type { projects } from './en/projects.ts';
import type { prompts } from './en/prompts.ts';
import type { settings } from './en/settings.ts';
import type { shell } from './en/shell.ts';
import type { sync } from './en/sync.ts';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell';
    returnNull: false;
    resources: {
      chat: typeof chat;
      commands: typeof commands;
      context: typeof context;
      forget: typeof forget;
      library: typeof library;
      lock: typeof lock;
      memory: typeof memory;
      palette: typeof palette;
      problems: typeof problems;
      projects: typeof projects;
      prompts: typeof prompts;
      settings: typeof settings;
      shell: typeof shell;
      sync: typeof sync;
    };
  }
}
