// Privacy settings: who can open this device, private words, excluded folders, and the consent
// to use the browser's speech service.
import { type ReactNode, useState } from 'react';
import { useSession } from '../hooks/session.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { EraseDialog } from '../lock/erase-dialog.tsx';
import { Button } from '../shell/controls.tsx';
import { useHasAccount } from '../sync/use-sync.ts';
import { ListSetting } from './list-setting.tsx';
import { LockGroup } from './lock-group.tsx';
import { PrivateWords } from './private-words.tsx';
import { Group, Row, SwitchSetting } from './rows.tsx';

export function PrivacySection() {
  const { t } = useTranslation('settings');
  const [changed, setChanged] = useState(false);
  const changedNow = () => setChanged(true);
  return (
    <>
      <LockGroup />
      <Group>
        <ListSetting
          path="privacy.sensitive_keywords"
          add={t('privacy.addWord')}
          placeholder={t('privacy.wordPlaceholder')}
          onChanged={changedNow}
        />
        <SwitchSetting path="privacy.skip_sensitive_messages" />
        <ListSetting
          path="privacy.exclude_work_dirs"
          add={t('privacy.addDir')}
          placeholder={t('privacy.dirPlaceholder')}
          mono
          onChanged={changedNow}
        />
      </Group>
      {changed && (
        <p role="status" className="rounded-lg bg-memory-soft px-4 py-3">
          {t('privacy.readAgain')}
        </p>
      )}
      <PrivateWords onChanged={changedNow} />
      <Group title={t('privacy.voice')}>
        <SwitchSetting path="privacy.dictation_by_service" />
      </Group>
      <Group title={t('privacy.where')}>
        <Fact>{t('privacy.facts.conversations')}</Fact>
        <Fact>{t('privacy.facts.model')}</Fact>
        <Fact>{t('privacy.facts.keys')}</Fact>
        <Fact>{t('privacy.facts.disk')}</Fact>
      </Group>
      <ForgetGroup />
      <EraseGroup />
    </>
  );
}

/** Leads to the dialog that removes words, people or days from every device. */
function ForgetGroup() {
  const { t } = useTranslation('forget');
  const { forgetting } = useSession();
  return (
    <Group>
      <Row label={t('title')} help={t('lead')}>
        <Button size="sm" onClick={() => forgetting.set({ words: '' })}>
          {t('open')}
        </Button>
      </Row>
    </Group>
  );
}

/** Last and separate: the only action here that cannot be undone. */
function EraseGroup() {
  const { t } = useTranslation('settings');
  const [asking, setAsking] = useState(false);
  const paired = useHasAccount();
  return (
    <Group>
      <Row label={t('privacy.erase.title')} help={t('privacy.erase.help')}>
        <Button size="sm" onClick={() => setAsking(true)}>
          {t('privacy.erase.action')}
        </Button>
      </Row>
      <EraseDialog open={asking} onClose={() => setAsking(false)} paired={paired} />
    </Group>
  );
}

const Fact = ({ children }: { children: ReactNode }) => <p className="py-2.5 text-ink-2">{children}</p>;
