// Form for a new account: which relay, and a test that answers in a sentence.
import { Check } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { orElse } from '../../domain/base/log.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { sentences } from '../i18n/sentences.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../shell/controls.tsx';
import { ProblemNotice, useProblemWords } from '../shell/problem-notice.tsx';
import { AccountTokenField, RelayAddressField } from './relay-fields.tsx';

/** Current name of this device. */
export function useGuessedName(): string {
  const { deviceName } = useApp();
  return useReadable(deviceName.own) ?? deviceName.get();
}

/** Address of this page's server as a relay: one command can serve both. */
const ownAddress = () => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}`;

/** Address of this page's server once it has answered as a relay; null before, and where none runs. */
function useOwnRelay(isWanted: boolean): string | null {
  const { sync } = useApp();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    let here = true;
    const own = ownAddress();
    const asked = sync.test(own).then(() => true);
    void orElse(asked, false, 'asking whether a relay serves this page').then((answered) => {
      if (here && answered) setAddress(own);
    });
    return () => {
      here = false;
    };
  }, [sync, isWanted]);
  return address;
}

/** Browsers refuse unencrypted connections to other machines from a page served over HTTPS. */
const isMixed = (endpoint: string): boolean =>
  location.protocol === 'https:' &&
  /^(?:ws|http):\/\//i.test(endpoint.trim()) &&
  !/^\w+:\/\/(?:localhost|127\.|\[::1\])/i.test(endpoint.trim());

type Tested =
  | { readonly state: 'no' | 'testing' | 'good' }
  | { readonly state: 'bad'; readonly problem: Problem };

/** Asks a relay if it would accept this device; later typing discards the answer. */
function useRelayTest() {
  const { sync } = useApp();
  const [tested, setTested] = useState<Tested>({ state: 'no' });
  const turn = useRef(0);
  const forget = () => {
    turn.current += 1;
    setTested({ state: 'no' });
  };
  const test = (endpoint: string, token?: string) => {
    turn.current += 1;
    const mine = turn.current;
    const settle = (next: Tested) => {
      if (turn.current === mine) setTested(next);
    };
    setTested({ state: 'testing' });
    sync.test(endpoint, token).then(
      () => settle({ state: 'good' }),
      (error: unknown) => settle({ state: 'bad', problem: toProblem(error) }),
    );
  };
  useEffect(
    () => () => {
      turn.current += 1;
    },
    [],
  );
  return { tested, test, forget };
}

/** `deviceName`: as typed above the form; empty: the guessed one. */
export function AccountForm({ mode, deviceName }: { mode: 'remote' | 'managed'; deviceName: string }) {
  const { t } = useTranslation('sync');
  const { sync, settings } = useApp();
  const kept = useReadable(settings.config, (config) => config.sync.remote.endpoint);
  const guess = useGuessedName();
  const [endpoint, setEndpoint] = useState(kept);
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const [making, setMaking] = useState(false);
  const { tested, test, forget } = useRelayTest();
  const words = useProblemWords();
  const managed = mode === 'managed';
  const ready = endpoint.trim() !== '' && (!managed || token.trim() !== '');
  const isEmpty = endpoint.trim() === '' && !managed;
  const own = useOwnRelay(isEmpty);

  const create = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || making) return;
    setMaking(true);
    setProblem(null);
    sync
      .create({
        endpoint,
        deviceName: deviceName.trim() || guess,
        mode,
        ...(managed ? { token: token.trim() } : {}),
      })
      .then(
        () => toast(t('create.done')),
        (error: unknown) => {
          if (!isAbort(error)) setProblem(toProblem(error));
        },
      )
      .finally(() => setMaking(false));
  };
  const said = tested.state === 'bad' ? words(tested.problem) : null;
  return (
    <form onSubmit={create} className="space-y-4">
      <RelayAddressField
        label={t('create.endpoint')}
        hint={isMixed(endpoint) ? t('create.mixed') : t(`create.endpointHelp.${mode}`)}
        value={endpoint}
        onChange={(typed) => {
          setEndpoint(typed);
          forget();
        }}
      />
      {isEmpty && own !== null && (
        <Button size="sm" variant="ghost" className="-mt-2 -ml-2.5" onClick={() => setEndpoint(own)}>
          {t('create.useOwn', { address: own })}
        </Button>
      )}
      {managed && (
        <AccountTokenField
          label={t('create.token')}
          hint={t('create.tokenHelp')}
          value={token}
          onChange={(typed) => {
            setToken(typed);
            forget();
          }}
        />
      )}
      <div role="status" aria-live="polite">
        {tested.state === 'good' && (
          <p className="flex items-center gap-2 text-ok">
            <Check size={15} aria-hidden className="shrink-0" />
            {t('create.good')}
          </p>
        )}
        {said && <p className="text-danger">{sentences(said.what, said.todo)}</p>}
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={making} disabled={!ready}>
          {t('create.action')}
        </Button>
        <Button
          busy={tested.state === 'testing'}
          disabled={endpoint.trim() === '' || (managed && token.trim() === '')}
          onClick={() => test(endpoint, managed ? token : undefined)}
        >
          {t('create.test')}
        </Button>
      </div>
      <p className="text-ink-3 text-xs">{t('create.makes')}</p>
    </form>
  );
}
