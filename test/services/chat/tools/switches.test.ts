// Each tool has a switch of its own.
import { expect, it } from 'vitest';
import type { Config } from '../../../../src/domain/settings/config.ts';
import { TOOLS } from '../../../../src/services/chat/tools/index.ts';
import { startTalks } from '../../context/talk.ts';
import { notesOf } from '../setup.ts';

const { server, talk } = await startTalks();
const notes = notesOf();
const offered = (at: number) =>
  (server.chats()[at]?.tools as { function: { name: string } }[] | undefined)?.map(
    (tool) => tool.function.name,
  ) ?? [];

it('and with it off that one is not offered, and all others are', async () => {
  const all = TOOLS.map(({ name }) => name);
  for (const [at, tool] of TOOLS.entries()) {
    const config = (config: Config): Config => ({
      ...config,
      tools: {
        ...config.tools,
        ...Object.fromEntries(TOOLS.map((one) => [one.switch, true])),
        [tool.switch]: false,
      },
    });
    await talk({ config, notes }).say('hello');
    expect(offered(at)).toEqual(all.filter((name) => name !== tool.name));
  }
});
