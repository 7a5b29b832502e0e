import { describe, expect, it } from 'vitest';
import { asConversationId } from '../../../src/domain/base/ids.ts';
import { isEmptyPage } from '../../../src/ui/chat/empty-page.ts';
import { pathOf, type Route } from '../../../src/ui/hooks/navigation.tsx';

describe('the empty page', () => {
  it('is the one without a conversation, and no other screen', () => {
    const at = (route: Route) => isEmptyPage({ pathname: pathOf(route), search: '' });
    const conversationId = asConversationId('talk');
    expect(at({ screen: 'conversation', conversationId: null, messageId: null })).toBe(true);
    expect(at({ screen: 'conversation', conversationId, messageId: null })).toBe(false);
    expect(at({ screen: 'settings', section: '' })).toBe(false);
    expect(at({ screen: 'memory', section: 'pictures' })).toBe(false);
    expect(isEmptyPage({ pathname: '/', search: '?console' })).toBe(true);
  });
});
