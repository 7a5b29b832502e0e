// Shows what memory would send along while the person writes a first message or one on a new
// subject, and lets them leave some of it out.
import { ChevronRight, History } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useMemo, useState } from 'react';
import { isAbort } from '../../domain/base/errors.ts';
import { asMessageId, type ConversationId } from '../../domain/base/ids.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { withoutMessages } from '../../domain/memory/passages.ts';
import type { PersonaReach } from '../../domain/prompts/persona.ts';
import type { SendOptions } from '../../services/chat/chat.ts';
import type { RecallResult } from '../../services/memory/memory.ts';
import { useApp, useAwake, useReadable } from '../hooks/app.tsx';
import { useWithoutForgotten } from '../hooks/forgotten.ts';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes } from '../shell/controls.tsx';
import { useOpenPassage } from './open-passage.ts';
import { Passage } from './passage.tsx';
import { useUsablePassages } from './usable-passages.ts';

/** Pause in typing after which memory is asked, ms. */
const PAUSE_MS = 350;
/** True if a text is long enough to search for: letters of an alphabet, or about a third as many Han characters. */
const enough = (text: string): boolean => {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return text.trim().length + 2 * han >= 8;
};

export type RecallChoice = Pick<SendOptions, 'withoutPassages' | 'announced'>;

interface RecallChipProps {
  text: string;
  conversationId: ConversationId | null;
  /** Last query to memory: it offers passages only for something else. Null: for anything. */
  movedFrom: string | null;
  /** True if a model will answer; otherwise the passages are the answer. */
  hasModel: boolean;
  /** Persona that limits what memory may use; null: no limit. */
  persona: PersonaReach | null;
  /** Shown and unticked passages for the same text when it was sent, if it came back; else empty. Read at mount. */
  before: RecallChoice;
  /** Called with the shown and the unticked passages, for `Chat.send`. */
  onChange: (choice: RecallChoice) => void;
}

/** Default tick, also for passages found later, and the messages that differ from it. */
interface Ticks {
  readonly ticked: boolean;
  readonly but: ReadonlySet<string>;
}
const ALL: Ticks = { ticked: true, but: new Set() };
const NONE: Ticks = { ticked: false, but: new Set() };
const ticksOf = ({ announced, withoutPassages = [] }: RecallChoice): Ticks => {
  const but: ReadonlySet<string> = new Set(withoutPassages);
  return announced?.passages.every(({ messageId }) => but.has(messageId)) ? NONE : { ticked: true, but };
};
const withTick = (ticks: Ticks, messageId: string, ticked: boolean): Ticks => {
  const but = new Set(ticks.but);
  if (ticked === ticks.ticked) but.delete(messageId);
  else but.add(messageId);
  return { ...ticks, but };
};
const isTicked = ({ ticked, but }: Ticks, messageId: string): boolean => ticked !== but.has(messageId);

const isSame = (one: RecalledPassage, other: RecalledPassage): boolean =>
  one.messageId === other.messageId && one.passage === other.passage;

/** Draws nothing while nothing passes the threshold, auto recall is off, or memory cannot answer. */
export function RecallChip({ onChange, ...asked }: RecallChipProps) {
  const { t } = useTranslation('memory');
  const [ticks, setTicks] = useState<Ticks>(() => ticksOf(asked.before));
  const [open, setOpen] = useState(false);
  const panel = useId();
  const openPassage = useOpenPassage();
  const shown = useRecallWhileWriting({ ...asked, onUnwanted: () => setTicks(ALL) });
  const passages = shown?.passages ?? [];
  useAnnouncedChoice(shown, ticks, onChange);

  if (passages.length === 0) return null;
  const kept = withoutMessages(passages, ({ messageId }) => !isTicked(ticks, messageId));
  const tokens = kept.reduce((sum, passage) => sum + passage.tokens, 0);
  return (
    <section aria-label={t('chip.label')} className={classes('animate-fade text-sm', open && 'bg-paper')}>
      {open && (
        <div
          id={panel}
          className="mb-1.5 overflow-hidden rounded-lg border border-memory-line bg-memory-soft"
        >
          <div className="flex items-center gap-3 border-memory-line border-b px-3 py-1.5 text-xs">
            <p className="min-w-0 flex-1 text-ink-2">
              {t(asked.hasModel ? 'chip.help' : 'chip.helpNoModel')}
            </p>
            <button
              type="button"
              className="touchable shrink-0 rounded-xs font-medium text-memory hover:underline"
              onClick={() => setTicks(kept.length === 0 ? ALL : NONE)}
            >
              {kept.length === 0 ? t('chip.all') : t('chip.noneButton')}
            </button>
          </div>
          <ul className="@container max-h-[36dvh] divide-y divide-memory-line/60 overflow-y-auto">
            {passages.map((passage) => (
              <Passage
                key={`${passage.messageId} ${passage.passage}`}
                // Without its unticked neighbours, at the cost of the rest.
                passage={kept.find((one) => isSame(one, passage)) ?? passage}
                query={asked.text}
                threshold={shown?.threshold ?? 0}
                sent={asked.hasModel && isTicked(ticks, passage.messageId)}
                tick={{
                  ticked: isTicked(ticks, passage.messageId),
                  onTick: (ticked) => setTicks((now) => withTick(now, passage.messageId, ticked)),
                }}
                onOpen={openPassage}
              />
            ))}
          </ul>
        </div>
      )}
      <button
        type="button"
        aria-expanded={open}
        aria-controls={panel}
        onClick={() => setOpen(!open)}
        className="touchable inline-flex max-w-full items-center gap-1.5 rounded-full border border-memory-line bg-memory-soft px-2.5 py-1 font-medium text-memory text-xs hover:bg-memory-mark/50"
      >
        <History size={13} aria-hidden className="shrink-0" />
        <span className="truncate">
          {kept.length > 0 ? (
            <>
              {t('chip.may', { count: kept.length })}
              {/* Without a model nothing is sent, so nothing costs anything. */}
              {asked.hasModel && (
                <span className="font-normal"> · {t('chip.tokens', { count: tokens })}</span>
              )}
            </>
          ) : (
            t('chip.none')
          )}
        </span>
        <ChevronRight
          size={13}
          aria-hidden
          className={classes('shrink-0 transition-transform', open && '-rotate-90')}
        />
      </button>
    </section>
  );
}

/**
 * Asks memory after each pause in typing. Null if it has not answered or may not be asked, or if `text` is too short.
 */
function useRecallWhileWriting({
  text,
  conversationId,
  movedFrom,
  hasModel,
  persona,
  before,
  onUnwanted,
}: Omit<RecallChipProps, 'onChange'> & { onUnwanted: () => void }): RecallResult | null {
  const { memory, settings } = useApp();
  const auto = useReadable(settings.config, (config) => config.recall.auto_recall);
  const wanted = auto.enabled && auto.trigger_on_start && enough(text);
  const awake = useAwake();
  const within = useReadable(useSession().project);
  const from = conversationId ?? within;
  const reach = persona && { memory: persona.memory, project: persona.project };
  const [result, setResult] = useState<RecallResult | null>(before.announced ?? null);
  const withoutForgotten = useWithoutForgotten((clean) => setResult(clean));
  const forget = useEffectEvent(() => {
    setResult(null);
    onUnwanted();
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `awake` asks again
  useEffect(() => {
    if (!wanted) {
      forget();
      return;
    }
    const asking = new AbortController();
    const timer = setTimeout(() => {
      const { signal } = asking;
      const ask = async (): Promise<RecallResult | null> => {
        if (movedFrom !== null && !(await memory.topicMoved(text, movedFrom, { draft: true, signal })))
          return null;
        return await memory.recall({
          text,
          draft: true,
          // Asks as the turn will, so that the shown passages and their cost are those that will be sent.
          ...(hasModel ? { purpose: 'inject' as const } : {}),
          signal,
          ...(conversationId ? { currentConversation: conversationId } : {}),
          ...(from ? { from } : {}),
          persona: reach,
        });
      };
      ask().then(
        (found) => {
          if (!signal.aborted) setResult(withoutForgotten(found));
        },
        (error: unknown) => {
          // Recall while writing is optional: the message can be written without it, and Activity shows the problem.
          if (!isAbort(error)) setResult(null);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [memory, from, conversationId, movedFrom, reach?.memory, reach?.project, text, wanted, awake, hasModel]);

  // Neither shows nor sends passages deleted or forbidden since.
  const usable = useUsablePassages();
  return useMemo(
    () => result && { ...result, passages: usable(result.passages), nearMisses: usable(result.nearMisses) },
    [result, usable],
  );
}

/** Reports the shown passages and which are ticked, as long as they are shown. */
function useAnnouncedChoice(
  shown: RecallResult | null,
  ticks: Ticks,
  onChange: RecallChipProps['onChange'],
): void {
  const ids = [...new Set(shown?.passages.map((passage) => passage.messageId))];
  const without = ids.filter((id) => !isTicked(ticks, id)).join(' ');
  const notify = useEffectEvent(onChange);
  useEffect(() => {
    notify({
      withoutPassages: without === '' ? [] : without.split(' ').map(asMessageId),
      ...(shown && shown.passages.length > 0 ? { announced: shown } : {}),
    });
  }, [without, shown]);
  // Does not send passages that are no longer shown.
  useEffect(() => () => notify({}), []);
}
