import { expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import type { PersonalLists } from '../../../src/domain/privacy/detector.ts';
import { bankAccounts } from '../../../src/domain/privacy/detectors/bank-accounts.ts';
import { cards } from '../../../src/domain/privacy/detectors/cards.ts';
import { emails } from '../../../src/domain/privacy/detectors/emails.ts';
import { ids } from '../../../src/domain/privacy/detectors/ids.ts';
import { DETECTORS } from '../../../src/domain/privacy/detectors/index.ts';
import { keywords } from '../../../src/domain/privacy/detectors/keywords.ts';
import { addresses, names, words } from '../../../src/domain/privacy/detectors/own-lists.ts';
import { phones } from '../../../src/domain/privacy/detectors/phones.ts';
import { SECRET_RULES } from '../../../src/domain/privacy/detectors/secret-rules.ts';
import { secrets } from '../../../src/domain/privacy/detectors/secrets.ts';
import { describeDetector } from '../../suites/detector.suite.ts';

const lists: PersonalLists = {
  sensitive_keywords: ['password'],
  own_names: ['Anna Bergmann', 'Ann', '李雷'],
  own_addresses: ['12 Rue Cler'],
  own_words: ['Falcon'],
  own_patterns: ['EMP-\\d{4,8}'],
};
const UUID = '018f3b5e-7c2a-7d4e-9b1a-2f3c4d5e6f70';
const HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const NUMBERS = [
  UUID,
  HASH,
  '1717430400000',
  'v12.4.1.20231105',
  '2026-11-27T02:30:00Z',
  '1,250,000',
  '192.168.178.45:8080',
];

it('the registry has a detector for each category', () => {
  expect(new Set(DETECTORS.map(({ category }) => category))).toEqual(new Set(CATEGORIES));
});

describeDetector('secrets', {
  detector: secrets,
  lists,
  found: [
    'ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI',
    'AKIAQ3EGRZ7WXT5LPV2N',
    'LTAI5tKx7mQ2vT9zLw4RbN8s',
    'hvs.CAESIJ9kX7mQ2vT9zLw4RbN8sYcD',
    '-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----',
  ],
  left: [
    ...NUMBERS,
    'sk-learn-documentation',
    'ghp_ is a prefix',
    'npm_config_registry_of_this_machine_here',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf',
  ],
});
describeDetector('values behind keywords', {
  detector: { ...keywords, find: (text, given) => keywords.find(text.replaceAll('§', 'password: '), given) },
  lists: { ...lists, sensitive_keywords: [] },
  found: [],
  left: ['password: hunter2', ...NUMBERS],
});
describeDetector('cards', {
  detector: cards,
  lists,
  found: ['4111 1111 1111 1111', '5555-5555-5555-4444', '378282246310005', '6228480402564890018'],
  left: [...NUMBERS, '4111 1111 1111 1112', '4111111111111111111111', 'x4111111111111111'],
});
describeDetector('bank accounts', {
  detector: bankAccounts,
  lists,
  found: ['DE89 3704 0044 0532 0130 00', 'GB29NWBK60161331926819', 'NO93 8601 1117 947'],
  left: [...NUMBERS, 'DE12 3456 7890 1234 5678 90', 'GB29NWBK6016133192681', 'AB12'],
});
describeDetector('national ids', {
  detector: ids,
  lists,
  found: [
    '11010519491231002X',
    '123-45-6789',
    '12345678Z',
    'RSSMRA85T10A562S',
    '811228-9874',
    '131052-308T',
    '85.07.30-033.28',
  ],
  left: [...NUMBERS, '110105194912310021', '000-12-3456', '12345678A', '44051401359', '111222333'],
});
describeDetector('e-mail addresses', {
  detector: emails,
  lists,
  found: ['anna.bergmann@example.org', 'j.doe+travel@mail.example.co.uk', "t.o'neil@example.ie"],
  left: [...NUMBERS, 'git@github.com:me/it.git', '@anna', 'foo@localhost', '@scope/name@1.2.3'],
});
describeDetector('telephone numbers', {
  detector: phones,
  lists,
  found: [
    '+1 415 555 0132',
    '+86 138 0013 8000',
    '13800138000',
    '010-62345678',
    '(212) 555-0187',
    '06 12 34 56 78',
  ],
  left: [...NUMBERS, '+1 23', '110-98', '3.14159265358979', '9007199254740991', '10:30-11:45', '23800138000'],
});
describeDetector('names', {
  detector: names,
  lists,
  found: ['Anna Bergmann', 'ANN', '李雷'],
  left: ['Annual', 'Johann'],
});
describeDetector('addresses', {
  detector: addresses,
  lists,
  found: ['12 rue cler'],
  left: ['112 Rue Cler', '12 Rue Clercs'],
});
describeDetector('words and patterns', {
  detector: words,
  lists,
  found: ['Falcon', 'falcon', 'EMP-20261'],
  left: ['Falcons', 'EMP-12'],
});

it.each(['password: hunter2', '"password": "a b c"', '密码是abc123'])('%s hides the value alone', (text) => {
  const [span] = keywords.find(text, lists);
  expect(text.slice(span?.from, span?.to)).toMatch(/^(?:hunter2|a b c|abc123)$/);
});

it('the rules of services are what they say: unlike each other, and of a length that can be', () => {
  const starts = SECRET_RULES.flatMap(({ starts }) => starts);
  expect(new Set(starts).size).toBe(starts.length);
  for (const {
    service,
    starts: [start = ''],
    length,
  } of SECRET_RULES) {
    expect(service).not.toBe('');
    expect(start.length).toBeGreaterThan(1);
    expect(length[0]).toBeLessThanOrEqual(length[1]);
  }
});
