// Dialogs that change how this device is locked. Each asks in steps for what it needs, and acts at the last step.
import { type FormEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import { isRecoveryPhrase, type Opener } from '../../adapters/vault/key-slots.ts';
import { type Problem, toProblem } from '../../domain/base/errors.ts';
import { useApp } from '../hooks/app.tsx';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { SHORTEST, strengthOf } from '../lock/strength.ts';
import { Button, Dialog, TextField } from '../shell/controls.tsx';
import { useProblemWords } from '../shell/problem-notice.tsx';
import { SecretField } from '../shell/secret-field.tsx';

export type Way = 'passphrase' | 'recovery' | 'passkey';

/** Runs the last step; a problem stays in the dialog. */
function useStep(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    work().then(
      () => {
        setBusy(false);
        onDone();
      },
      (error: unknown) => {
        setBusy(false);
        setProblem(toProblem(error));
      },
    );
  };
  return { busy, problem, run, reset: () => setProblem(null) };
}

function ProblemText({ problem }: { problem: Problem | null }) {
  const words = useProblemWords();
  if (!problem) return null;
  const { what, kept, todo } = words(problem);
  return (
    <p role="alert" className="text-danger text-xs">
      {sentences(what, kept, todo)}
    </p>
  );
}

interface StepProps {
  readonly action: string;
  readonly busy?: boolean;
  readonly disabled?: boolean;
  readonly onBack?: (() => void) | undefined;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** One step of a dialog: its content, and the buttons below. */
function Step({ action, busy = false, disabled = false, onBack, onSubmit, children }: StepProps) {
  const { t } = useTranslation('lock');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy && !disabled) onSubmit();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {children}
      <div className="flex flex-wrap justify-end gap-2">
        {onBack && (
          <Button variant="ghost" disabled={busy} onClick={onBack}>
            {t('on.back')}
          </Button>
        )}
        <Button type="submit" variant="primary" busy={busy} disabled={disabled}>
          {action}
        </Button>
      </div>
    </form>
  );
}

/** Asks for a new passphrase twice. */
function NewPassphrase({
  action,
  busy = false,
  problem = null,
  onChosen,
}: {
  action: string;
  busy?: boolean;
  problem?: Problem | null;
  onChosen: (passphrase: string) => void;
}) {
  const { t } = useTranslation('lock');
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const length = [...first].length;
  const isShort = length > 0 && length < SHORTEST;
  const differ = second !== '' && first !== second;
  const strength = t(`on.strength.${strengthOf(first)}`);
  return (
    <Step
      action={action}
      busy={busy}
      disabled={length < SHORTEST || first !== second}
      onSubmit={() => onChosen(first)}
    >
      <SecretField
        label={t('passphrase')}
        hint={length === 0 ? t('on.hint') : isShort ? t('on.short', { count: length }) : strength}
        autoComplete="new-password"
        data-first-focus
        value={first}
        onChange={(event) => setFirst(event.target.value)}
      />
      <SecretField
        label={t('on.again')}
        error={differ && t('on.differ')}
        autoComplete="new-password"
        value={second}
        onChange={(event) => setSecond(event.target.value)}
      />
      <ProblemText problem={problem} />
    </Step>
  );
}

/** Shows the recovery phrase once, then asks for three of its words. */
function WordsSteps({
  words,
  action,
  busy,
  problem,
  onKept,
}: {
  words: string;
  action: string;
  busy: boolean;
  problem: Problem | null;
  onKept: () => void;
}) {
  const { t } = useTranslation('lock');
  const list = words.split(' ');
  const [isChecking, setChecking] = useState(false);
  const asked = useMemo(() => threeOf(words.split(' ').length), [words]);
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({});
  const isRight = (at: number) => typed[at]?.trim().toLowerCase() === list[at];
  if (!isChecking)
    return (
      <Step action={t('on.wrote')} onSubmit={() => setChecking(true)}>
        <p>{t('on.wordsText')}</p>
        <ol
          className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-lg bg-fill p-4 font-mono text-sm sm:grid-cols-3"
          translate="no"
          lang="en"
        >
          {list.map((word, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a word may occur twice, its position only once
            <li key={at}>
              <span className="inline-block w-7 text-ink-3">{at + 1}</span>
              {word}
            </li>
          ))}
        </ol>
      </Step>
    );
  return (
    <Step
      action={action}
      busy={busy}
      disabled={!asked.every(isRight)}
      onBack={() => setChecking(false)}
      onSubmit={onKept}
    >
      <p>{t('on.checkText')}</p>
      {asked.map((at, n) => (
        <TextField
          key={at}
          label={t('on.word', { number: at + 1 })}
          error={
            Boolean(typed[at]) &&
            !isRight(at) &&
            !list[at]?.startsWith(typed[at] ?? '') &&
            t('on.wrongWord', { number: at + 1 })
          }
          autoFocus={n === 0}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={typed[at] ?? ''}
          onChange={(event) => setTyped({ ...typed, [at]: event.target.value })}
        />
      ))}
      <ProblemText problem={problem} />
    </Step>
  );
}

/** Three of `count` positions, ascending. */
function threeOf(count: number): readonly number[] {
  const places = new Set<number>();
  while (places.size < 3) places.add((crypto.getRandomValues(new Uint8Array(1))[0] as number) % count);
  return [...places].sort((a, b) => a - b);
}

/** The typed secret: a recovery phrase if it is 24 words, else the passphrase. */
const openerOf = (text: string): Opener =>
  isRecoveryPhrase(text) ? { kind: 'recovery', words: text } : { kind: 'passphrase', passphrase: text };

/** Asks for what unlocks the device now. */
function Present({
  text,
  action,
  busy = false,
  problem = null,
  onGiven,
}: {
  text: string;
  action: string;
  busy?: boolean;
  problem?: Problem | null;
  onGiven: (opener: Opener) => void;
}) {
  const { t } = useTranslation('lock');
  const [secret, setSecret] = useState('');
  return (
    <Step action={action} busy={busy} disabled={secret === ''} onSubmit={() => onGiven(openerOf(secret))}>
      <p>{text}</p>
      <SecretField
        label={t('passphrase')}
        hint={t('forgottenHere')}
        autoComplete="current-password"
        data-first-focus
        value={secret}
        onChange={(event) => setSecret(event.target.value)}
      />
      <ProblemText problem={problem} />
    </Step>
  );
}

/** Dialog that restarts its steps whenever it opens. */
function Steps({
  open,
  title,
  onClose,
  children,
}: {
  open: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog open={open} onOpenChange={(next) => !next && onClose()} title={title} size="md">
      {open && children}
    </Dialog>
  );
}

export function TurnOnDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation('lock');
  const [passphrase, setPassphrase] = useState<string | null>(null);
  useEffect(() => {
    if (!open) setPassphrase(null);
  }, [open]);
  return (
    <Steps open={open} onClose={onClose} title={t(passphrase === null ? 'on.title' : 'on.wordsTitle')}>
      {passphrase === null ? (
        <>
          <p className="pb-3">{sentences(t('on.text'), t('on.index'))}</p>
          <NewPassphrase action={t('on.next')} onChosen={setPassphrase} />
        </>
      ) : (
        <Seal passphrase={passphrase} onDone={onClose} />
      )}
    </Steps>
  );
}

function Seal({ passphrase, onDone }: { passphrase: string; onDone: () => void }) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const [words] = useState(() => lock.newPhrase());
  const { busy, problem, run } = useStep(onDone);
  return (
    <WordsSteps
      {...{ words, busy, problem }}
      action={t('on.begin')}
      onKept={() => run(() => lock.turnOn(passphrase, words))}
    />
  );
}

export function TurnOffDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const { busy, problem, run } = useStep(onClose);
  return (
    <Steps open={open} onClose={onClose} title={t('offDialog.title')}>
      <Present
        {...{ busy, problem }}
        text={t('offDialog.text')}
        action={t('turnOffShort')}
        onGiven={(opener) => run(() => lock.turnOff(opener))}
      />
    </Steps>
  );
}

/** Changes the passphrase or the recovery phrase, or adds a passkey. */
export function ChangeWayDialog({ way, onClose }: { way: Way | null; onClose: () => void }) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const [opener, setOpener] = useState<Opener | null>(null);
  const { busy, problem, run, reset } = useStep(onClose);
  useEffect(() => {
    if (way === null) setOpener(null);
  }, [way]);
  const again = () => {
    setOpener(null);
    reset();
  };
  const isWrong = problem?.code === 'lock-wrong' || problem?.code === 'lock-wait';
  // The change itself checks the secret, so a wrong one is asked for again here.
  useEffect(() => {
    if (isWrong) setOpener(null);
  }, [isWrong]);
  const title = opener === null ? 'ask.title' : way === 'passphrase' ? 'ask.newTitle' : 'on.wordsTitle';
  return (
    <Steps open={way !== null} onClose={onClose} title={t(title)}>
      {opener === null || way === 'passkey' ? (
        <Present
          {...{ busy, problem }}
          text={t('ask.text')}
          action={t('ask.go')}
          onGiven={(given) => {
            if (way === 'passkey') run(() => lock.addPasskey(given));
            else {
              again();
              setOpener(given);
            }
          }}
        />
      ) : way === 'passphrase' ? (
        <NewPassphrase
          {...{ busy, problem }}
          action={t('change')}
          onChosen={(passphrase) => run(() => lock.changePassphrase(opener, passphrase))}
        />
      ) : (
        <NewWords {...{ busy, problem }} onKept={(words) => run(() => lock.changePhrase(opener, words))} />
      )}
    </Steps>
  );
}

function NewWords({
  busy,
  problem,
  onKept,
}: {
  busy: boolean;
  problem: Problem | null;
  onKept: (words: string) => void;
}) {
  const { t } = useTranslation('lock');
  const { lock } = useApp();
  const [words] = useState(() => lock.newPhrase());
  return <WordsSteps {...{ words, busy, problem }} action={t('change')} onKept={() => onKept(words)} />;
}
