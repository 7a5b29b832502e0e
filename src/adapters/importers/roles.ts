// Maps the speaker names of exports, and of tools that imitate them, to roles.
import type { Role } from '../../domain/chat/message.ts';

const ROLES: Readonly<Record<string, Role>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  chatgpt: 'assistant',
  gpt: 'assistant',
  claude: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

/** Role of a name, in any case; undefined for an unknown name. */
export function roleNamed(name: string): Role | undefined {
  const said = name.trim().toLowerCase();
  return Object.hasOwn(ROLES, said) ? ROLES[said] : undefined;
}
