// Lists every keyboard shortcut and changes it. A new one must be free and used neither by the browser nor for typing.
import { RotateCcw } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import {
  isRebindable,
  SHORTCUTS,
  type ShortcutId,
  shortcutKeys,
  whyNot,
} from '../../domain/settings/shortcuts.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button, classes, IconButton, Kbd, keyNames } from '../shell/controls.tsx';
import { offer } from '../shell/offer.ts';
import { isComposing, keysOf } from '../shell/shortcuts.ts';
import { Group, Row, useSetting } from './rows.tsx';

const GROUPS = ['go', 'write', 'read'] as const;

type Refused = {
  readonly why: 'taken' | 'reserved' | 'needsModifier';
  readonly keys: string;
  readonly by?: ShortcutId;
};

export function ShortcutsSection() {
  const { t } = useTranslation(['settings', 'shell']);
  const config = useReadable(useApp().settings.config);
  const own = useSetting<Readonly<Record<string, string>>>('ui.shortcuts');
  const [listening, setListening] = useState<ShortcutId | null>(null);
  const [refused, setRefused] = useState<(Refused & { id: ShortcutId }) | null>(null);
  const named = (keys: string) => keyNames(keys).join(' ');

  const refusalOf = (id: ShortcutId, keys: string): Refused | null => {
    const why = whyNot(id, keys);
    if (why) return { why, keys };
    const other = SHORTCUTS.find(
      (shortcut) => shortcut.id !== id && shortcutKeys(config, shortcut.id) === keys,
    );
    return other ? { why: 'taken', keys, by: other.id } : null;
  };
  const press = (id: ShortcutId, event: KeyboardEvent) => {
    const native = event.nativeEvent;
    if (event.key === 'Tab' && !event.ctrlKey && !event.altKey && !event.metaKey) {
      setListening(null);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (isComposing(native)) return;
    if (event.key === 'Escape' && !event.shiftKey) {
      setListening(null);
      setRefused(null);
      return;
    }
    const keys = keysOf(native);
    if (keys === null) return;
    const why = refusalOf(id, keys);
    setRefused(why && { ...why, id });
    if (why) return;
    setListening(null);
    const standard = SHORTCUTS.find((shortcut) => shortcut.id === id)?.keys;
    const { [id]: _, ...others } = own.value;
    void own.set(keys === standard ? others : { ...others, [id]: keys });
  };

  return (
    <>
      {GROUPS.map((group) => (
        <Group key={group} title={t(`shell:shortcuts.groups.${group}`)}>
          {SHORTCUTS.filter((shortcut) => shortcut.group === group).map(({ id }) => {
            const action = t(`shell:shortcuts.${id}`);
            const keys = shortcutKeys(config, id);
            const waits = listening === id;
            return (
              <Row
                key={id}
                dense
                label={<span className="font-normal">{action}</span>}
                {...(waits ? { help: t('shortcuts.pressHelp') } : {})}
              >
                <div className="flex flex-col items-end gap-1">
                  <div className="flex items-center gap-1">
                    {own.value[id] !== undefined && !waits && (
                      <IconButton
                        size="sm"
                        label={t('shortcuts.reset', { action })}
                        icon={<RotateCcw size={14} aria-hidden />}
                        onClick={() => {
                          const { [id]: _, ...others } = own.value;
                          void own.set(others);
                        }}
                      />
                    )}
                    {!isRebindable(id) ? (
                      <span className="px-2">
                        <Kbd keys={keys} />
                      </span>
                    ) : (
                      <button
                        type="button"
                        aria-pressed={waits}
                        onClick={() => {
                          setListening(waits ? null : id);
                          setRefused(null);
                        }}
                        onBlur={() => setListening((now) => (now === id ? null : now))}
                        {...(waits ? { onKeyDown: (event: KeyboardEvent) => press(id, event) } : {})}
                        className={classes(
                          'touchable inline-flex h-8 min-w-16 items-center justify-end rounded-sm px-2 hover:bg-fill',
                          waits && 'border border-accent bg-accent-soft text-accent text-xs',
                        )}
                      >
                        {waits ? (
                          t('shortcuts.press')
                        ) : (
                          <>
                            <span className="sr-only">{t('shortcuts.change', { action })}</span>
                            <Kbd keys={keys} />
                          </>
                        )}
                      </button>
                    )}
                  </div>
                  {refused?.id === id && (
                    <p role="alert" className="max-w-60 text-right text-danger text-xs">
                      {t(`shortcuts.${refused.why}`, {
                        keys: named(refused.keys),
                        action: refused.by ? t(`shell:shortcuts.${refused.by}`) : '',
                      })}
                    </p>
                  )}
                </div>
              </Row>
            );
          })}
        </Group>
      ))}
      <AllDefaults />
    </>
  );
}

/** Puts all shortcuts back at once; nothing while none was changed. */
function AllDefaults() {
  const { t } = useTranslation('settings');
  const { value, set } = useSetting<Readonly<Record<string, string>>>('ui.shortcuts');
  if (Object.keys(value).length === 0) return null;
  const reset = () =>
    ignore(
      set(undefined).then((done) => {
        if (done) offer(t('shortcuts.resetDone'), { label: t('undo'), onClick: () => void set(value) });
      }),
      'a setting; its row says why it was refused',
    );
  return <Button onClick={reset}>{t('shortcuts.resetAll')}</Button>;
}
