// Lists what a relay can see and what it cannot, without reassuring phrases.
import { Eye, EyeOff } from 'lucide-react';
import { useTranslation } from '../i18n/use-translation.ts';

const SEEN = ['address', 'rooms', 'sizes', 'times', 'devices'] as const;
const UNSEEN = ['words', 'titles', 'files', 'names', 'key'] as const;

export function RelaySight() {
  const { t } = useTranslation('sync');
  return (
    <div className="space-y-4">
      <div className="grid gap-x-8 gap-y-4 @md:grid-cols-2">
        <section>
          <h4 className="flex items-center gap-2 font-medium">
            <EyeOff size={15} aria-hidden className="text-ok" />
            {t('sight.unseen.title')}
          </h4>
          <ul className="mt-1.5 list-disc space-y-1 pl-5 text-ink-2 marker:text-ink-3">
            {UNSEEN.map((item) => (
              <li key={item}>{t(`sight.unseen.${item}`)}</li>
            ))}
          </ul>
        </section>
        <section>
          <h4 className="flex items-center gap-2 font-medium">
            <Eye size={15} aria-hidden className="text-ink-3" />
            {t('sight.seen.title')}
          </h4>
          <ul className="mt-1.5 list-disc space-y-1 pl-5 text-ink-2 marker:text-ink-3">
            {SEEN.map((item) => (
              <li key={item}>{t(`sight.seen.${item}`)}</li>
            ))}
          </ul>
        </section>
      </div>
      <p className="text-ink-3 text-xs">{t('sight.power')}</p>
    </div>
  );
}
