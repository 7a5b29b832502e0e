// Groups messages into turns and turns into topics: each older topic becomes one summary at its own place, and with
// many topics the oldest share one summary. Recent topics get long summaries, old ones a few words.
import type { Message } from '../../chat/message.ts';
import { termsIn } from '../reading.ts';
import { unitsOf } from '../units.ts';
import { finish, keepAll, type SummaryDraft } from './finish.ts';
import { HEADINGS } from './headings.ts';
import { writeMemory } from './memory-writer.ts';
import {
  compactedGroups,
  firstOf,
  freeTokens,
  type Group,
  messagesOf,
  newestGroups,
  type Outline,
  outlineOf,
} from './outline.ts';
import type { CompactionPlan } from './plan.ts';
import { fallbackStrategyOf } from './session-memory.ts';
import type { CompactionStrategy } from './strategy.ts';
import { summarised } from './summarising.ts';

/** Least turns of a topic, and the number after which it is closed. */
const MIN_TURNS = 2;
const MAX_TURNS = 8;
/** Neighbouring turns that share less than this of their words belong to two topics. */
const COHESION = 0.16;
/** Least tokens for which a topic's summary is worth writing. */
const LEAST = 40;
/** Most calls of a model in one compaction: further topics get their own sentences. */
const CALLS = 6;

interface Topic {
  readonly groups: number[];
}

/** Words of a turn, without those of every turn. */
function termsOfGroups(outline: Outline, groups: readonly number[]): Set<string> {
  const words = new Set<string>();
  for (const message of messagesOf(outline, groups))
    for (const unit of unitsOf(message).slice(0, 30))
      for (const term of termsIn(unit).keys()) words.add(term);
  return words;
}

/** Groups neighbouring turns on the same subject, in order. */
function topicsOf(outline: Outline, compacted: readonly number[]): Topic[] {
  const byTurn = new Map<number, number[]>();
  for (const index of compacted) {
    const { turn } = outline.groups[index] as Group;
    byTurn.set(turn, [...(byTurn.get(turn) ?? []), index]);
  }
  const topics: { groups: number[]; turns: number; words: Set<string> }[] = [];
  let lastTurn = Number.NaN;
  for (const [turn, groups] of byTurn) {
    const words = termsOfGroups(outline, groups);
    const open = topics.at(-1);
    let shared = 0;
    if (open) for (const word of words) if (open.words.has(word)) shared += 1;
    const overlap = shared / Math.max(1, Math.min(words.size, open?.words.size ?? 0));
    if (
      open &&
      turn - lastTurn <= 1 &&
      open.turns < MAX_TURNS &&
      (open.turns < MIN_TURNS || overlap >= COHESION || words.size < 6)
    ) {
      open.groups.push(...groups);
      open.turns += 1;
      for (const word of words) open.words.add(word);
    } else topics.push({ groups: [...groups], turns: 1, words });
    lastTurn = turn;
  }
  return topics;
}

export const hierarchical: CompactionStrategy = {
  id: 'hierarchical',
  async plan(view, budget, tools) {
    const outline = outlineOf(view, budget, tools);
    const { language, meter } = outline;
    const facts = { strategy: 'hierarchical' };
    if (outline.before <= outline.goal) return keepAll(outline, facts);
    const available = freeTokens(outline);
    const forTopics = Math.floor(Math.min(available * 0.6, 1_200 + available * 0.15));
    const keep = newestGroups(outline, available - forTopics, budget.keepTurns);
    let topics = topicsOf(outline, compactedGroups(outline, keep));

    // If there are more topics than space, the oldest ones become one.
    const most = Math.max(1, Math.floor(forTopics / (LEAST + 14)));
    if (topics.length > most) {
      const cut = topics.length - most + 1;
      topics = [{ groups: topics.slice(0, cut).flatMap((topic) => topic.groups) }, ...topics.slice(cut)];
    }
    // The newest topic gets about three times as much as the oldest.
    const shares = topics.map((_, index) => 1 + (2 * index) / Math.max(1, topics.length - 1));
    const allShares = shares.reduce((sum, share) => sum + share, 0);
    const known = new Map(
      (view.previous?.plan.strategy === 'hierarchical' ? view.previous.plan.summaries : []).flatMap((old) =>
        old.edited ? [] : [[`${old.before}/${old.covers}`, old.text] as const],
      ),
    );
    let attempts = 0;
    let fallback: CompactionPlan['fallback'] = null;
    const drafts: SummaryDraft[] = [];
    const summaryOf = new Map<number, string>();
    for (const [index, topic] of topics.entries()) {
      const messages: Message[] = messagesOf(outline, topic.groups);
      const tokens = Math.max(LEAST, Math.floor((forTopics * (shares[index] as number)) / allShares) - 14);
      const write = (limit: number) =>
        writeMemory(messages, { language, meter, tokens: limit, withoutRules: true, notesOnly: true });
      const before = firstOf(outline, topic.groups[0] as number);
      let text = known.get(`${before}/${messages.length}`) ?? null;
      // The model is asked for the newest topics, and after a failure for none.
      const byModel = index >= topics.length - CALLS && fallback?.code !== 'failed';
      if (text === null && byModel && tools.summarise) {
        const made = await summarised(outline, tools.summarise, messages, {
          previous: null,
          maxTokens: tokens,
        });
        attempts += made.attempts;
        fallback = made.fallback ?? fallback;
        text = made.text;
      }
      text ??= write(tokens);
      if (text.trim() === '') continue;
      const id = `topic-${index + 1}`;
      for (const group of topic.groups) summaryOf.set(group, id);
      drafts.push({
        summary: {
          id,
          kind: 'topic',
          heading: HEADINGS[language].topic,
          text,
          before,
          covers: messages.length,
        },
        shorter: write,
      });
    }
    return finish(outline, {
      ...facts,
      keep,
      drafts,
      summaryOf: (group) => summaryOf.get(group) ?? null,
      attempts,
      // Topics without a model's summary get their own sentences, as in the session memory.
      fallback: fallbackStrategyOf(fallback, 'session-memory'),
    });
  },
};
