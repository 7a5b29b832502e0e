// Screen of a locked device: drawn before any of the person's text is in memory. It knows the
// lock's records and no other service.
import { Fingerprint } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { launchedFiles } from '../../adapters/browser/launched-files.ts';
import { isRecoveryPhrase, type Opener } from '../../adapters/vault/key-slots.ts';
import type { LockRecord, LockRecords } from '../../adapters/vault/lock-records.ts';
import { type Problem, RecollectError, toProblem } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import type { KeyHolder } from '../../services/lock/key-holder.ts';
import { passkeyOpener } from '../../services/lock/lock-service.ts';
import { countShared } from '../../services/lock/shared.ts';
import { unlock } from '../../services/lock/slots.ts';
import { useReadable } from '../hooks/app.tsx';
import { languageFor, setLanguage } from '../i18n/index.ts';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, Progress, submitByEnter, TextArea, TooltipProvider } from '../shell/controls.tsx';
import { removeFirstPaint } from '../shell/early-words.ts';
import { Logo } from '../shell/logo.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { SecretField } from '../shell/secret-field.tsx';
import { useVisibleArea } from '../shell/visible-area.ts';
import { WHOLE_SCREEN } from '../shell/whole-screen.ts';
import { EraseDialog } from './erase-dialog.tsx';

interface Parts {
  readonly records: LockRecords;
  readonly holder: KeyHolder;
}

/** Owns the page until the app is drawn. */
export class UnlockScreen {
  readonly #container: HTMLElement;
  #root: Root | null = null;

  constructor(container: HTMLElement) {
    this.#container = container;
  }

  /**
   * Resolves when this thread holds the key: entered here, or handed over by another
   * window that was unlocked meanwhile.
   */
  async ask({ records, holder }: Parts): Promise<void> {
    const record = await records.read();
    await setLanguage(languageFor(record.language, navigator.languages));
    const found = new Promise<void>((resolve) => {
      const stop = holder.subscribe((type) => {
        if (type !== 'key') return;
        stop();
        resolve();
      });
    });
    const shared = await orElse(countShared(records), 0, 'the count of shared items; they wait without it');
    this.#draw(<Ask parts={{ records, holder }} slots={record.slots} shared={shared} />);
    await found;
  }

  /** Shows how many entries of an unfinished conversion are done. */
  progress(done: number, all: number): void {
    this.#draw(<Finishing done={done} all={all} />);
  }

  close(): void {
    this.#root?.unmount();
    this.#root = null;
  }

  #draw(content: React.ReactNode): void {
    removeFirstPaint();
    this.#root ??= createRoot(this.#container);
    this.#root.render(<TooltipProvider>{content}</TooltipProvider>);
  }
}

function Finishing({ done, all }: { done: number; all: number }) {
  const { t } = useTranslation('lock');
  return (
    <main className={WHOLE_SCREEN}>
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('finishing')}</h1>
      <div className="w-full max-w-80">
        <Progress label={t('finishing')} value={all > 0 ? done / all : 0} />
      </div>
      <p role="status" className="text-ink-2 tabular-nums">
        {t('finishingText', { done, all })}
      </p>
    </main>
  );
}

/** Number of shares that arrived while the device was locked. */
function Waiting({ shared }: { shared: number }) {
  const { t } = useTranslation('lock');
  const files = useReadable(launchedFiles()).length;
  return (
    <div role="status" className="text-center text-ink-2">
      {files > 0 && <p>{t('filesWait', { count: files })}</p>}
      {shared > 0 && <p>{t('sharedWait', { count: shared })}</p>}
    </div>
  );
}

interface AskProps {
  readonly parts: Parts;
  readonly slots: LockRecord['slots'];
  /** Number of shares from other apps that wait to be taken. */
  readonly shared: number;
}

function Ask({ parts, slots, shared }: AskProps) {
  const { t } = useTranslation('lock');
  const [byWords, setByWords] = useState(false);
  const [erasing, setErasing] = useState(false);
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const wait = useWait(problem);
  useVisibleArea();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => void performance.mark('recollect:asks'), []);
  const has = (kind: string) => slots.some((slot) => slot.kind === kind);
  const tryIt = async (opener: () => Promise<Opener>) => {
    setBusy(true);
    setProblem(null);
    try {
      const key = await unlock(parts.records, await opener());
      performance.mark('recollect:unlocked');
      parts.holder.hold(key);
    } catch (error) {
      setProblem(toProblem(error));
      setBusy(false);
      field.current?.select();
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy || wait > 0 || text === '') return;
    void tryIt(async () => {
      if (!byWords) return { kind: 'passphrase', passphrase: text };
      if (!isRecoveryPhrase(text))
        throw new RecollectError('lock-phrase', 'These are not 24 words of the list');
      return { kind: 'recovery', words: text };
    });
  };
  const other = () => {
    setByWords(!byWords);
    setText('');
    setProblem(null);
  };
  const error = <ProblemWords problem={problem} wait={wait} />;
  return (
    <main className={WHOLE_SCREEN}>
      <Logo size={40} />
      <h1 className="font-semibold text-xl">{t('title')}</h1>
      <p className="text-center text-ink-2">{t('lead')}</p>
      <Waiting shared={shared} />
      <form onSubmit={submit} className="flex w-full max-w-80 flex-col gap-3">
        {byWords ? (
          <TextArea
            label={t('words')}
            hint={t('wordsHint')}
            error={problem && error}
            rows={5}
            autoFocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            enterKeyHint="go"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={submitByEnter}
          />
        ) : (
          <SecretField
            ref={field}
            label={t('passphrase')}
            error={problem && error}
            autoFocus
            autoComplete="current-password"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
        <Button type="submit" variant="primary" busy={busy} disabled={wait > 0 || text === ''}>
          {t('unlock')}
        </Button>
        {has('passkey') && !byWords && (
          <Button
            icon={<Fingerprint size={16} aria-hidden />}
            disabled={busy || wait > 0}
            onClick={() => void tryIt(() => passkeyOpener(parts.records))}
          >
            {t('usePasskey')}
          </Button>
        )}
        {has('recovery') && (
          <Button variant="ghost" disabled={busy} onClick={other}>
            {t(byWords ? 'backToPassphrase' : 'forgotten')}
          </Button>
        )}
      </form>
      <Button variant="ghost" size="sm" onClick={() => setErasing(true)}>
        {t('erase.lost')}
      </Button>
      <EraseDialog open={erasing} onClose={() => setErasing(false)} paired={null} />
    </main>
  );
}

/** Problem and remedy, with a countdown in seconds. */
function ProblemWords({ problem, wait }: { problem: Problem | null; wait: number }) {
  const words = useProblemWords();
  if (!problem) return null;
  const counted = problem.code === 'lock-wait' ? { ...problem, params: { seconds: wait } } : problem;
  if (problem.code === 'lock-wait' && wait === 0) return null;
  const { what, kept, todo } = words(counted);
  return <>{sentences(what, kept, todo)}</>;
}

/** Seconds until the next attempt is allowed. */
function useWait(problem: Problem | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const seconds = problem?.code === 'lock-wait' ? Number(problem.params?.seconds ?? 0) : 0;
    setLeft(seconds);
    if (seconds === 0) return;
    const until = Date.now() + seconds * 1000;
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      setLeft(now);
      if (now === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [problem]);
  return left;
}
