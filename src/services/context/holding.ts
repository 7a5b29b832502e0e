// Finds a person's sentences that compaction must keep word for word: by meaning, beside the rules on words.
import type { MessageId } from '../../domain/base/ids.ts';
import { log } from '../../domain/base/log.ts';
import { withDeadline } from '../../domain/base/time-limit.ts';
import type { Message } from '../../domain/chat/message.ts';
import { estimateTokens } from '../../domain/context/tokens.ts';
import { HELD_FROM, type Recognition, statementsOf } from '../../domain/memory/recognition/recognise.ts';
import { setsRule } from '../../domain/text/cues.ts';
import type { Recognising } from '../memory/recognising.ts';

/** Longest wait of a compaction for it, ms. */
const TIMEOUT_MS = 5_000;
/**
 * Most sentences examined, newest first; most that are kept, surest first; most tokens of all,
 * and their largest share of the window.
 */
const [MOST_EXAMINED, MOST, MOST_TOKENS, SHARE] = [240, 40, 1_000, 0.03];

/** Sentences examined at a time: those a slow model has read by the time limit count. */
const GROUP = 24;

/**
 * Returns sentences by their message, as far as they are recognised in time.
 * `window`: tokens. Rejects only when aborted.
 */
export async function heldOn(
  path: readonly Message[],
  recognising: Recognising,
  window: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<MessageId, readonly string[]>> {
  const said = path
    .flatMap((message) => statementsOf(message).map((text) => ({ id: message.id, text })))
    // Their words alone keep these already.
    .filter(({ text }) => !setsRule(text))
    .slice(-MOST_EXAMINED);
  const held = new Map<MessageId, string[]>();
  if (said.length === 0) return held;
  const known = new Map<number, Recognition>();
  try {
    await withDeadline(signal, TIMEOUT_MS, async (bounded) => {
      for (let end = said.length; end > 0; end -= GROUP) {
        const from = Math.max(0, end - GROUP);
        const texts = said.slice(from, end).map(({ text }) => text);
        for (const [at, one] of (await recognising.of(texts, bounded)).entries()) known.set(from + at, one);
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    log.debug('Older sentences are kept by their words alone', error);
  }
  const surest = said
    .flatMap((one, at) => {
      const { kind = null, probability = 0 } = known.get(at) ?? {};
      return kind && probability >= HELD_FROM ? [{ ...one, at, probability }] : [];
    })
    .sort((a, b) => b.probability - a.probability)
    .slice(0, MOST);
  let left = Math.min(MOST_TOKENS, window * SHARE);
  const kept = surest.filter(({ text }) => {
    const tokens = estimateTokens(text);
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
  for (const { id, text } of kept.sort((a, b) => a.at - b.at)) held.set(id, [...(held.get(id) ?? []), text]);
  return held;
}
