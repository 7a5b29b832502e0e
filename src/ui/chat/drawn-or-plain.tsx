// Shows a message that cannot be drawn as plain text, so that one malformed message does not break the others.
import { Component, type ReactNode } from 'react';
import type { Part } from '../../domain/chat/message.ts';
import { useTranslation } from '../i18n/use-translation.ts';

/** Shows the whole text unformatted, below a sentence that says why. */
export function PlainWords({ text }: { text: string }) {
  const { t } = useTranslation('chat');
  return (
    <>
      <p className="mt-1 mb-2 text-ink-3 text-sm">{t('shownPlain')}</p>
      <p dir="auto" className="reading whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text}
      </p>
    </>
  );
}

interface Props {
  /** Text to show if the children cannot be drawn. */
  readonly words: () => string;
  /** Drawing is tried again only when this value changes: a failed attempt may have taken seconds. */
  readonly of: unknown;
  readonly children: ReactNode;
}

/** React supports error boundaries only as classes. */
export class DrawnOrPlain extends Component<Props, { failed: boolean; of: unknown }> {
  override state = { failed: false, of: this.props.of };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  static getDerivedStateFromProps(props: Props, state: { of: unknown }) {
    return Object.is(props.of, state.of) ? null : { failed: false, of: props.of };
  }

  override render(): ReactNode {
    return this.state.failed ? <PlainWords text={this.props.words()} /> : this.props.children;
  }
}

/** All text in the parts of a message, in order. */
export const allText = (parts: readonly (Part | undefined)[]): string =>
  parts
    .flatMap((part): (string | undefined)[] => {
      switch (part?.type) {
        case 'text':
        case 'reasoning':
        case 'tool-result':
          return [part.text];
        case 'tool-call':
          return [`${part.name} ${part.arguments}`];
        case 'file':
          return [part.name];
        case 'recall':
          return part.passages.map(({ title, passage }) => `${title}: ${passage}`);
        default:
          return [];
      }
    })
    .filter(Boolean)
    .join('\n\n');
