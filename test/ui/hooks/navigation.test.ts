import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asConversationId, asMessageId } from '../../../src/domain/base/ids.ts';
import { pathOf, type Route, routeOf } from '../../../src/ui/hooks/navigation.tsx';

const back = (route: Route): Route => {
  const url = new URL(pathOf(route), 'http://here');
  return routeOf(url.pathname, url.search);
};

describe('addresses', () => {
  it('lead back to where they came from, whatever the ids', () => {
    const name = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/^\.{1,2}$/.test(text) && text.isWellFormed());
    fc.assert(
      fc.property(name, fc.option(name), (conversation, message) => {
        const route: Route = {
          screen: 'conversation',
          conversationId: asConversationId(conversation),
          messageId: message === null ? null : asMessageId(message),
        };
        expect(back(route)).toEqual(route);
      }),
    );
    for (const route of [
      { screen: 'memory', section: '' },
      { screen: 'memory', section: 'notes' },
      { screen: 'settings', section: '' },
      { screen: 'settings', section: 'storage' },
      { screen: 'conversation', conversationId: null, messageId: null },
    ] as const)
      expect(back(route)).toEqual(route);
  });

  it('that nobody knows begin a conversation', () => {
    for (const path of ['/', '/nowhere', '/c', '/c/', '//'])
      expect(routeOf(path, '')).toEqual({ screen: 'conversation', conversationId: null, messageId: null });
  });

  it('that are broken do not break the app', () => {
    expect(routeOf('/c/%E0%A4%A', '')).toEqual({
      screen: 'conversation',
      conversationId: null,
      messageId: null,
    });
  });
});
