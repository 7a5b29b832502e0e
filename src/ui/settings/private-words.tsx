// Private words: which categories are kept out of which places, the person's own lists, and a field to try it.
import { useId, useState } from 'react';
import { ignore } from '../../domain/base/log.ts';
import {
  CATEGORIES,
  type Category,
  PRIVACY_PLACES,
  type PrivacyPlace,
} from '../../domain/privacy/categories.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { TextArea } from '../shell/controls.tsx';
import { PrivateText } from '../shell/private-text.tsx';
import { ListSetting } from './list-setting.tsx';
import { Choice, Group, Refusal, SwitchSetting, useSetting } from './rows.tsx';

export function PrivateWords({ onChanged }: { onChanged: () => void }) {
  const { t } = useTranslation('settings');
  return (
    <>
      <Group title={t('privacy.words.title')}>
        <p className="pb-3 text-ink-2">{t('privacy.words.lead')}</p>
        <Kinds onChanged={onChanged} />
        <SwitchSetting path="privacy.placeholders_in_exports" />
      </Group>
      <Group title={t('privacy.words.yours')}>
        <ListSetting
          path="privacy.own_names"
          add={t('privacy.words.addName')}
          placeholder={t('privacy.words.namePlaceholder')}
          onChanged={onChanged}
        />
        <ListSetting
          path="privacy.own_addresses"
          add={t('privacy.words.addAddress')}
          placeholder={t('privacy.words.addressPlaceholder')}
          onChanged={onChanged}
        />
        <ListSetting
          path="privacy.own_words"
          add={t('privacy.words.addOwn')}
          placeholder={t('privacy.words.ownPlaceholder')}
          onChanged={onChanged}
        />
        <ListSetting
          path="privacy.own_patterns"
          add={t('privacy.words.addPattern')}
          placeholder="EMP-\d{4,8}"
          mono
          onChanged={onChanged}
        />
      </Group>
      <Group title={t('privacy.words.tryTitle')}>
        <TryIt />
      </Group>
    </>
  );
}

/** One row for each category, one column for each place. */
function Kinds({ onChanged }: { onChanged: () => void }) {
  const { t } = useTranslation('settings');
  const id = useId();
  const settings = {
    index: useSetting<readonly Category[]>('privacy.keep_out_of_index'),
    prompts: useSetting<readonly Category[]>('privacy.keep_out_of_prompts'),
    sync: useSetting<readonly Category[]>('privacy.keep_out_of_sync'),
  };
  const keep = (place: PrivacyPlace, category: Category, wanted: boolean) => {
    const { value, set } = settings[place];
    const next = CATEGORIES.filter((one) => (one === category ? wanted : value.includes(one)));
    ignore(
      set(next).then((kept) => {
        if (kept) onChanged();
      }),
      'a setting; its row says why it was refused',
    );
  };
  return (
    <div className="py-1">
      <table className="w-full border-collapse text-left" aria-describedby={`${id}-places`}>
        <thead>
          <tr className="border-line border-b text-ink-3 text-xs">
            <th scope="col" className="py-2 font-normal">
              {t('privacy.words.kind')}
            </th>
            {PRIVACY_PLACES.map((place) => (
              <th
                key={place}
                scope="col"
                title={t(`field.privacy.keep_out_of_${place}.label`)}
                className="w-14 px-1 py-2 text-center font-normal @lg:w-20"
              >
                {t(`privacy.words.place.${place}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {CATEGORIES.map((category) => {
            const kind = t(`privacy.words.category.${category}.label`);
            const help = t(`privacy.words.category.${category}.help`);
            return (
              <tr key={category} className="border-line border-b last:border-b-0">
                <th scope="row" className="py-2.5 pr-2 font-medium">
                  {kind}
                  {help && <span className="block font-normal text-ink-3 text-xs">{help}</span>}
                </th>
                {PRIVACY_PLACES.map((place) => (
                  <td key={place} className="p-0 text-center align-middle">
                    <label className="touchable inline-flex size-10 cursor-pointer items-center justify-center">
                      <input
                        type="checkbox"
                        checked={settings[place].value.includes(category)}
                        onChange={(event) => keep(place, category, event.target.checked)}
                        aria-label={t('privacy.words.keepOut', {
                          kind,
                          place: t(`privacy.words.place.${place}`),
                        })}
                        className="size-4 cursor-pointer accent-accent"
                      />
                    </label>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <dl id={`${id}-places`} className="mt-2 space-y-0.5 text-ink-3 text-xs">
        {PRIVACY_PLACES.map((place) => (
          <div key={place}>
            <dt className="inline font-medium">{t(`privacy.words.place.${place}`)}: </dt>
            <dd className="inline">{t(`field.privacy.keep_out_of_${place}.help`)}</dd>
          </div>
        ))}
      </dl>
      {PRIVACY_PLACES.map((place) => (
        <Refusal
          key={place}
          problem={settings[place].problem}
          name={t(`field.privacy.keep_out_of_${place}.label`)}
        />
      ))}
    </div>
  );
}

/** Previews the replacements in a typed text. Keeps none of it. */
function TryIt() {
  const { t } = useTranslation('settings');
  const { privacy, settings } = useApp();
  useReadable(settings.config);
  useReadable(privacy.tokens.version);
  const [text, setText] = useState('');
  const [place, setPlace] = useState<PrivacyPlace>('prompts');
  const replaced = privacy.preview(place, text);
  return (
    <div className="space-y-3 py-3">
      <TextArea
        label={t('privacy.words.tryLabel')}
        hint={t('privacy.words.tryKept')}
        value={text}
        placeholder={t('privacy.words.tryPlaceholder')}
        rows={3}
        spellCheck={false}
        inputClassName="field-sizing-content max-h-60 min-h-20"
        onChange={(event) => setText(event.target.value)}
      />
      <Choice
        label={t('privacy.words.tryPlace')}
        value={place}
        options={PRIVACY_PLACES.map((value) => ({ value, label: t(`privacy.words.place.${value}`) }))}
        onChange={setPlace}
      />
      <div role="status" className="space-y-1.5">
        {text.trim() !== '' && (
          <>
            <p className="text-ink-2">
              {replaced.length === 0
                ? t('privacy.words.nothing')
                : t('privacy.words.replaced', { count: replaced.length })}
            </p>
            {replaced.length > 0 && (
              <p
                dir="auto"
                className="whitespace-pre-wrap rounded-lg bg-fill px-4 py-3 [overflow-wrap:anywhere]"
              >
                <PrivateText text={text} replaced={replaced} shows="token" />
              </p>
            )}
          </>
        )}
      </div>
    </div>
  );
}
