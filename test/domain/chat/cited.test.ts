// Cited words are shortened in one way, whether an endpoint sent them or an export named them.
import { expect, it } from 'vitest';
import { pagesIn } from '../../../src/adapters/importers/pages.ts';
import { addDocument, newFacts } from '../../../src/adapters/models/stream-facts.ts';
import { LONGEST_CITED, shortenCited } from '../../../src/domain/chat/cited.ts';

const long = `${'It snowed. '.repeat(60)}`;

it('keeps short words as they are, without blanks around them', () => {
  expect(shortenCited('  It snowed. \n')).toBe('It snowed.');
  expect(shortenCited('a'.repeat(LONGEST_CITED))).toBe('a'.repeat(LONGEST_CITED));
});

it('ends longer words with an ellipsis, and halves no character', () => {
  expect(shortenCited(long)).toBe(`${long.slice(0, LONGEST_CITED).trimEnd()}…`);
  expect(shortenCited(`${'a'.repeat(LONGEST_CITED - 1)}🌨 more`)).toBe(`${'a'.repeat(LONGEST_CITED - 1)}…`);
});

it('is done alike by answers and by imports', () => {
  const facts = newFacts();
  addDocument(facts, 'Diary', long);
  const [page] = pagesIn({ document_title: 'Diary', cited_text: long });
  expect(page).toEqual(facts.sources[0]);
  expect(page?.cited).toBe(shortenCited(long));
});
