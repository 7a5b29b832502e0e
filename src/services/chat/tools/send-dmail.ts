// sendDMail: returns to a checkpoint with a note to the model itself. Later work stays on its own
// branch, where the person can see it.
import { z } from 'zod';
import { defineTool } from './tool.ts';

export const sendDMail = defineTool({
  name: 'sendDMail',
  switch: 'send_dmail',
  description:
    'Send a note to yourself at an earlier checkpoint and go on from there. Use it to fold noisy work (long tool output, a wrong path) into what was learnt. Everything after the checkpoint leaves your view, so the note must hold all that you need. The person sees it; their own messages up to the checkpoint stay, and so does the question that you are answering. It is delivered when this step ends.',
  input: z.object({
    message: z.string().trim().min(1).max(20_000).describe('What your past self needs to know'),
    checkpointId: z.number().int().describe('Number of the checkpoint to go back to'),
  }),
  async run({ message, checkpointId }, { checkpoints, mailPending }) {
    const failed = (why: string) => ({ text: `The D-Mail was not sent: ${why}`, isError: true });
    if (mailPending) return failed('another one is already waiting, and there can be one at a time.');
    const to = checkpointId < 0 ? undefined : checkpoints[checkpointId];
    if (to === undefined)
      return failed(
        checkpoints.length === 0
          ? 'there are no checkpoints.'
          : `there is no checkpoint ${checkpointId}; there are 0 to ${checkpoints.length - 1}.`,
      );
    return {
      text: `The D-Mail will be delivered to checkpoint ${checkpointId} when this step ends.`,
      mail: { message, to },
    };
  },
});
