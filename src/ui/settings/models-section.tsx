// Endpoints of this device, their keys and models, and the model in use.
import { Check, Ellipsis, Plus, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { type Endpoint, hostOf } from '../../adapters/models/chat-model.ts';
import { CUSTOM, type EndpointPreset, PRESETS } from '../../adapters/models/presets.ts';
import { ignore } from '../../domain/base/log.ts';
import { endpointKey, originOf } from '../../services/settings/keys.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { wordsFor } from '../i18n/index.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { afterClosing } from '../shell/controls/menu.tsx';
import { Select } from '../shell/controls/select.tsx';
import { Badge, Button, Confirm, classes, IconButton, Menu } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { useBrowserModel } from './browser-model.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import type { ConnectedModel } from './endpoint-form.ts';
import { type EndpointDraft, presetOf, titleOf } from './endpoint-presets.ts';
import { Group, Row, SwitchSetting, TextSetting } from './rows.tsx';

const MEMORY = 'memory';

export function ModelsSection() {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  const report = useReport();
  const navigation = useNavigation();
  const { endpoints, chosen } = useReadable(settings.connections);
  const [draft, setDraft] = useState<EndpointDraft | null>(null);
  /** The model that was just connected; a new object each time. */
  const [connected, setConnected] = useState<ConnectedModel | null>(null);
  const [removing, setRemoving] = useState<Endpoint | null>(null);
  const several = endpoints.length > 1;
  const options = [
    ...endpoints.flatMap((endpoint) =>
      endpoint.models.map((model) => ({
        value: `${endpoint.id} ${model}`,
        label: model,
        ...(several ? { description: endpoint.label } : {}),
      })),
    ),
    { value: MEMORY, label: t('models.memoryOnly') },
  ];
  return (
    <>
      {connected !== null && <Connected connected={connected} onBack={navigation.back} />}
      {endpoints.length > 0 ? (
        <>
          <Group>
            <Row label={t('models.choice')} help={t('models.choiceHelp')} stack>
              <Select
                label={t('models.choice')}
                value={chosen ? `${chosen.endpointId} ${chosen.model}` : MEMORY}
                options={options}
                placeholder={t('models.chooseModel')}
                onValueChange={(value) => {
                  const space = value.indexOf(' ');
                  settings
                    .choose(
                      value === MEMORY
                        ? null
                        : { endpointId: value.slice(0, space), model: value.slice(space + 1) },
                    )
                    .catch(report);
                }}
                className="w-full @lg:w-72"
              />
            </Row>
          </Group>
          <Group title={t('models.endpoints')}>
            {endpoints.map((endpoint) => (
              <EndpointRow
                key={endpoint.id}
                endpoint={endpoint}
                inUse={chosen?.endpointId === endpoint.id}
                editing={draft?.kind === 'edit' && draft.endpoint.id === endpoint.id}
                onEdit={() => setDraft({ kind: 'edit', endpoint })}
                onRemove={() => setRemoving(endpoint)}
              />
            ))}
          </Group>
        </>
      ) : (
        <div className="rounded-lg bg-side px-4 py-3.5">
          <p className="font-medium">{t('models.noneTitle')}</p>
          <p className="mt-0.5 text-ink-2">{t('models.noneText')}</p>
        </div>
      )}
      {endpoints.length > 0 && (
        <Group>
          <TextSetting
            path="chat.instructions"
            placeholder={t('models.instructionsPlaceholder')}
            reset={t('models.clearInstructions')}
          />
          <SwitchSetting path="chat.titles_by_model" />
        </Group>
      )}
      <Presets onPick={(preset) => setDraft({ kind: 'new', preset })} />
      <EndpointDialog
        draft={draft}
        onClose={(made) => {
          setDraft(null);
          if (made !== undefined) setConnected(made);
        }}
      />
      <Confirm
        open={removing !== null}
        onOpenChange={() => setRemoving(null)}
        title={t('models.removeTitle', { name: removing?.label ?? '' })}
        action={t('models.remove')}
        danger
        onConfirm={() => {
          if (!removing) return;
          settings.removeEndpoint(removing.id).then(
            (undo) =>
              offer(t('models.removed', { name: removing.label }), {
                label: t('undo'),
                onClick: () => void undo().catch(report),
              }),
            report,
          );
        }}
      >
        {t('models.removeText')}
      </Confirm>
    </>
  );
}

const SAID = {
  worked: 'models.answersNow',
  failed: 'models.answersFailed',
  none: 'models.answersUntested',
} as const;

/**
 * Says which model answers now, and whether its test passed. Takes the focus and scrolls into view,
 * because the list of presets is far below.
 */
function Connected({ connected, onBack }: { connected: ConnectedModel; onBack: () => void }) {
  const { t } = useTranslation('settings');
  const back = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each connection
  useEffect(() => back.current?.focus(), [connected]);
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded-lg bg-side px-4 py-3">
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {t(SAID[connected.test], { model: connected.model })}
      </p>
      <Button ref={back} variant="primary" size="sm" onClick={onBack}>
        {t('models.backToWhere')}
      </Button>
    </div>
  );
}

/** Offers well-known endpoints, and a custom one. */
function Presets({ onPick }: { onPick: (preset: EndpointPreset) => void }) {
  const { t } = useTranslation('settings');
  const own = useBrowserModel();
  const offered = PRESETS.filter(
    ({ protocol }) => protocol !== 'browser' || (own !== null && own !== 'unavailable'),
  );
  return (
    <section aria-label={t('models.addTitle')}>
      <h3 className="font-semibold">{t('models.addTitle')}</h3>
      <p className="mb-3 text-ink-3 text-xs">{t('models.addText')}</p>
      <ul className="grid gap-2 @md:grid-cols-2">
        {offered.map((preset) => (
          <li key={preset.id} className={classes(preset === CUSTOM && '@md:col-span-2')}>
            <button
              type="button"
              onClick={() => onPick(preset)}
              className="flex min-h-14 w-full items-center gap-3 rounded-lg border border-line px-3.5 py-2 text-left transition-colors hover:border-line-strong hover:bg-side"
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate font-medium">{titleOf(preset, t)}</span>
                <span className="block text-ink-3 text-xs">
                  {wordsFor('settings', `models.preset.${preset.id}`)}
                </span>
              </span>
              <Plus size={16} aria-hidden className="shrink-0 text-ink-3" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function EndpointRow({
  endpoint,
  inUse,
  editing,
  onEdit,
  onRemove,
}: {
  endpoint: Endpoint;
  inUse: boolean;
  /** While this is true the key may change although the endpoint does not. */
  editing: boolean;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const { t } = useTranslation('settings');
  const { settings } = useApp();
  /** Origin that the kept key belongs to; undefined until known. */
  const [kept, setKept] = useState<string | null>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: reads again when editing ends
  useEffect(() => {
    let gone = false;
    // A vault that cannot be opened reports that when a key is needed.
    ignore(
      settings.keyOrigin(endpointKey(endpoint.id)).then((origin) => {
        if (!gone) setKept(origin);
      }),
      'the origin of a key',
    );
    return () => {
      gone = true;
    };
  }, [settings, endpoint, editing]);
  const host = endpoint.protocol === 'browser' ? t('models.browser.here') : hostOf(endpoint.baseUrl);
  const facts = [
    host,
    endpoint.models.length > 0
      ? t('models.modelsFound', { count: endpoint.models.length })
      : t('models.modelsNone'),
    typeof kept === 'string'
      ? kept === originOf(endpoint.baseUrl)
        ? t('models.hasKey')
        : t('models.keyOf', { origin: kept })
      : kept === null && presetOf(endpoint)?.key === 'required'
        ? t('models.noKey')
        : '',
  ].filter(Boolean);
  return (
    <Row
      label={
        <span className="flex items-center gap-2">
          <span className="truncate">{endpoint.label}</span>
          {inUse && (
            <Badge tone="accent">
              <Check size={12} aria-hidden />
              {t('models.inUse')}
            </Badge>
          )}
        </span>
      }
      help={facts.join(' · ')}
    >
      <div className="flex shrink-0 items-center gap-1">
        <Button size="sm" aria-label={`${t('models.edit')}: ${endpoint.label}`} onClick={onEdit}>
          {t('models.edit')}
        </Button>
        <Menu
          trigger={
            <IconButton
              label={t('models.more', { name: endpoint.label })}
              icon={<Ellipsis size={16} aria-hidden />}
            />
          }
          items={[
            afterClosing({
              label: t('models.remove'),
              icon: <Trash2 size={15} aria-hidden />,
              danger: true,
              onSelect: onRemove,
            }),
          ]}
        />
      </div>
    </Row>
  );
}
