import { describe, expect, it } from 'vitest';
import { mergeRankings, subQueriesOf } from '../../../src/domain/memory/sub-queries.ts';

const LETTER = `I am getting the flat ready for my parents' visit in May, and as always everything comes at once this month, so here is all of it in one go before I forget half of it again.
First the boiler. It makes that knocking noise again in the morning. Which valve did the plumber tell me to turn?
Then there is the choir. We sing the Fauré in June and the tenors are still short of two people. Who offered to ask around at the university?
The bookshelf for the hall is nearly done, oiled twice and only waiting for its brass hinges from the hardware shop in the harbour.
\`\`\`
boiler: off
Is this a question in code?
\`\`\`
> Which day do you arrive?
And what was the name of the restaurant with the courtyard where my mother got the soup that she still talks about?`;

describe('the parts of a long message', () => {
  it('are its questions, each with the sentence before it, and what it tells; nothing of code and quotations', () => {
    expect(subQueriesOf(LETTER)).toEqual([
      "I am getting the flat ready for my parents' visit in May, and as always everything comes at once this month, so here is all of it in one go before I forget half of it again.",
      'It makes that knocking noise again in the morning. Which valve did the plumber tell me to turn?',
      'We sing the Fauré in June and the tenors are still short of two people. Who offered to ask around at the university?',
      'The bookshelf for the hall is nearly done, oiled twice and only waiting for its brass hinges from the hardware shop in the harbour. …',
      'And what was the name of the restaurant with the courtyard where my mother got the soup that she still talks about?',
    ]);
  });
  it('are five at most, questions before what is told', () => {
    const questions = Array.from(
      { length: 5 },
      (_, at) => `Where did the plumber number ${at} put the green ladder?`,
    );
    expect(subQueriesOf(`${LETTER}\n${questions.join('\n')}`)).toHaveLength(5);
    expect(subQueriesOf(`${LETTER}\n${questions.join('\n')}`).every((part) => part.endsWith('?'))).toBe(true);
  });
  it('are none of a short message, of one matter, and of a talk of several people', () => {
    expect(subQueriesOf('Which valve was it? And who asked?')).toEqual([]);
    expect(subQueriesOf(`Which valve was it, ${'the one at the boiler, '.repeat(60)}or another?`)).toEqual(
      [],
    );
    expect(
      subQueriesOf(
        LETTER.split('\n')
          .map((line) => `Ann: ${line}`)
          .join('\n'),
      ),
    ).toEqual([]);
  });
  it('are found in Chinese', () => {
    const long = '这个月家里事情特别多，从早到晚忙得停不下来，想趁周末一件一件理清楚。'.repeat(10);
    expect(
      subQueriesOf(
        `${long}\n锅炉早上又响了，师傅让我拧哪个阀门？\n合唱团还缺两个男高音，谁说要去大学里问问？`,
      ).slice(-2),
    ).toEqual(['锅炉早上又响了，师傅让我拧哪个阀门？', '合唱团还缺两个男高音，谁说要去大学里问问？']);
  });
});

it('several rankings make one: each in its order, nothing twice', () => {
  const of = (...pairs: [number, number][]) =>
    pairs.map(([chunkId, final]) => ({ candidate: { chunkId }, scores: { final } }));
  const all = mergeRankings([of([1, 0.9], [2, 0.4], [3, 0.6]), of([4, 0.8], [1, 0.7], [5, 0.5]), of()]);
  expect(all.map(({ candidate }) => candidate.chunkId)).toEqual([1, 4, 5, 2, 3]);
});
