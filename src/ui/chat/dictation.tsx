// Dictation in the composer: its button, the words being heard, and the question before sound leaves the device.
import { Mic, X } from 'lucide-react';
import { useLayoutEffect, useMemo } from 'react';
import type { Dictation } from '../../adapters/browser/dictation.ts';
import { ignore } from '../../domain/base/log.ts';
import { writable } from '../../domain/base/readable.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { onlyTouch } from '../hooks/media.ts';
import { useSession } from '../hooks/session.tsx';
import { languageName } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, Dialog, IconButton } from '../shell/controls.tsx';
import { isComposing, somethingOnTop } from '../shell/shortcuts.ts';
import { DICTATION_OFF, type DictationState, Dictator, dictationTag, spokenInto } from './dictating.ts';
import type { ComposerDraft } from './use-composer-draft.ts';

/** Ends dictation on Esc, and at once when the page is hidden or left. Returns a function that stops watching. */
function watchPage(dictator: Dictator): () => void {
  const watching = new AbortController();
  const options = { capture: true, signal: watching.signal };
  const isOff = () => dictator.state.get().at === 'off';
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || isOff() || isComposing(event) || somethingOnTop()) return;
      event.preventDefault();
      event.stopPropagation();
      dictator.stop();
    },
    options,
  );
  // Runs before the draft is saved for a page that may not come back.
  const take = () => dictator.take();
  document.addEventListener('visibilitychange', () => document.hidden && take(), options);
  window.addEventListener('pagehide', take, options);
  return () => watching.abort();
}

/** Null if the browser has no recogniser. Ends with the composer; words shown by then are in its draft. */
export function useDictation({ area, setText }: ComposerDraft): Dictator | null {
  const { device, settings } = useApp();
  const { language } = useTranslation('chat');
  const dictator = useMemo(() => {
    const make = (dictation: Dictation) =>
      new Dictator({
        dictation,
        language: () =>
          dictationTag(settings.config.get().ui.dictation_language, language, navigator.languages),
        mayLeave: () => settings.config.get().privacy.dictation_by_service,
        allow: () =>
          ignore(
            settings.set('privacy.dictation_by_service', true),
            'that one agreed to dictation by a service; one is asked again',
          ),
        onWords: (words) => {
          const field = area.current;
          if (!field) return;
          const { text, caret } = spokenInto(words, field);
          setText(text, caret);
        },
      });
    return device.dictation && make(device.dictation);
  }, [device, settings, language, area, setText]);
  // Runs before the field unmounts and takes the shown words with it.
  useLayoutEffect(() => {
    if (!dictator) return;
    const stop = watchPage(dictator);
    return () => {
      stop();
      dictator.take();
    };
  }, [dictator]);
  return dictator;
}

const SILENT = writable<DictationState>(DICTATION_OFF);
const hasInterim = (state: DictationState): boolean => 'interim' in state && state.interim !== '';

/** True while dictated words are not yet in the field but would be sent with it. */
export const useHearsWords = (dictator: Dictator | null): boolean =>
  useReadable(dictator?.state ?? SILENT, hasInterim);

export function DictationButton({ dictator }: { dictator: Dictator | null }) {
  return dictator && <PresentButton dictator={dictator} />;
}

function PresentButton({ dictator }: { dictator: Dictator }) {
  const { t } = useTranslation('chat');
  const { readAloud } = useSession();
  const on = useReadable(dictator.state, ({ at }) => at !== 'off');
  return (
    <IconButton
      label={t(on ? 'dictation.stop' : 'dictation.start')}
      {...(on ? { shortcut: 'Escape' } : {})}
      tooltipSide="top"
      pressed={on}
      icon={<Mic size={17} aria-hidden className={classes(on && 'text-accent')} />}
      onClick={() => {
        // Otherwise the microphone would hear the read-aloud voice.
        readAloud.stop();
        ignore(dictator.press(), 'the start of dictation; the button can be pressed again');
      }}
    />
  );
}

/** Line above the text field: the words being heard, or why dictation ended, and the question before it starts. */
export function DictationLine({
  dictator,
  area,
}: {
  dictator: Dictator | null;
  area: ComposerDraft['area'];
}) {
  return dictator && <PresentLine dictator={dictator} area={area} />;
}

function PresentLine({ dictator, area }: { dictator: Dictator; area: ComposerDraft['area'] }) {
  const { t } = useTranslation('chat');
  const state = useReadable(dictator.state);
  const { at } = state;
  const on = at !== 'off' && at !== 'asking';
  return (
    <>
      {/* Rendered before it has text: screen readers announce only changes within an existing region. */}
      <div className={classes(on && 'flex items-start gap-2 border-b px-4 py-2 text-sm')}>
        {on && (
          <span
            aria-hidden
            className={classes(
              'mt-1.5 size-2 shrink-0 rounded-full',
              at === 'listening' ? 'animate-pulse bg-danger' : 'bg-ink-3',
            )}
          />
        )}
        <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <p role="status" className={classes(on && 'text-ink-2')}>
            {on && t(at === 'listening' && onlyTouch() ? 'dictation.listeningTouch' : `dictation.${at}`)}
          </p>
          {'interim' in state && state.interim !== '' && (
            <p dir="auto" className="max-h-24 overflow-y-auto italic" data-interim>
              {state.interim}
            </p>
          )}
        </div>
      </div>
      {at === 'off' && state.problem !== null && (
        <div role="alert" className="flex items-start gap-2 border-b px-4 py-2 text-danger text-sm">
          <span className="min-w-0 flex-1">{t(`dictation.problem.${state.problem}`)}</span>
          <IconButton
            size="sm"
            label={t('close')}
            icon={<X size={14} aria-hidden />}
            onClick={() => {
              dictator.dismiss();
              if (!onlyTouch()) area.current?.focus();
            }}
          />
        </div>
      )}
      <Question dictator={dictator} />
    </>
  );
}

function Question({ dictator }: { dictator: Dictator }) {
  const { t } = useTranslation('chat');
  const state = useReadable(dictator.state);
  if (state.at !== 'asking') return null;
  const { about } = state;
  const choose = (way: 'download' | 'service') =>
    ignore(dictator.choose(way), 'the start of dictation; the button can be pressed again');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && dictator.take()}
      size="sm"
      title={t(`dictation.${about}.title`)}
      footer={
        <>
          <Button onClick={() => dictator.take()}>{t('cancel')}</Button>
          {about === 'download' && (
            <Button onClick={() => choose('service')}>{t('dictation.download.other')}</Button>
          )}
          <Button variant="primary" onClick={() => choose(about)}>
            {t(`dictation.${about}.agree`)}
          </Button>
        </>
      }
    >
      <div className="space-y-2 text-ink-2">
        <p>{t(`dictation.${about}.text`, { language: languageName(state.language) })}</p>
        {about === 'service' && <p>{t('dictation.service.later')}</p>}
      </div>
    </Dialog>
  );
}
