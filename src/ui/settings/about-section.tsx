// Shows the version, the configuration as a file, and the licences of the models that ship with the app.
import { Download, FileUp, RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { BUNDLED_MODELS } from '../../adapters/embedding/bundled-models.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { log } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { wordsFor } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Confirm, Dialog, FilePicker, Spinner } from '../shell/controls.tsx';
import { download, useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { DiagnosticsGroup } from './diagnostics.tsx';
import { keyOfOtherOrigin } from './key-of-other-origin.ts';
import { Group, Row } from './rows.tsx';

/** From package.json, inserted by the build. */
const VERSION: unknown = import.meta.env.VITE_VERSION;

export function AboutSection() {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const unsaved = useReadable(settings.problem);
  return (
    <>
      <div>
        <p className="text-ink-2">{t('about.lead')}</p>
        {typeof VERSION === 'string' && VERSION !== '' && (
          <p className="mt-1 text-ink-3 text-xs">
            {t('about.version')} {VERSION}
          </p>
        )}
      </div>
      {unsaved && <ProblemNotice problem={unsaved} />}
      <InstallGroup />
      <ConfigurationGroup />
      <LicencesGroup />
      <DiagnosticsGroup version={typeof VERSION === 'string' ? VERSION : ''} />
    </>
  );
}

/** Offers what the browser can do now: update the app, or install it with its own window. */
function InstallGroup() {
  const { t } = useTranslation('settings');
  const { device } = useApp();
  const report = useReport();
  const install = useReadable(device.install);
  const update = useReadable(device.update);
  if (!update && !install) return null;
  return (
    <Group>
      {update && (
        <Row label={t('about.update')} help={t('about.updateText')}>
          <Button variant="primary" onClick={update}>
            {t('about.updateAction')}
          </Button>
        </Row>
      )}
      {install && (
        <Row label={t('about.install')} help={t('about.installText')}>
          <Button onClick={() => void install().catch(report)}>{t('about.install')}</Button>
        </Row>
      )}
    </Group>
  );
}

/** Exports and imports the settings as a file, and resets them. */
function ConfigurationGroup() {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const report = useReport();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asking, setAsking] = useState(false);
  const file = useRef<HTMLInputElement>(null);

  const read = (picked: File | undefined) => {
    if (!picked) return;
    setProblem(null);
    picked
      .text()
      .then((text) => settings.importYaml(text))
      .then(() => keyOfOtherOrigin(settings))
      .then(
        (origin) =>
          toast(sentences(t('about.imported'), origin !== null && t('models.keyForOther', { origin }))),
        (error: unknown) => setProblem(toProblem(error)),
      );
  };
  const write = () =>
    void settings.exportYaml().then(
      (text) =>
        download({
          name: 'recollect.yaml',
          mediaType: 'application/yaml',
          blob: new Blob([text], { type: 'application/yaml' }),
        }),
      (error: unknown) => setProblem(toProblem(error)),
    );
  return (
    <Group title={t('about.config')}>
      <div className="py-3">
        <p className="text-ink-3 text-xs">{t('about.configText')}</p>
        <div className="mt-3 flex flex-wrap gap-2">
          <Button icon={<Download size={15} aria-hidden />} onClick={write}>
            {t('about.export')}
          </Button>
          <Button icon={<FileUp size={15} aria-hidden />} onClick={() => file.current?.click()}>
            {t('about.import')}
          </Button>
          <Button variant="ghost" icon={<RotateCcw size={15} aria-hidden />} onClick={() => setAsking(true)}>
            {t('about.reset')}
          </Button>
          <FilePicker
            ref={file}
            accept=".yaml,.yml,application/yaml,text/yaml"
            data-import="configuration"
            onFiles={([picked]) => read(picked)}
          />
        </div>
        {problem && <ProblemNotice problem={problem} className="mt-3" />}
      </div>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('about.resetTitle')}
        action={t('about.resetAction')}
        danger
        onConfirm={() => {
          settings
            .reset()
            .then(
              (undo) =>
                offer(t('about.resetDone'), { label: t('undo'), onClick: () => void undo().catch(report) }),
              report,
            );
        }}
      >
        {t('about.resetText')}
      </Confirm>
    </Group>
  );
}

/** Licence of each model that ships with the app. */
function LicencesGroup() {
  const { t } = useTranslation('settings');
  const [notice, setNotice] = useState<string | null>(null);
  return (
    <Group title={t('about.licences')}>
      {BUNDLED_MODELS.map((model) => (
        <Row
          key={model.id}
          label={model.id}
          help={[
            wordsFor('settings', `about.languages.${model.languages.join(' ')}`),
            t('about.licence', { name: model.licence }),
          ].join(' · ')}
        >
          <Button
            size="sm"
            variant="ghost"
            aria-label={`${t('about.notice')}: ${model.id}`}
            onClick={() => setNotice(model.id)}
          >
            {t('about.notice')}
          </Button>
        </Row>
      ))}
      <Dialog
        open={notice !== null}
        onOpenChange={() => setNotice(null)}
        size="lg"
        title={t('about.noticeTitle', { name: notice ?? '' })}
      >
        {notice !== null && <Notice model={notice} />}
      </Dialog>
    </Group>
  );
}

/** Shows the notice file that lies beside the model. */
function Notice({ model }: { model: string }) {
  const { t } = useTranslation('settings');
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const reading = new AbortController();
    fetch(`/models/${model}/NOTICE.md`, { signal: reading.signal })
      .then((response) => (response.ok ? response.text() : Promise.reject(new Error(`${response.status}`))))
      .then(setText, (error: unknown) => {
        if (reading.signal.aborted) return;
        log.warn('The notice of a model could not be read', error);
        setText(t('about.noticeMissing'));
      });
    return () => reading.abort();
  }, [model, t]);
  return text === null ? (
    <Spinner className="text-ink-3" />
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must scroll by keyboard
    <pre tabIndex={0} className="whitespace-pre-wrap break-words font-mono text-ink-2 text-xs">
      {text}
    </pre>
  );
}
