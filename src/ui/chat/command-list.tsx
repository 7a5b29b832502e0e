// Lists what can follow the slash above the composer, each with one line of help.
// Arrow keys choose, Tab or Enter takes.
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ConversationId } from '../../domain/base/ids.ts';
import { orElse } from '../../domain/base/log.ts';
import type { ArgumentDescription } from '../../services/commands/command.ts';
import {
  type Completion,
  complete,
  type Offered,
  type Suggestion,
  wantsCheckpoints,
} from '../../services/commands/index.ts';
import { useApp } from '../hooks/app.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { plainLine } from '../memory/marked-text.tsx';
import { classes } from '../shell/controls.tsx';
import { type SavedLine, useSavedLines } from './prompt-lines.ts';

/** Distance to the composer, px. */
const GAP = 8;

/**
 * True for a command: a slash, narrow or full-width, and a word. A path (`/usr/bin`) or two slashes are ordinary text.
 */
export const isCommandLine = (text: string): boolean =>
  /^[/／](?:[\p{L}-][\p{L}\p{N}-]*)?(\s|$)/u.test(text) && !text.includes('\n');

export interface CommandListHandle {
  /** Handles a key; true if the list used it. */
  onKey(event: KeyboardEvent): boolean;
}

const placeholderOf = (argument: ArgumentDescription): string => {
  const inner =
    argument.kind === 'flag'
      ? `--${argument.name}${argument.value === 'number' ? ' N' : argument.value === 'text' ? ' …' : ''}`
      : argument.kind === 'choice'
        ? (argument.choices ?? []).join('|')
        : argument.name;
  return argument.optional ? `[${inner}]` : inner;
};

/** Text of the line and the caret's offset in it. */
export interface CommandLine {
  readonly text: string;
  readonly caret: number;
}

/** Checkpoints of the shown conversation, loaded once they are `wanted`. */
function useOffered(conversationId: ConversationId | null, wanted: boolean): readonly Offered[] {
  const { context } = useApp();
  const [offered, setOffered] = useState<readonly Offered[]>([]);
  useEffect(() => {
    if (!wanted || conversationId === null) return;
    let gone = false;
    // The command itself reports a problem with the conversation.
    void orElse(context.checkpoints(conversationId), [], 'the checkpoints to complete a command with').then(
      (all) => !gone && setOffered(all.map(({ name, firstLine }) => ({ name, says: plainLine(firstLine) }))),
    );
    return () => {
      gone = true;
      setOffered([]);
    };
  }, [context, conversationId, wanted]);
  return offered;
}

export function CommandList({
  ref,
  line,
  conversationId,
  onTake,
  onSaved,
  onClose,
}: {
  ref: RefObject<CommandListHandle | null>;
  line: CommandLine;
  /** Null on the empty page. */
  conversationId: ConversationId | null;
  /** Called with the whole line after a suggestion is taken, and the caret's new offset. */
  onTake: (text: string, caret: number) => void;
  /** Called when a saved prompt or persona is taken; the text after its name comes along. */
  onSaved: (saved: SavedLine) => void;
  onClose: () => void;
}) {
  const { commands } = useApp();
  const { t } = useTranslation('chat');
  const { text, caret } = line;
  const offered = useOffered(conversationId, wantsCheckpoints(commands, text));
  const completion = useMemo(
    () => complete(commands, text, caret, offered),
    [commands, text, caret, offered],
  );
  const saved = useSavedLines(text, caret);
  const { from, to } = completion;
  const own = saved.map((line): Suggestion => {
    const { name, description } = 'persona' in line ? line.persona : line.prompt;
    return {
      kind: 'value',
      text: `/${line.slug}`,
      help: '',
      wants: 'persona' in line ? t('commandPersona') : line.blanks.join(' '),
      says: description || name,
    };
  });
  // Lists the person's own prompts first while nothing is typed; a typed word means the command of that name.
  const ownFirst = text.trim().length <= 1;
  const suggestions = ownFirst ? [...own, ...completion.suggestions] : [...completion.suggestions, ...own];
  const ownFrom = ownFirst ? 0 : completion.suggestions.length;
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new line begins at the top
  useEffect(() => setChosen(0), [text]);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const take = (at: number) => {
    const line = saved[at - ownFrom];
    if (line) return onSaved(line);
    const suggestion = suggestions[at];
    if (!suggestion) return;
    const before = `${text.slice(0, from)}${suggestion.text} `;
    onTake(before + text.slice(to).trimStart(), before.length);
  };
  useImperativeHandle(ref, () => ({
    onKey: (event) => {
      const isOwn = saved[chosen - ownFrom] !== undefined;
      const meant = meaningOf(event, text, { from, to, suggestions }, chosen, isOwn);
      if (meant === null) return false;
      if (meant === 'close') onClose();
      else if (meant === 'take') take(chosen);
      else setChosen((chosen + meant + suggestions.length) % suggestions.length);
      return true;
    },
  }));

  if (suggestions.length === 0) return null;
  return (
    <AboveComposer>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={t('commandList')}
        // A short screen still shows the chosen item below the header.
        className="max-h-[max(6rem,min(18rem,var(--visible-height)-15rem))] overflow-y-auto p-1"
      >
        {suggestions.map((suggestion, at) => (
          <CommandOption
            key={suggestion.text}
            suggestion={suggestion}
            chosen={at === chosen}
            onPoint={() => setChosen(at)}
            onTake={() => take(at)}
          />
        ))}
      </div>
      <div className="border-t px-3 py-1.5 text-ink-3 text-xs pointer-coarse:hidden">
        {t('commandListKeys')}
      </div>
    </AboveComposer>
  );
}

/** Floats above the composer. Publishes its height as a style of the page, px, so that notices begin above it. */
function AboveComposer({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const here = box.current;
    if (!here) return;
    const { style } = document.documentElement;
    const measure = () => style.setProperty('--above-composer', `${here.offsetHeight + GAP}px`);
    const grown = new ResizeObserver(measure);
    grown.observe(here);
    measure();
    return () => {
      grown.disconnect();
      style.removeProperty('--above-composer');
    };
  }, []);
  return (
    <div
      ref={box}
      className="absolute inset-x-0 bottom-full z-20 mb-2 overflow-hidden rounded-xl border border-line bg-raised shadow-float"
    >
      {children}
    </div>
  );
}

/**
 * Meaning of a key for the list: a step, taking the chosen item, or closing; null if the text field handles the key.
 */
function meaningOf(
  event: KeyboardEvent,
  text: string,
  { from, to, suggestions }: Completion,
  chosen: number,
  isOwn: boolean,
): 1 | -1 | 'take' | 'close' | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (event.key === 'Escape') return 'close';
  if (suggestions.length === 0) return null;
  if (event.key === 'ArrowDown') return 1;
  if (event.key === 'ArrowUp') return -1;
  if (event.shiftKey) return null;
  if (event.key === 'Tab' || (event.key === 'Enter' && isOwn)) return 'take';
  // Enter completes a partly typed command and runs a complete line.
  const typed = text.slice(from, to);
  const suggestion = suggestions[chosen];
  return event.key === 'Enter' && suggestion && typed !== '' && typed !== suggestion.text ? 'take' : null;
}

function CommandOption({
  suggestion,
  chosen,
  onPoint,
  onTake,
}: {
  suggestion: Suggestion;
  chosen: boolean;
  onPoint: () => void;
  onTake: () => void;
}) {
  const { commands } = useApp();
  useTranslation('commands');
  const help = (key: string) => wordsFor('commands', key) ?? '';
  const rest =
    suggestion.kind === 'command'
      ? (commands.find((command) => `/${command.name}` === suggestion.text)?.arguments ?? [])
          .map(placeholderOf)
          // Keeps each argument on one line.
          .map((argument) => argument.replaceAll(' ', '\u00a0').replaceAll('-', '\u2011'))
          .join(' ')
      : suggestion.wants;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the text field, which keeps the focus
    <div
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      onPointerMove={onPoint}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onTake}
      className={classes(
        'flex min-h-8 cursor-pointer flex-wrap items-baseline gap-x-3 overflow-hidden rounded-sm px-2.5 py-1.5 pointer-coarse:min-h-11',
        // Text that finds no room beside the words wraps, and shows only on the chosen item.
        chosen ? 'bg-fill' : 'md:h-8 md:gap-y-6',
        // Values of flags are short and need no wrapping.
        suggestion.kind !== 'command' && 'md:flex-nowrap',
      )}
    >
      <span className="flex min-w-0 max-w-full items-baseline gap-x-3">
        <span className="shrink-0 font-medium font-mono text-[0.8125rem]">{suggestion.text}</span>
        <span className={classes('min-w-0 truncate text-ink-2', chosen && 'whitespace-normal')}>
          {suggestion.says ?? help(suggestion.help)}
        </span>
      </span>
      {rest && (
        <span
          className={classes(
            'truncate font-mono text-ink-3 text-xs md:text-right',
            suggestion.kind === 'command' ? 'min-w-16 flex-1' : 'md:ml-auto md:max-w-1/2 md:shrink-0',
            // A narrow screen shows them only for the chosen item, below its words.
            chosen ? 'max-md:basis-full max-md:whitespace-normal' : 'max-md:hidden',
          )}
        >
          {rest}
        </span>
      )}
    </div>
  );
}
