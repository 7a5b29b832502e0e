// Prefixes and pooling that a family of models needs, guessed from the model's name if the settings do not say.

interface Family {
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly pooling: 'mean' | 'cls';
}

/** First match wins. From the model cards of each family. */
const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/e5-mistral|e5.{0,80}instruct/i, { queryPrefix: 'Query: ', passagePrefix: '', pooling: 'mean' }],
  [/(^|[^a-z])e5([^a-z]|$)/i, { queryPrefix: 'query: ', passagePrefix: 'passage: ', pooling: 'mean' }],
  [/bge-m3/i, { queryPrefix: '', passagePrefix: '', pooling: 'cls' }],
  [
    /bge.{0,80}zh/i,
    { queryPrefix: '为这个句子生成表示以用于检索相关文章：', passagePrefix: '', pooling: 'cls' },
  ],
  [
    /bge|arctic-embed|mxbai-embed/i,
    {
      queryPrefix: 'Represent this sentence for searching relevant passages: ',
      passagePrefix: '',
      pooling: 'cls',
    },
  ],
  [/nomic-embed/i, { queryPrefix: 'search_query: ', passagePrefix: 'search_document: ', pooling: 'mean' }],
];

/** Serves MiniLM, GTE, paraphrase models and all unknown ones: no prefixes, the mean of all tokens. */
const PLAIN: Family = { queryPrefix: '', passagePrefix: '', pooling: 'mean' };

/**
 * Guesses the prefixes and the pooling of a model from its name (folder or hub id); without prefixes
 * and with the mean if no family matches.
 */
export const familyOf = (model: string): Family => FAMILIES.find(([name]) => name.test(model))?.[1] ?? PLAIN;
