// Parts of the parser's constructs: one that reads some signs of the text as another sign, and one
// that takes a stretch of it as it is.
import type {
  Code,
  Construct,
  ConstructRecord,
  Effects,
  State,
  Tokenizer,
  TokenType,
} from 'micromark-util-types';

/**
 * Consumes the text up to offset `end`, leaves the tokens that were entered, the
 * innermost first, and goes on with `then`.
 */
export function consumeTo(
  end: number,
  context: ThisParameterType<Tokenizer>,
  effects: Effects,
  entered: readonly TokenType[],
  then: State,
): State {
  const inside: State = (code) => {
    if (code !== null && context.now().offset < end) {
      effects.consume(code);
      return inside;
    }
    for (const token of entered) effects.exit(token);
    return then(code);
  };
  return inside;
}

type Constructs = Construct | Construct[] | ConstructRecord;

/**
 * `signsOf`: gives what the construct reads in the place of a sign, by where that stands in the text and on which line.
 */
export function readingAs(
  construct: Construct,
  signsOf: (context: ThisParameterType<Tokenizer>) => (code: Code, offset: number, line: number) => Code,
): Tokenizer {
  return function tokenize(effects, ok, nok) {
    const now = () => this.now();
    const signAt = signsOf(this);
    let real: Code = null;
    let ended = false;
    // The parser itself knows the signs of the text only.
    const within = (constructs: Constructs): Constructs =>
      'tokenize' in constructs
        ? {
            ...(constructs as Construct),
            tokenize(inner, done, failed) {
              const { tokenize } = constructs as Construct;
              return tokenize.call(
                this,
                given(inner),
                () => done(real),
                () => failed(real),
              );
            },
          }
        : constructs;
    const given = (inner: Effects): Effects => ({
      ...inner,
      consume: () => inner.consume(real),
      attempt: (constructs, ...states) => inner.attempt(within(constructs), ...states),
      check: (constructs, ...states) => inner.check(within(constructs), ...states),
      interrupt: (constructs, ...states) => inner.interrupt(within(constructs), ...states),
    });
    const end = (state: State) => (): State | undefined => {
      ended = true;
      return state(real);
    };
    const reading =
      (state: State): State =>
      (code) => {
        const { line, offset } = now();
        real = code;
        const next = state(signAt(code, offset, line));
        return ended || next === undefined ? next : reading(next);
      };
    return reading(construct.tokenize.call(this, given(effects), end(ok), end(nok)));
  };
}
