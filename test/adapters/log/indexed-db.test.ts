// The quick run in Node; `indexed-db.browser.test.ts` runs the same in a real Chromium.
import 'fake-indexeddb/auto';
import { describeConversationLog, describeSharedLog } from '../../suites/conversation-log.suite.ts';
import { indexedDbSubject } from './indexed-db-subject.ts';

describeConversationLog('The IndexedDB store', indexedDbSubject);
describeSharedLog('The IndexedDB store', indexedDbSubject);
