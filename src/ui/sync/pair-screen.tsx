// "Pair this device": an opened link, a pasted link or 24 words, or a QR code from camera or picture. Nothing happens
// before the person has seen the fingerprint and agreed; a key that opens nothing is refused.
import { Camera, Check, ImageUp, Link2, ShieldCheck } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import { isAbort, type Problem, toProblem } from '../../domain/base/errors.ts';
import { ignore, log } from '../../domain/base/log.ts';
import type { PairingOffer } from '../../domain/sync/pairing.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, FilePicker, submitByEnter, TextField } from '../shell/controls.tsx';
import { Header } from '../shell/header.tsx';
import { ProblemNotice } from '../shell/problem-notice.tsx';
import { useGuessedName } from './account-form.tsx';
import { Fingerprint } from './pair-device.tsx';
import { openedLink } from './pairing-link.ts';
import { pixelsOfFile } from './picture.ts';
import { AccountTokenField, RelayAddressField } from './relay-fields.tsx';
import { mayHaveCamera, ScanDialog } from './scan.tsx';
import { joinedOlder, useSyncAccount, useSyncStatus } from './use-sync.ts';
import { looksLikeWords, PHRASE_WORDS, type TypedWord, typedWords } from './words.ts';

/** How the pairing data was entered. */
type Source = 'link' | 'typed' | 'scan';

export function PairScreen() {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const navigation = useNavigation();
  const { account } = useSyncStatus();
  const kept = useSyncAccount();
  const link = useReadable(openedLink);
  const [offer, setOffer] = useState<{ offer: PairingOffer; source: Source } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);

  // Shows a link's data at once, and forgets it with this screen.
  useEffect(() => {
    if (link === null) return;
    try {
      setOffer({ offer: sync.readOffer(link), source: 'link' });
      setProblem(null);
    } catch (error) {
      setOffer(null);
      setProblem(toProblem(error));
    }
  }, [sync, link]);
  useEffect(() => () => openedLink.set(null), []);

  const again = () => {
    openedLink.set(null);
    setOffer(null);
    setProblem(null);
  };
  const mine = account?.fingerprint ?? kept?.fingerprint ?? null;
  let body: ReactNode;
  if (mine !== null)
    body = (
      <div className="space-y-4">
        <Notice icon={<ShieldCheck size={18} aria-hidden className="text-ok" />}>
          {t(
            account === null
              ? 'join.asleep'
              : offer?.offer.fingerprint === mine
                ? 'join.same'
                : 'join.already',
          )}
        </Notice>
        <Fingerprint value={mine} help={t('fingerprint.same')} />
        <Button onClick={() => navigation.openScreen('settings', 'sync')}>{t('join.toSettings')}</Button>
      </div>
    );
  else if (offer) body = <Confirmation offer={offer.offer} source={offer.source} onAgain={again} />;
  else
    body = (
      <>
        {problem && <ProblemNotice problem={problem} className="mb-5" />}
        <Entry
          onOffer={(next, source) => {
            setProblem(null);
            setOffer({ offer: next, source });
          }}
        />
      </>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <Header>
        <h1 className="truncate font-semibold">{t('join.title')}</h1>
      </Header>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <div className="@container mx-auto w-full max-w-140 px-4 pt-4 pb-24">{body}</div>
      </div>
    </div>
  );
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  const words = useRef<HTMLParagraphElement>(null);
  // The link is gone from the address, so focuses this text for screen readers to announce.
  useEffect(() => {
    if (document.activeElement === document.body) words.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className="flex gap-3 rounded-lg bg-side px-4 py-3">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <p ref={words} tabIndex={-1} className="min-w-0 outline-none">
        {children}
      </p>
    </div>
  );
}

// ── pairing data ───────────────────────────────────────────────────────────────────────────────────────────────────

function Entry({ onOffer }: { onOffer: (offer: PairingOffer, source: Source) => void }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const [text, setText] = useState('');
  const [refused, setRefused] = useState<string | null>(null);
  const [scanning, setScanning] = useState(false);
  const id = useId();
  const asWords = looksLikeWords(text);
  const words = useMemo(() => (asWords ? typedWords(text) : []), [asWords, text]);
  const unknown = words.filter((word) => word.state === 'unknown').length;

  const read = (from: string, source: Source): boolean => {
    try {
      onOffer(sync.readOffer(from), source);
      return true;
    } catch (error) {
      setRefused(t(...refusalOf(toProblem(error), from, words.length, unknown)));
      return false;
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') read(text, 'typed');
  };
  return (
    <div className="space-y-6">
      <p className="text-ink-2">{t('join.lead')}</p>
      <div className="flex flex-wrap gap-2">
        {mayHaveCamera() && (
          <Button
            variant="primary"
            icon={<Camera size={16} aria-hidden />}
            onClick={() => {
              setRefused(null);
              setScanning(true);
            }}
          >
            {t('scan.open')}
          </Button>
        )}
        <QrPictureButton onText={(found) => read(found, 'scan')} onRefused={setRefused} />
      </div>
      <form onSubmit={submit} className="space-y-3">
        <label htmlFor={id} className="block font-medium">
          {t('join.paste')}
        </label>
        <textarea
          id={id}
          rows={4}
          value={text}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          aria-describedby={`${id}-said`}
          aria-invalid={refused !== null || unknown > 0 ? true : undefined}
          onChange={(event) => {
            setText(event.target.value);
            setRefused(null);
          }}
          enterKeyHint="next"
          onKeyDown={submitByEnter}
          className="-mt-1 block w-full rounded-md border border-line-strong bg-paper px-3 py-2 font-mono text-sm leading-6 hover:border-ink-3 focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-invalid:border-danger pointer-coarse:text-base"
        />
        <div id={`${id}-said`}>
          {refused !== null ? (
            <p role="alert" className="text-danger text-xs">
              {refused}
            </p>
          ) : asWords ? (
            <p role="status" className="text-ink-3 text-xs">
              {t('join.counted', { count: words.length, all: PHRASE_WORDS })}
            </p>
          ) : (
            <p className="text-ink-3 text-xs">{t('join.pasteHelp')}</p>
          )}
        </div>
        {asWords && <TypedWords words={words} />}
        <Button type="submit" disabled={text.trim() === ''}>
          {t('join.next')}
        </Button>
      </form>
      <ScanDialog
        open={scanning}
        onOpenChange={setScanning}
        onText={(found) => {
          if (!/pair=/.test(found)) return false;
          setScanning(false);
          read(found, 'scan');
          return true;
        }}
      />
    </div>
  );
}

/** Reason why pairing data opens nothing, as a key of the words with its figures. */
function refusalOf({ code }: Problem, text: string, words: number, unknown: number) {
  if (code === 'sync-link') return ['join.badLink'] as const;
  if (!looksLikeWords(text)) return ['join.neither'] as const;
  if (unknown > 0) return ['join.unknownWords', { count: unknown }] as const;
  return [words === PHRASE_WORDS ? 'join.badSum' : 'join.count', { count: words }] as const;
}

/** Finds the QR code in a picture. Calls `onRefused` with null as soon as another picture is read. */
function QrPictureButton({
  onText,
  onRefused,
}: {
  onText: (text: string) => void;
  onRefused: (why: string | null) => void;
}) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const [reading, setReading] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const readPicture = (picked: File | undefined) => {
    if (!picked) return;
    setReading(true);
    onRefused(null);
    pixelsOfFile(picked)
      .then((pixels) => (pixels ? sync.readQr(pixels) : null))
      .then((found) => {
        if (found === null) onRefused(t('scan.noCode'));
        else if (!/pair=/.test(found)) onRefused(t('scan.other'));
        else onText(found);
      })
      .catch((error: unknown) => {
        log.info('A picture with a pairing code could not be read', error);
        onRefused(t('scan.noCode'));
      })
      .finally(() => setReading(false));
  };
  return (
    <>
      <Button busy={reading} icon={<ImageUp size={16} aria-hidden />} onClick={() => file.current?.click()}>
        {t('scan.picture')}
      </Button>
      <FilePicker ref={file} accept="image/*" data-import="qr" onFiles={([picked]) => readPicture(picked)} />
    </>
  );
}

/** Shows the words recognised so far, in order. */
function TypedWords({ words }: { words: readonly TypedWord[] }) {
  const { t } = useTranslation('sync');
  return (
    <ol aria-label={t('pair.ways.words')} className="flex flex-wrap gap-1.5">
      {words.map((word, at) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: a word may occur twice; its position identifies it
          key={`${at} ${word.text}`}
          className={classes(
            'inline-flex items-center gap-1.5 rounded-sm px-1.5 py-0.5 font-mono text-xs',
            word.state === 'unknown' ? 'bg-danger-soft text-danger' : 'bg-fill text-ink-2',
          )}
        >
          <span aria-hidden className="opacity-70">
            {at + 1}
          </span>
          {word.text}
          {word.state === 'known' && <Check size={11} aria-hidden className="text-ok" />}
          {word.state === 'unknown' && (
            <span className="font-sans">
              {word.meant ? t('join.meant', { word: word.meant }) : t('join.unknown')}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}

// ── confirmation ───────────────────────────────────────────────────────────────────────────────────────────────────

function Confirmation({
  offer,
  source,
  onAgain,
}: {
  offer: PairingOffer;
  source: Source;
  onAgain: () => void;
}) {
  const { t } = useTranslation('sync');
  const { sync, documents, settings } = useApp();
  const navigation = useNavigation();
  const guess = useGuessedName();
  const known = useReadable(settings.config, (config) => config.sync.remote.endpoint);
  const own = useReadable(
    documents.library,
    (library) => library.entries.filter((entry) => !entry.sample && entry.deletedAt === null).length,
  );
  const [name, setName] = useState(guess);
  const [endpoint, setEndpoint] = useState(known);
  const [token, setToken] = useState('');
  const [joining, setJoining] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const asks = offer.endpoint === null;
  const ready = name.trim() !== '' && (!asks || endpoint.trim() !== '');

  const join = (event: FormEvent) => {
    event.preventDefault();
    if (!ready || joining) return;
    setJoining(true);
    setProblem(null);
    const typed = asks ? { endpoint: endpoint.trim(), token: token.trim() } : {};
    sync.join(offer, { deviceName: name.trim(), ...typed }).then(
      () => {
        toast(t('join.done'));
        ignore(
          joinedOlder(sync).then((older) => older && toast.warning(t('join.older'), { duration: 20_000 })),
          'whether the account is older; the sync log says it as well',
        );
        navigation.openScreen('settings', 'sync');
      },
      (error: unknown) => {
        setJoining(false);
        if (!isAbort(error)) setProblem(toProblem(error));
      },
    );
  };
  return (
    <form onSubmit={join} className="space-y-5">
      <Notice icon={<Link2 size={18} aria-hidden className="text-ink-3" />}>
        {t(`join.from.${source}`)}
      </Notice>
      <Fingerprint value={offer.fingerprint} help={t('fingerprint.compare')} />
      {offer.endpoint !== null ? (
        <div>
          <p className="font-medium">{t('account.relay')}</p>
          <p className="mt-0.5 break-all text-ink-2">{offer.endpoint}</p>
          {offer.token !== null && <p className="mt-0.5 text-ink-3 text-xs">{t('join.managed')}</p>}
        </div>
      ) : (
        <>
          <RelayAddressField
            label={t('create.endpoint')}
            hint={t('join.endpointHelp')}
            value={endpoint}
            onChange={setEndpoint}
          />
          <AccountTokenField
            label={t('join.token')}
            hint={t('join.tokenHelp')}
            value={token}
            onChange={setToken}
          />
        </>
      )}
      <TextField
        label={t('device.name')}
        hint={t('device.nameHelp')}
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <p className="text-ink-2">{own > 0 ? t('join.merges', { count: own }) : t('join.fetches')}</p>
      {problem && <ProblemNotice problem={problem} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={joining} disabled={!ready}>
          {t('join.action')}
        </Button>
        <Button disabled={joining} onClick={onAgain}>
          {t('join.other')}
        </Button>
      </div>
    </form>
  );
}
