// Line above a composer that says how close the person's spending limit is, or that it is exceeded.
import { X } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { ignore } from '../../domain/base/log.ts';
import { localDay } from '../../domain/base/time.ts';
import { limitStatus, startOf } from '../../domain/context/spending.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useStoredString } from '../hooks/stored.ts';
import { formatPrice } from '../i18n/index.ts';
import { useAllWords } from '../i18n/use-all-words.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, IconButton } from '../shell/controls.tsx';

export function LimitLine() {
  const { t } = useTranslation('settings');
  const { settings, spending } = useApp();
  const navigation = useNavigation();
  const costs = useReadable(settings.config, (config) => config.costs);
  const { rows } = useReadable(spending.state);
  const today = localDay(Date.now());
  const from = costs.limit > 0 ? startOf(costs.period, Date.now()) : null;
  useEffect(() => {
    if (from !== null) ignore(spending.load(from), 'what was spent, for the line about the limit');
  }, [spending, from]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another day needs another `Date.now()`
  const status = useMemo(() => limitStatus(costs, rows, Date.now()), [costs, rows, today]);
  const [hidden, setHidden] = useStoredString('costs.hidden', '');
  const sign = status === null ? '' : `${today} ${status.state} ${status.limit}`;
  const isShown = status !== null && hidden !== sign;
  const hasWords = useAllWords(isShown);
  if (!status || !isShown || !hasWords) return null;
  const { state, period, currency } = status;
  return (
    <div
      role="status"
      className={classes(
        'flex items-center gap-2 border-b px-4 py-1.5 text-sm',
        state === 'over' ? 'text-danger' : 'text-ink-2',
      )}
    >
      <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {t(`costs.line.${state}_${period}`, {
          spent: formatPrice({ amount: status.spent, currency }),
          limit: formatPrice({ amount: status.limit, currency }),
        })}
      </span>
      <Button size="sm" variant="ghost" onClick={() => navigation.openScreen('settings', 'costs')}>
        {t('costs.line.open')}
      </Button>
      <IconButton
        size="sm"
        label={t('costs.line.hide')}
        icon={<X size={14} aria-hidden />}
        onClick={() => setHidden(sign)}
      />
    </div>
  );
}
