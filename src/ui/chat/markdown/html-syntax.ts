// HTML as the Markdown parser knows it, but only where `html-rule.ts` takes it for HTML; all else
// stays text, in which Markdown is read.
import { htmlFlow, htmlText } from 'micromark-core-commonmark';
import type { Construct, Extension } from 'micromark-util-types';
import { endsIn, foldEnd, mayBeHtml } from './html-rule.ts';
import { consumeTo } from './reading-as.ts';

const LESS_THAN = 60;

/** The micromark extension for one text. */
export function htmlSyntax(source: string, { partial }: { readonly partial: boolean }): Extension {
  const ends = endsIn(source);
  const guarded = (construct: Construct, flow: boolean): Construct => ({
    ...construct,
    name: `${construct.name}Guarded`,
    tokenize(effects, ok, nok) {
      const inner = construct.tokenize.call(this, effects, ok, nok);
      return (code) => (mayBeHtml(source, this.now().offset, flow, partial, ends) ? inner(code) : nok(code));
    },
  });
  /** A line of tags that fold away what follows: a block of HTML by itself. */
  const fold: Construct = {
    name: 'htmlFlowFold',
    concrete: true,
    tokenize(effects, ok, nok) {
      return (code) => {
        const at = this.now().offset;
        const end = mayBeHtml(source, at, true, partial, ends) ? foldEnd(source, at) : at;
        if (end === at) return nok(code);
        effects.enter('htmlFlow');
        effects.enter('htmlFlowData');
        return consumeTo(end, this, effects, ['htmlFlowData', 'htmlFlow'], ok)(code);
      };
    },
  };
  return {
    disable: { null: ['htmlFlow', 'htmlText'] },
    flow: { [LESS_THAN]: [fold, guarded(htmlFlow, true)] },
    text: { [LESS_THAN]: guarded(htmlText, false) },
  };
}
