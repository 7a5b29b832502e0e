// The browser's own model in the settings: whether it exists, its download, and how to use it. Nothing to type.
import { useEffect, useRef, useState } from 'react';
import {
  BROWSER_MODEL,
  type BrowserModelState,
  browserModelState,
  prepareBrowserModel,
} from '../../adapters/models/browser-model.ts';
import type { Endpoint } from '../../adapters/models/chat-model.ts';
import { BROWSER_URL } from '../../adapters/models/protocols.ts';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore } from '../../domain/base/log.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Progress, Spinner } from '../shell/controls.tsx';
import { Refusal } from './rows.tsx';

/** Null until the browser has answered; a browser without a model answers `unavailable` at once. */
export function useBrowserModel(): BrowserModelState | null {
  const [state, setState] = useState<BrowserModelState | null>(null);
  useEffect(() => {
    let gone = false;
    ignore(
      browserModelState().then((now) => {
        if (!gone) setState(now);
      }),
      "the state of the browser's model; it is not offered then",
    );
    return () => {
      gone = true;
    };
  }, []);
  return state;
}

/** `before`: connection being edited, or null for a new one. `onClose` gets the model that answers from now on. */
export function BrowserModelForm({
  before,
  label,
  onClose,
}: {
  before: Endpoint | null;
  label: string;
  onClose: (connected?: string) => void;
}) {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const state = useBrowserModel();
  /** Downloaded share, 0 to 1; null while nothing is downloading. */
  const [share, setShare] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const use = () => {
    const making = new AbortController();
    running.current = making;
    setProblem(null);
    setShare(0);
    const endpoint: Endpoint = {
      id: before?.id ?? 'browser',
      label: before?.label ?? label,
      baseUrl: BROWSER_URL,
      protocol: 'browser',
      models: [BROWSER_MODEL],
    };
    prepareBrowserModel(making.signal, setShare)
      .then(() => settings.saveEndpoint(endpoint, undefined))
      .then(() => settings.choose({ endpointId: endpoint.id, model: BROWSER_MODEL }))
      .then(
        () => onClose(label),
        (error: unknown) => {
          setShare(null);
          if (!making.signal.aborted && !isAbort(error)) setProblem(toProblem(error));
        },
      );
  };
  const isHere = state === 'available';
  const isBusy = share !== null;
  return (
    <div className="space-y-4">
      <p className="text-ink-2">{t('models.browser.about')}</p>
      <div role="status">
        {state === null ? (
          <Spinner within label={t('models.browser.looking')} className="text-ink-2" />
        ) : isBusy && !isHere ? (
          <div className="space-y-2">
            <p>{t('models.browser.downloading')}</p>
            <Progress value={share} label={t('models.browser.downloading')} />
          </div>
        ) : (
          <p>{t(`models.browser.state.${state}`)}</p>
        )}
      </div>
      <Refusal problem={problem} />
      <div className="sticky -bottom-5 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 border-t bg-raised px-5 py-3">
        <Button onClick={() => onClose()}>{t('cancel')}</Button>
        <Button
          variant="primary"
          busy={isBusy}
          disabled={state === null || state === 'unavailable'}
          onClick={use}
        >
          {t(isHere ? 'models.browser.use' : 'models.browser.download')}
        </Button>
      </div>
    </div>
  );
}
