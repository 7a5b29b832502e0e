// checkpoint: marks this point, so that a D-Mail (sendDMail) can return to it.
import { z } from 'zod';
import { defineTool } from './tool.ts';

export const checkpoint = defineTool({
  name: 'checkpoint',
  switch: 'checkpoint',
  description:
    'Mark this place in the conversation. The answer is its number, which sendDMail takes. Every message of the person is a checkpoint by itself.',
  input: z.object({}),
  async run(_input, { checkpoints, newCheckpoints }) {
    return { text: `This is checkpoint ${checkpoints.length + newCheckpoints}.`, checkpoint: true };
  },
});
