// Reads a QR code with the camera, which runs only while the dialog is open; its pictures are sent nowhere.
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { orElse } from '../../domain/base/log.ts';
import { useApp } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Dialog, Spinner } from '../shell/controls.tsx';
import { pixelsOf } from './picture.ts';

/** Interval for reading the picture, ms. */
const SCAN_EVERY_MS = 200;

type Trouble = 'refused' | 'none' | 'failed';

/** True if a camera is possible: insecure pages get none. */
export const mayHaveCamera = (): boolean => typeof navigator.mediaDevices?.getUserMedia === 'function';

function troubleOf(error: unknown): Trouble {
  const name = (error as { name?: unknown } | null)?.name;
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  return name === 'NotFoundError' || name === 'OverconstrainedError' ? 'none' : 'failed';
}

export function ScanDialog({
  open,
  onOpenChange,
  onText,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Called with the text of a detected code; returns false if it is not ours, to go on looking. */
  onText: (text: string) => boolean;
}) {
  const { t } = useTranslation('sync');
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('scan.title')} description={t('scan.lead')}>
      {open && <Camera onText={onText} />}
    </Dialog>
  );
}

function Camera({ onText }: { onText: (text: string) => boolean }) {
  const { t } = useTranslation('sync');
  const { sync } = useApp();
  const video = useRef<HTMLVideoElement>(null);
  const [state, setState] = useState<'starting' | 'looking' | 'other' | Trouble>('starting');
  const isOurs = useEffectEvent(onText);

  useEffect(() => {
    let over = false;
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const scan = async () => {
      const element = video.current;
      const picture = element && pixelsOf(element, element.videoWidth, element.videoHeight);
      const text = picture
        ? await orElse(sync.readQr(picture), null, 'a look for a QR code; the next picture is looked at')
        : null;
      if (over) return;
      if (text !== null && isOurs(text)) return;
      if (text !== null) setState('other');
      timer = setTimeout(() => void scan(), SCAN_EVERY_MS);
    };
    navigator.mediaDevices
      .getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } }, audio: false })
      .then(
        async (started) => {
          stream = started;
          if (over || !video.current) return stop();
          video.current.srcObject = started;
          await orElse(video.current.play(), undefined, 'playing the camera’s picture by script');
          setState('looking');
          await scan();
        },
        (error: unknown) => !over && setState(troubleOf(error)),
      )
      .catch((error: unknown) => !over && setState(troubleOf(error)));
    const stop = () => {
      over = true;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    return stop;
  }, [sync]);

  const trouble = state === 'refused' || state === 'none' || state === 'failed';
  return (
    <div className="space-y-3">
      {!trouble && (
        <video
          ref={video}
          playsInline
          muted
          aria-label={t('scan.view')}
          className="aspect-4/3 w-full rounded-lg bg-side object-cover"
        />
      )}
      <p role="status" className={trouble ? 'text-danger' : 'text-ink-2'}>
        {state === 'starting' ? <Spinner within label={t('scan.starting')} /> : t(`scan.${state}`)}
      </p>
    </div>
  );
}
