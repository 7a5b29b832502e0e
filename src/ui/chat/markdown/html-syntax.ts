// HTML as the Markdown parser knows it, but only where `html-rule.ts` takes it for HTML; all else stays text, in which Markdown is read.
import { htmlFlow, htmlText } from 'micromark-core-commonmark';
import type { Construct, Extension } from 'micromark-util-types';
import { endsIn, mayBeHtml } from './html-rule.ts';

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
  return {
    disable: { null: ['htmlFlow', 'htmlText'] },
    flow: { [LESS_THAN]: guarded(htmlFlow, true) },
    text: { [LESS_THAN]: guarded(htmlText, false) },
  };
}
