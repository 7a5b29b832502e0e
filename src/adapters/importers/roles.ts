// Who speaks, by the names that exports and the tools that imitate them give.
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

/** The role of a name, whatever its case; undefined for one that nobody gives. */
export function roleNamed(name: string): Role | undefined {
  const said = name.trim().toLowerCase();
  return Object.hasOwn(ROLES, said) ? ROLES[said] : undefined;
}
