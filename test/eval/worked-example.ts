// One made-up passage through the whole ranking, each step as arithmetic beside what the ranker
// makes of it: docs/evaluation.md prints the steps, and a test compares the two.
import { FIT } from '../../src/domain/memory/fit.ts';
import { LEARNT_LINES } from '../../src/domain/memory/learnt.ts';
import { type Rankable, rank, type Scores } from '../../src/domain/memory/rank.ts';
import { defaultConfig } from '../../src/domain/settings/config.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 10, 30);
const DAYS = 100;
/** IDF weights of the search words, and the BM25 shares of those that the passage has. */
const WORTH = Array.from({ length: 7 }, () => 5);
const MET = [5, 4, 0, 0, 0, 0, 0];
/** The model's own scale. */
const SCALE = { related: 0.8, spread: 0.05 };
const COSINE = 0.84;
const LATE = 0.44;
/** Score of the other passage of its conversation, before that conversation adds to it. */
const BESIDE = 0.3;
/** Scores of the best of other conversations, each the only one found there. */
const NEXT = [0.72, 0.66, 0.6];
const BACKGROUND = Array.from({ length: 20 }, (_, at) => 0.26 + 0.02 * (at % 10));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** Cosine of a passage that is near in meaning alone, so that its two halves together give this score. */
function cosineFor(score: number, weight: number): number {
  const vector = score / weight / (1 - FIT.late + FIT.late * FIT.lateFollows);
  return SCALE.related + (SCALE.spread * (vector * FIT.full - FIT.cosine.related)) / FIT.cosine.spread;
}

/** The passage as the ranker sees it among the others. */
export function rankedExample(): Scores {
  const { hybrid_weights: weights, filters } = defaultConfig.recall;
  const passage = (
    id: number,
    conversation: string,
    more: Pick<Rankable, 'cosine'> & Partial<Rankable>,
  ): Rankable => ({
    chunkId: id,
    messageId: `message ${id}`,
    conversationId: conversation,
    text: `passage ${id}`,
    createdAt: NOW - DAYS * DAY,
    terms: [],
    role: 'user',
    ...more,
  });
  const alone = [...NEXT, ...BACKGROUND].map((score, at) =>
    passage(at + 2, `conversation ${at + 2}`, {
      cosine: cosineFor(score / (1 + FIT.conversation), weights.vector),
    }),
  );
  const wanted = passage(0, 'its own', { cosine: COSINE, late: LATE, terms: MET });
  const beside = passage(1, 'its own', { cosine: cosineFor(BESIDE, weights.vector) });
  const ranked = rank([wanted, beside, ...alone], {
    weights,
    scale: SCALE,
    idfWeights: WORTH,
    question: 'seven words of one matter, asked again',
    decayFactor: filters.time_decay_factor,
    now: NOW,
  });
  const found = ranked.find(({ candidate }) => candidate === wanted);
  if (!found) throw new Error('The passage of the example was not ranked');
  return found.scores;
}

/** The same by hand: every step, with the numbers of `fit.ts` and nothing of the ranker. */
export function exampleByHand() {
  const { hybrid_weights: weights, filters } = defaultConfig.recall;
  const most = sum(WORTH);
  const reach = most ** FIT.reachPower * Math.min(FIT.reach, most) ** (1 - FIT.reachPower);
  const words = sum(MET) / reach / FIT.keywordFull;
  const vector =
    (FIT.cosine.related + (FIT.cosine.spread * (COSINE - SCALE.related)) / SCALE.spread) / FIT.full;
  const late = (LATE - FIT.lateFloor) / FIT.full;
  const meaning = (1 - FIT.late) * vector + FIT.late * late;
  const hybrid = weights.vector * meaning + weights.keyword * words;
  const conversation = FIT.conversation * ((hybrid + BESIDE) / 2);
  const score = hybrid + conversation;
  const { mean: usual, deviation, count } = FIT.background;
  const all = BACKGROUND.length + count;
  const mean = (sum(BACKGROUND) + count * usual) / all;
  const spread = Math.sqrt((sum(BACKGROUND.map((one) => (one - mean) ** 2)) + count * deviation ** 2) / all);
  const zScore = (score - mean) / spread;
  const [next = 0] = NEXT;
  const runnerUp = (next - mean) / spread;
  const margin = zScore - runnerUp - FIT.runnerUp.even;
  const line = LEARNT_LINES.hybrid;
  const probability = logistic(
    line.score * score +
      line.zScore * zScore +
      line.margin * margin +
      line.words * Math.log(1 + WORTH.length) +
      line.intercept,
  );
  const decay = Math.exp(-filters.time_decay_factor * DAYS) ** FIT.age;
  const odds = (probability / (1 - probability)) * decay;
  const final = odds / (1 + odds);
  return {
    ...{ most, reach, words, vector, late, meaning, hybrid, conversation, score },
    ...{ mean, spread, zScore, next, runnerUp, margin, probability, decay, final },
  };
}

const shown = (one: number): string => one.toFixed(2).replace('-', '−');

/** The steps as Markdown. */
export function workedExample(): string {
  const { hybrid_weights: weights, filters, auto_recall: unasked } = defaultConfig.recall;
  const at = exampleByHand();
  const line = LEARNT_LINES.hybrid;
  const met = sum(MET);
  return `Seven search words were asked, each worth 5 (its IDF weight), and the passage’s BM25 shares of them add up to ${met}. No neighbour, title, speaker or time adds anything,
and all that was found was said by the person, so that lanes add nothing. Each step goes on with the unrounded figure of the one before, so a pocket calculator may end one
hundredth beside; \`test/eval/worked-example.test.ts\` holds these steps to what the ranker makes of the same passage.

1. Words: together they could add ${at.most}; the reach is ${at.most}^${FIT.reachPower} · min(${FIT.reach}, ${at.most})^${(1 - FIT.reachPower).toFixed(1)} = ${shown(at.reach)}, and ${FIT.keywordFull} of it is full: ${met} / ${shown(at.reach)} / ${FIT.keywordFull} = **${shown(at.words)}**.
2. Meaning: the cosine is ${COSINE}; on the model’s own scale related texts have ${SCALE.related}, give or take ${SCALE.spread} (\`calibration\` of its provider): (${FIT.cosine.related} + ${FIT.cosine.spread} · (${COSINE} − ${SCALE.related}) / ${SCALE.spread}) / ${FIT.full} = ${shown(at.vector)}. Late interaction is ${LATE}: (${LATE} − ${FIT.lateFloor}) / ${FIT.full} = ${shown(at.late)}. Together ${1 - FIT.late} · ${shown(at.vector)} + ${FIT.late} · ${shown(at.late)} = **${shown(at.meaning)}**.
3. Both: ${weights.vector} · ${shown(at.meaning)} + ${weights.keyword} · ${shown(at.words)} = **${shown(at.hybrid)}**.
4. Its conversation: one more passage of it was found, with ${shown(BESIDE)}. The mean of its best ${FIT.best} is that of these two, the passage itself among them: ${FIT.conversation} · (${shown(at.hybrid)} + ${shown(BESIDE)}) / 2 = ${shown(at.conversation)}. Score: ${shown(at.hybrid)} + ${shown(at.conversation)} = **${shown(at.score)}**.
5. The next best have ${NEXT.map(shown).join(', ')}, all of other conversations, and ${shown(BESIDE + at.conversation)}, which is that other passage; the twenty after them ${shown(Math.min(...BACKGROUND))} to ${shown(Math.max(...BACKGROUND))}, two of each step of 0.02. These twenty and the usual four have the mean ${shown(at.mean)} and the deviation ${at.spread.toFixed(3)}, to which each usual one adds its own ${FIT.background.deviation}², not its distance from the mean: its z-score is (${shown(at.score)} − ${shown(at.mean)}) / ${at.spread.toFixed(3)} = **${shown(at.zScore)}**. That of the runner-up is ${shown(at.runnerUp)}: the margin is ${shown(at.zScore)} − ${shown(at.runnerUp)} − ${FIT.runnerUp.even} = **${shown(at.margin)}**.
6. Log odds: ${line.score.toFixed(2)} · ${shown(at.score)} + ${line.zScore.toFixed(2)} · ${shown(at.zScore)} + ${line.margin.toFixed(2)} · ${shown(at.margin)} + ${line.words.toFixed(2)} · ln ${1 + WORTH.length} − ${Math.abs(line.intercept).toFixed(2)}. Probability: **${shown(at.probability)}**.
7. Said ${DAYS} days ago: the odds by exp(−${filters.time_decay_factor} · ${DAYS})^${FIT.age} = ${shown(at.decay)} (\`recall.filters.time_decay_factor\`): **${shown(at.final)}**. It is shown from ${filters.min_similarity} on (\`recall.filters.min_similarity\`), and goes to a model unasked from ${unasked.min_similarity} on (\`recall.auto_recall.min_similarity\`): defaults of \`src/domain/settings/config.ts\`.`;
}
