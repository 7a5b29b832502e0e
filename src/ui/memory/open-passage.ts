// Opens the message that a passage was found in.
import { asConversationId, asMessageId } from '../../domain/base/ids.ts';
import type { RecalledPassage } from '../../domain/chat/message.ts';
import { useNavigation } from '../hooks/navigation.tsx';

/** Returns a function that opens the message of a passage. */
export function useOpenPassage(): (passage: RecalledPassage) => void {
  const navigation = useNavigation();
  return ({ conversationId, messageId }) =>
    navigation.openConversation(asConversationId(conversationId), asMessageId(messageId), {
      foundBy: 'memory',
    });
}
