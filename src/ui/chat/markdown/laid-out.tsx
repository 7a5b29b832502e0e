// Markdown as elements: each block is drawn again only when it has changed; footnotes
// stand below and jump within the answer.
import type { Root as Elements } from 'hast';
import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import {
  Fragment,
  memo,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { jsx, jsxs } from 'react/jsx-runtime';
import { useTranslation } from '../../i18n/use-translation.ts';
import { COMPONENTS } from './elements.tsx';
import { type AnswerBlock, type Footnote, ReaderHandover } from './reader.ts';
import { AnswerContext, BlockContext, callId, jumpTo, noteId } from './scope.ts';
import { elementsOf } from './tree.ts';

const drawn = (elements: Elements) =>
  toJsxRuntime(elements, {
    Fragment,
    jsx,
    jsxs,
    components: COMPONENTS,
    ignoreInvalidStyle: true,
    passNode: true,
  });

/** A block is the same object as long as nothing in it changes, also if the answer is drawn in another place. */
const drawnBlocks = new WeakMap<AnswerBlock, ReactNode>();
function drawnBlock(block: AnswerBlock): ReactNode {
  const known = drawnBlocks.get(block);
  if (known !== undefined) return known;
  const words = drawn(elementsOf(block.nodes, block.definitions, block.open));
  drawnBlocks.set(block, words);
  return words;
}

const BlockView = memo(function BlockView({ block }: { block: AnswerBlock }) {
  return <BlockContext value={block}>{drawnBlock(block)}</BlockContext>;
});

/** Blocks are compared in groups: React must not go through a thousand blocks with each new word. */
const GROUP = 12;

/**
 * `settled`: the answer still grows, and the group is complete and was laid out. The browser skips it
 * while it is out of sight (styles.css).
 */
const Group = memo(
  function Group({ blocks, settled }: { blocks: readonly AnswerBlock[]; settled: boolean }) {
    return (
      <div className="block-group" data-settled={settled ? '' : undefined}>
        {blocks.map((block) => (
          <BlockView key={block.from} block={block} />
        ))}
      </div>
    );
  },
  ({ blocks: before, settled }, { blocks: now, settled: settledNow }) =>
    settled === settledNow && before.length === now.length && before.every((block, at) => block === now[at]),
);

/**
 * Returns how many of the first `whole` groups have been laid out for two frames: the browser then knows their heights.
 * Changes nothing by itself, since that would paint once more; the render for the next words reads it.
 */
function useLaidOut(whole: number): number {
  const laidOut = useRef(0);
  useEffect(() => {
    if (whole <= 0) return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        laidOut.current = whole;
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [whole]);
  return Math.min(laidOut.current, whole);
}

function groupsOf(blocks: readonly AnswerBlock[]): readonly (readonly AnswerBlock[])[] {
  const groups: AnswerBlock[][] = [];
  for (let at = 0; at < blocks.length; at += GROUP) groups.push(blocks.slice(at, at + GROUP));
  return groups;
}

function FootnoteView({
  footnote: { node, definitions, identifier, number, calls },
}: {
  footnote: Footnote;
}) {
  const { t } = useTranslation('chat');
  const { id } = useContext(AnswerContext);
  const words = useMemo(() => drawn(elementsOf(node.children, definitions, false)), [node, definitions]);
  return (
    <li id={noteId(id, identifier)} tabIndex={-1} value={number}>
      {words}
      {calls.map((call, at) => {
        const target = callId(id, identifier, call);
        return (
          <a
            key={call}
            href={`#${target}`}
            aria-label={t('footnoteBack', { number, at: at + 1 })}
            onClick={(event) => {
              event.preventDefault();
              jumpTo(target);
            }}
          >
            ↩{calls.length > 1 && <sup>{at + 1}</sup>}
          </a>
        );
      })}
    </li>
  );
}

function Footnotes({ footnotes }: { footnotes: readonly Footnote[] }) {
  const { t } = useTranslation('chat');
  if (footnotes.length === 0) return null;
  return (
    <section className="footnotes" aria-label={t('footnotes')}>
      <ol>
        {footnotes.map((footnote) => (
          <FootnoteView key={footnote.identifier} footnote={footnote} />
        ))}
      </ol>
    </section>
  );
}

/**
 * A finished answer is drawn in another place than the growing one. One for the tab,
 * which draws one growing answer at a time.
 */
const handover = new ReaderHandover();

/** `streaming`: half-written constructs are closed provisionally; settled blocks are not read again. */
export function LaidOut({ text, streaming }: { text: string; streaming: boolean }) {
  const id = useId();
  const [reader] = useState(() => handover.readerFor(text));
  useEffect(() => {
    if (streaming) handover.offer(reader);
    else handover.withdraw(reader);
  }, [reader, streaming]);
  const { blocks, footnotes } = useMemo(() => reader.read(text, streaming), [reader, text, streaming]);
  const scope = useMemo(() => ({ id, footnotes }), [id, footnotes]);
  const groups = groupsOf(blocks);
  const laidOut = useLaidOut(streaming ? groups.length - 1 : 0);
  return (
    <AnswerContext value={scope}>
      <div className="prose">
        {groups.map((group, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: added at the end only: its place identifies a group
          <Group key={at} blocks={group} settled={at < laidOut} />
        ))}
        <Footnotes footnotes={footnotes} />
      </div>
    </AnswerContext>
  );
}
