import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CATEGORIES } from '../../../src/domain/privacy/categories.ts';
import type { PersonalLists } from '../../../src/domain/privacy/detector.ts';
import { bankAccounts } from '../../../src/domain/privacy/detectors/bank-accounts.ts';
import { cards } from '../../../src/domain/privacy/detectors/cards.ts';
import { credentialFiles } from '../../../src/domain/privacy/detectors/credential-files.ts';
import { emails } from '../../../src/domain/privacy/detectors/emails.ts';
import { ids } from '../../../src/domain/privacy/detectors/ids.ts';
import { DETECTORS } from '../../../src/domain/privacy/detectors/index.ts';
import { keywords } from '../../../src/domain/privacy/detectors/keywords.ts';
import { addresses, names, words } from '../../../src/domain/privacy/detectors/own-lists.ts';
import { phones } from '../../../src/domain/privacy/detectors/phones.ts';
import { recoveryPhrases } from '../../../src/domain/privacy/detectors/recovery-phrases.ts';
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
it.each([
  ['machine a.example login mira password pl-um7', 'pl-um7'],
  ['> machine a.example\n>   login mira\n   password pl-um7\n', 'pl-um7'],
  ['default login anonymous password mira@home', 'mira@home'],
  ['*:5432:*:mira:plum-7', 'plum-7'],
  ['masterauth "pl-um7x"', 'pl-um7x'],
  ['sqlplus mira/pl-um7@orcl', 'pl-um7'],
  ['{"auth": "bWlyYTpwbHVtNw=="}', 'bWlyYTpwbHVtNw=='],
  ['curl -b "PHPSESSID=kq8wlm2zrt5yp0xv" x', 'kq8wlm2zrt5yp0xv'],
])('finds what stands for a password by its place: %j', (text, words) => {
  expect(credentialFiles.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([words]);
});

it.each([
  'machine learning login form password reset',
  'the machine login and the password',
  'src/app.ts:1042:17:error:unexpected',
  '2001:db8:85a3:8d3:1319',
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURRRENDQWlpZ0F3SUJBZ0lVZn',
  'requirepass <password>',
  'PHPSESSID=deleted',
])('leaves %j alone, which holds no password', (text) => {
  expect(credentialFiles.find(text, lists)).toEqual([]);
});

const PHRASE = 'ribbon velvet obscure lunar tiger canyon merge pilot wrestle gadget ocean humble';
it.each([
  PHRASE,
  PHRASE.toUpperCase(),
  `${PHRASE} ${PHRASE}`,
  PHRASE.replaceAll(' ', '\n'),
  PHRASE.replaceAll(' ', ', '),
  PHRASE.split(' ').join('", "'),
  PHRASE.split(' ')
    .map((word, at) => `${at + 1}. ${word}`)
    .join('\n')
    .slice(3),
  `${'abandon '.repeat(11)}about`,
  '歇 涌 卖 呵 咬 惠 的 这 鬼 钻 甲 吹',
])('finds a recovery phrase as it is written: %j', (phrase) => {
  const text = `My wallet: ${phrase}. Keep it.`;
  expect(recoveryPhrases.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([phrase]);
});

it.each([
  PHRASE.split(' ').slice(0, 11).join(' '),
  `${PHRASE.split(' ').slice(0, 6).join(' ')} the ${PHRASE.split(' ').slice(6).join(' ')}`,
  'abandon ability able about above absent absorb abstract absurd abuse access accident account accuse',
  'about about about about about about about about about about about about',
  '今 天 我 们 去 哪 里',
])('leaves %j alone, which is no recovery phrase', (text) => {
  expect(recoveryPhrases.find(text, lists)).toEqual([]);
});

it.each([
  ['xghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI', 'ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI'],
  ['ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoIend_of_it_all', undefined],
  ['idAKIAQ3EGRZ7WXT5LPV2Nend', 'AKIAQ3EGRZ7WXT5LPV2N'],
  ['k_sk-ant-api03-Zq8Wn3Lk5Tt7Rr2Pp9Mm4Vv6Bb1Xx0', 'sk-ant-api03-Zq8Wn3Lk5Tt7Rr2Pp9Mm4Vv6Bb1Xx0'],
])('finds keys that are glued to other text: %j', (text, words) => {
  const found = secrets.find(text, lists).map(({ from, to }) => text.slice(from, to));
  // Behind a key of a known length other text may be taken along; before it, never.
  if (words) expect(found).toEqual([words]);
  else expect(found.join()).toMatch(/^ghp_9aXb3LmQ7rT2vK8wN5cZ1yF4dG6hJ0pSeUoI/);
});

it('takes no hash, no id, no picture and no time for a secret or a number of a person', () => {
  const hex = (size: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${size}}$`));
  const plain = fc.oneof(
    hex(40).map((hash) => `commit ${hash}`),
    hex(64).map((hash) => `sha256:${hash}`),
    hex(32).map((hash) => `${hash}  build.tar.gz`),
    fc.uuid(),
    fc.base64String({ minLength: 200, maxLength: 2_000 }).map((bytes) => `data:image/png;base64,${bytes}`),
    fc.base64String({ minLength: 88, maxLength: 88 }).map((bytes) => `"integrity": "sha512-${bytes}"`),
    fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((one) => one.toISOString()),
    fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 }).map(String),
    fc.tuple(fc.nat(30), fc.nat(99), fc.nat(30_000)).map((parts) => `v${parts.join('.')}`),
  );
  fc.assert(
    fc.property(plain, (text) => {
      for (const { category, find } of DETECTORS)
        expect([category, find(text, lists)]).toEqual([category, []]);
    }),
    { numRuns: 2_000 },
  );
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

/** Made up: characters of an alphabet in no order, the same each time. */
const mixed = (length: number, alphabet = 'aB3dE5gH7jK9mN2pQ4sT6vW8xZ0cF1'): string =>
  Array.from({ length }, (_, at) => alphabet[(at * 7 + (at >> 2) * 11) % alphabet.length]).join('');
const HEX = '0f1e2d3c4b5a69788796a5b4c3d2e1';
it.each([
  `csk-${mixed(48, 'a3d5g7j9m2p4s6v8z0c1')}`,
  `fc-${mixed(32, '0f1e2d3c4b5a69788796a5b4c3d2e1')}`,
  `fw_${mixed(24)}`,
  `napi_${mixed(64)}`,
  `nvapi-${mixed(40)}-${mixed(23)}`,
  `pcsk_${mixed(6)}_${mixed(63)}`,
  `phx_${mixed(43)}`,
  `rnd_${mixed(32)}`,
  `rpa_${mixed(46)}`,
  `tskey-auth-${mixed(12)}CNTRL-${mixed(32)}`,
  `tvly-dev-${mixed(32)}`,
  `tgp_v1_${mixed(43)}`,
])('finds the key %s, and nothing that only begins like it', (token) => {
  for (const text of [`Take ${token} and go on`, `密钥是 ${token}，谢谢`])
    expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([token]);
  const begun = `${token.slice(0, token.search(/[-_]/) + 1)}of_things`;
  expect(secrets.find(`See ${begun}.`, lists)).toEqual([]);
});
it.each([
  `AQ.Ab8${mixed(45)}`,
  `BSA${mixed(28)}`,
  `cfut_${mixed(40)}`,
  `jina_${mixed(60)}`,
  `nfp_${mixed(36)}`,
  `pa-${mixed(43)}`,
  `re_${mixed(8)}_${mixed(24)}`,
  `secret_${mixed(43)}`,
  `vcp_${mixed(60)}`,
  `vercel_blob_rw_${mixed(16)}_${mixed(32)}`,
  `xoxc-123456789012-1234567890123-${mixed(64, HEX)}`,
  `xoxd-${mixed(60)}%2B${mixed(40)}%3D`,
  `1//0g${mixed(60)}`,
  `${mixed(32, HEX)}-us12`,
  `${mixed(32, HEX)}.${mixed(16)}`,
  `${mixed(11)}:APA91b${mixed(134)}`,
])('finds the key of a newer kind %s', (token) => {
  for (const text of [`Take ${token} and go on`, `密钥是 ${token}，谢谢`, `"key": "${token}"`])
    expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([token]);
});
it.each([
  ['export DB_PASS=plumtree', 'plumtree'],
  ['MY_THING_PASS="pl-um7"', 'pl-um7'],
  ['smtp_pass: plumtree', 'plumtree'],
  ['{"mailPass": "plumtree"}', 'plumtree'],
  ["auth: { user: 'mira', pass: 'plumtree' }", 'plumtree'],
  ['user: mira\npass: plum7', 'plum7'],
  ['pw: plum7', 'plum7'],
  ['the pw: see below', null],
  ['TEST_PASS=1', null],
  ['RENDER_PASS=shadow_map', null],
  ['first_pass: 12ms, pass: 5/5', null],
  ['user_pass = get_pass(user)', null],
  ['DB_PASS=$(cat file)', null],
  ['PASS: src/a1.test.ts', null],
])('a name that ends in pass, %s: the value alone', (text, value) => {
  expect(credentialFiles.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual(
    value === null ? [] : [value],
  );
});
it.each([
  ['Das Passwort: geheim123', 'geheim123'],
  ['Mein Kennwort lautet geheim123', 'geheim123'],
  ['mot de passe : secret123', 'secret123'],
  ['La contraseña es secreto123', 'secreto123'],
  ['senha: segredo123', 'segredo123'],
  ['пароль: слово123', 'слово123'],
  ['パスワードはabc12345です', 'abc12345です'],
  ['비밀번호: abc12345', 'abc12345'],
  ['비밀번호는 abc12345', 'abc12345'],
  ['hasło: tajne123', 'tajne123'],
])('a password that is named in another language, %s', (text, value) => {
  expect(keywords.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([value]);
});
it.each([
  [`xprv9s21ZrQH143K${mixed(95, 'aB3dE5gH7jK9mN2pQ4sT6vW8xZ')}`],
  [`nsec1${mixed(58, 'x8n8zt3w88vddm304rewf8yyar695w2kj76xee3j')}`],
])('finds the key of a wallet %s', (token) => {
  const text = `Take ${token}, and go on`;
  expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([token]);
});
it.each([
  ['bearer: Zq8Wn3Lk5Tt7Rr2Pp9Mm4Vv6Bb1Xx0', 'Zq8Wn3Lk5Tt7Rr2Pp9Mm4Vv6Bb1Xx0'],
  [`private key: 0x${mixed(64, HEX)}`, `0x${mixed(64, HEX)}`],
  ['smbclient -U mira%plumtree //a/b', 'plumtree'],
  ['ldapsearch -D cn=mira -w plumtree', 'plumtree'],
  ['net use x: /user:mira plumtree', 'plumtree'],
  ['ldapsearch -D cn=mira -W', null],
])('%s: the secret alone', (text, value) => {
  expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual(
    value === null ? [] : [value],
  );
});
it('finds the password with which one signs in to a store of images', () => {
  const text = 'docker login -u mira -p plumtree a.example';
  expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual(['plumtree']);
});
it.each([
  ['写信给 li.wei+news@例子.cn，谢谢', 'li.wei+news@例子.cn'],
  ['Write to ana@müller-söhne.de.', 'ana@müller-söhne.de'],
  ['发到li@qq.com谢谢。', 'li@qq.com'],
])('finds the mailbox of a domain in any script: %s', (text, address) => {
  expect(emails.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([address]);
});
it.each([
  ['artifactory-api-key', `AKCp${mixed(69)}`],
  ['artifactory-reference-token', `cmVmd${mixed(59)}`],
  [
    'authress-service-client-access-key',
    `sc_${mixed(12, HEX)}.${mixed(5, HEX)}.acc_${mixed(14, HEX)}.${mixed(60)}`,
  ],
  ['aws-amazon-bedrock-api-key-long-lived', `ABSK${mixed(120)}`],
  ['aws-amazon-bedrock-api-key-short-lived', `bedrock-api-key-${mixed(400)}`],
  ['clickhouse-cloud-api-secret-key', `4b1d${mixed(38)}`],
  ['defined-networking-api-token', `dnkey-${mixed(26)}-${mixed(52)}`],
  ['dropbox-short-lived-api-token', `sl.${mixed(135)}`],
  ['facebook-page-access-token', `EAAC${mixed(140)}`],
  ['flyio-access-token', `fm2_${mixed(300)}`],
  ['gocardless-api-token', `live_${mixed(40)}`],
  ['grafana-api-key', `eyJrIjoi${mixed(90)}`],
  ['hashicorp-tf-api-token', `${mixed(14)}.atlasv1.${mixed(64)}`],
  ['huggingface-organization-api-token', `api_org_${mixed(34, 'abCdefGhijKlmnoPqrstUvwxYz')}`],
  ['intra42-client-secret', `s-s4t2ud-${mixed(64, HEX)}`],
  ['jwt-base64', `ZXlK${mixed(160)}`],
  ['lob-api-key', `live_${mixed(35, HEX)}`],
  ['maxmind-license-key', `${mixed(6)}_${mixed(29)}_mmk`],
  ['new-relic-browser-api-token', `NRJS-${mixed(19, HEX)}`],
  ['plaid-api-token', 'access-sandbox-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'],
  ['settlemint-personal-access-token', `sm_pat_${mixed(16)}`],
  ['slack-legacy-token', `xoxo-123456789-123456789-123456789-${mixed(10, HEX)}`],
  ['sourcegraph-access-token', `sgp_${mixed(16, HEX)}_${mixed(40, HEX)}`],
  ['twitter-bearer-token', `${'A'.repeat(22)}${mixed(90)}`],
  ['vault-service-token', `s.${mixed(24)}`],
  ['yandex-access-token', `t1.${mixed(20)}.${mixed(86)}`],
  ['yandex-api-key', `AQVN${mixed(36)}`],
  ['yandex-aws-access-token', `YC${mixed(38)}`],
])('finds what the published rule %s of gitleaks means', (_, token) => {
  for (const [before, after] of [
    ['Take this: ', ' and go on.'],
    ['请记下 ', '，谢谢'],
    ['KEY="', '"\n'],
  ] as const) {
    const text = before + token + after;
    expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual([token]);
  }
});
it.each([
  ['curl -u mira:Xk2!pq9z https://api.example.com', 'Xk2!pq9z'],
  ["curl -s --user 'mira:a b' x", null],
  ['curl -u $NAME:$WORD https://api.example.com', null],
  ['curl --user "mira:$WORD" https://api.example.com', null],
  [
    'Cookie: _gitlab_session=0f1e2d3c4b5a69788796a5b4c3d2e1f0; theme=dark',
    '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  ],
  ['live_update_of_the_whole_page_in_two_steps', null],
  ['test_0042', null],
  ['s.replaceAll(left, right)', null],
  ['the t1.micro and t1.small of old', null],
])('%s: the value alone', (text, value) => {
  expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual(
    value === null ? [] : [value],
  );
});

it('the rules of services are what they say: unlike each other, and of a length that can be', () => {
  // `live_` begins keys of two services, which differ in what follows.
  const starts = SECRET_RULES.flatMap(({ starts, alphabet }) =>
    starts.map((start) => `${start} ${alphabet}`),
  );
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

const MIXED = 'q7Gt9Zx2Lw5Vb8Nc1Md4Kf6Hs3Jp0Ra';
const PEM_OF_PUTTY =
  'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAAIH8abcDEF123456\nPrivate-MAC: 0a1b';
it.each([
  [`GITLAB_TOKEN=${MIXED}`, MIXED],
  [`{"access_token":"${MIXED}","n":1}`, MIXED],
  [`X-Auth-Token: ${MIXED}`, MIXED],
  [`PRIVATE-TOKEN: ${MIXED}`, MIXED],
  [`//registry.example/:_authToken=${MIXED}`, MIXED],
  [`STRIPE_KEY=${MIXED}`, MIXED],
  ['{"auths":{"x":{"auth":"YW5uYTpodW50ZXIyeHl6"}}}', 'YW5uYTpodW50ZXIyeHl6'],
  ['Authorization: Basic YTpiMTIzNA==', 'YTpiMTIzNA=='],
  [`Authorization: token ${MIXED}`, MIXED],
  [`Authorization: ${MIXED}`, MIXED],
  [`Set-Cookie: sid=${MIXED}; HttpOnly`, MIXED],
  [`https://${MIXED}@github.com/a/b.git`, MIXED],
  [`https://x.example/cb?a=1&access_token=${MIXED}&b=2`, MIXED],
  [`https://x.example/c?sv=2022&sig=abC1%2BdEfGhIjKlMnOpQrSt%3D&se=1`, 'abC1%2BdEfGhIjKlMnOpQrSt%3D'],
  [`https://app.example/#pair=AY${MIXED}${MIXED}`, `AY${MIXED}${MIXED}`],
  [PEM_OF_PUTTY, 'AAAAIH8abcDEF123456\n'],
  ["sshpass -p 'hunter2xyz' ssh a@b", 'hunter2xyz'],
  ['mysql -u root -phunter2xyz db', 'hunter2xyz'],
  ['WIFI:T:WPA;S:net;P:hunter2xyz;;', 'hunter2xyz'],
  ['max_tokens: 4096, next_token: null', null],
  ['token: some-long-name-of-a-thing', null],
  ['Authorization: required for each request', null],
  ['Authorization is by role, see https://docs.example/auth?page=2', null],
  ['cache_key: user-profile-2024-01-01-en', null],
  ['const publicKey = await crypto.subtle.importKey(1, 2)', null],
  ['Cookie: a biscuit, as of 1834', null],
  ['https://anna@example.com/', null],
])('%s: what gives access, by its name or its place', (text, value) => {
  expect(secrets.find(text, lists).map(({ from, to }) => text.slice(from, to))).toEqual(
    value === null ? [] : [value],
  );
});
it.each([
  ['password: |\n  hunter2xyz\nuser: anna', 'hunter2xyz'],
  ['password -> hunter2xyz', 'hunter2xyz'],
])('%j: the value where it stands', (text, value) => {
  expect(keywords.find(text, lists).map(({ from, to }) => text.slice(from, to))).toContain(value);
});
it.each([
  ['anna,4539148803436467,12/27', true],
  ['?card=4539148803436467&x=1', true],
  ['4539.1488.0343.6467', true],
  ['?id=4539148803436467&x=1', false],
  ['#4539148803436467', false],
])('a card in a row or a form: %s', (text, isFound) => {
  expect(cards.find(text, lists)).toHaveLength(isFound ? 1 : 0);
});
it.each([
  "{'mail': 'anna@example.com'}",
  '_anna@example.com_',
  'anna@例子.中国谢谢',
  'anna@example.xn--fiqs8s',
])('finds the mailbox in %s', (text) => {
  expect(emails.find(text, lists)).toHaveLength(1);
});
