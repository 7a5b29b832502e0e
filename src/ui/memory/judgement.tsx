// Buttons for a person's verdict on a passage: pinned, not related to this question, never again.
import { Ban, Pin, Unlink } from 'lucide-react';
import { isTemporary } from '../../domain/base/ids.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { isFeedbackOn } from '../../domain/memory/notes.ts';
import type { Feedback } from '../../services/documents/notes.ts';
import { useApp, useReadable } from '../hooks/app.tsx';
import { useNavigation } from '../hooks/navigation.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { classes, IconButton } from '../shell/controls.tsx';
import { useReport } from '../shell/conversation-actions.tsx';
import { offer } from '../shell/offer.ts';
import { passageTitle } from './passage-title.ts';

const VERDICTS = [
  { verdict: 'pinned', Icon: Pin, give: 'pin', takeBack: 'unpin' },
  { verdict: 'not-related', Icon: Unlink, give: 'unrelate', takeBack: 'relate' },
  { verdict: 'never', Icon: Ban, give: 'forbid', takeBack: 'allow' },
] as const;

/** Given verdicts always show, the others on hover or focus of the passage. */
export function Judgement({
  passage,
  query,
  askedAt,
  onGiven,
  onAllowedAgain,
}: {
  passage: RecalledPassage;
  query: string;
  /** When the query was asked, ms since 1970; absent: just now. */
  askedAt?: number | undefined;
  /** Called when a verdict is given, not when it is undone. */
  onGiven?: (verdict: Feedback['verdict']) => void;
  /** Called when the notice of *never* takes it back. */
  onAllowedAgain?: () => void;
}) {
  const { t } = useTranslation('memory');
  const { t: ts } = useTranslation('shell');
  const { notes } = useApp();
  const report = useReport();
  const feedback = useReadable(notes.state, (state) => state.feedback);
  const given = (verdict: Feedback['verdict']): Feedback | undefined =>
    feedback.find(
      (one) =>
        one.verdict === verdict &&
        isFeedbackOn(one, passage) &&
        (verdict !== 'not-related' || one.query === query),
    );
  // "Not related" is kept with the question, so in a temporary conversation it would outlive it.
  const { route } = useNavigation();
  const quotable = !(route.screen === 'conversation' && isTemporary(route.conversationId ?? ''));
  const offered = quotable ? VERDICTS : VERDICTS.filter(({ verdict }) => verdict !== 'not-related');
  const buttons = offered.map(({ verdict, Icon, give, takeBack }) => {
    const before = given(verdict);
    return (
      <IconButton
        key={verdict}
        size="sm"
        pressed={before !== undefined}
        label={t(before ? `feedback.${takeBack}` : `feedback.${give}`)}
        icon={<Icon size={14} aria-hidden />}
        className={classes(
          'aria-pressed:text-memory',
          !before &&
            'sm:opacity-0 sm:focus-visible:opacity-100 sm:group-focus-within/passage:opacity-100 sm:group-hover/passage:opacity-100 pointer-coarse:opacity-100',
        )}
        onClick={() => {
          if (before) {
            notes.takeBack(before.id).catch(report);
            return;
          }
          const said = {
            conversationId: passage.conversationId,
            messageId: passage.messageId,
            query: verdict === 'not-related' ? query : null,
            passage: passage.passage,
            title: passage.title,
            said: passage.createdAt,
            ...(askedAt === undefined ? {} : { asked: askedAt }),
          };
          // Pinned and never replace each other: the later one counts.
          const pinned = given('pinned') !== undefined;
          const asBefore = (id: string) =>
            pinned ? notes.judge({ ...said, verdict: 'pinned' }) : notes.takeBack(id);
          notes
            .judge({ ...said, verdict })
            .then(({ id }) => {
              // A list may lose the passage by it, and this button with it.
              if (verdict === 'never')
                offer(t('feedback.forbidden'), {
                  description: passageTitle(passage, t),
                  label: ts('undo'),
                  onClick: () => {
                    asBefore(id).catch(report);
                    onAllowedAgain?.();
                  },
                });
            })
            .catch(report);
          onGiven?.(verdict);
        }}
      />
    );
  });
  return <span className="flex">{buttons}</span>;
}
