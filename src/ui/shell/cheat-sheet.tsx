// Shows every keyboard shortcut of the app on one card.

import { SHORTCUTS, shortcutKeys } from '../../domain/settings/shortcuts.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Dialog, Kbd } from './controls.tsx';

export function CheatSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useTranslation('shell');
  const config = useReadable(useApp().settings.config);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('shortcuts.title')}
      description={t('shortcuts.words')}
      size="md"
    >
      <div className="grid gap-x-8 gap-y-5 pt-1.5 md:grid-cols-2">
        {(['go', 'write', 'read'] as const).map((group) => (
          <section key={group} className={group === 'go' ? 'md:row-span-2' : ''}>
            <h3 className="pb-1 font-medium text-ink-3 text-xs">{t(`shortcuts.groups.${group}`)}</h3>
            <dl>
              {SHORTCUTS.filter((shortcut) => shortcut.group === group).map(({ id }) => (
                <div
                  key={id}
                  className="flex items-center justify-between gap-4 border-b py-1.5 last:border-0"
                >
                  <dt>{t(`shortcuts.${id}`)}</dt>
                  <dd>
                    <Kbd keys={shortcutKeys(config, id)} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
