import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isExcluded } from '../../../src/domain/memory/privacy.ts';
import { REDACTED } from '../../../src/domain/privacy/tokens.ts';
import { redact } from '../../fixtures/redact.ts';

const KEYWORDS = ['password', 'secret', 'api_key'];
const clean = (text: string) => redact(text, KEYWORDS).text;

describe('the privacy filter', () => {
  it.each([
    ['my password: hunter2 works', 'my password: ••• works'],
    ['export DB_PASSWORD=abc123 && run', 'export DB_PASSWORD=••• && run'],
    ['{"client_secret": "a b c", "x": 1}', '{"client_secret": "•••", "x": 1}'],
    ['apiKey = "k-1"', 'apiKey = "•••"'],
    ['the API key is 9f8e7d6c.', 'the API key is •••'],
    ['Password: correct horse battery staple', 'Password: •••'],
    ['mysql --password hunter2 -u root', 'mysql --password ••• -u root'],
    ['**Secret**: `abc def`', '**Secret**: `•••`'],
    ['密码：我的密码123，请记住', '密码：•••，请记住'],
    ['数据库密码是abc123', '数据库密码是•••'],
    ['postgres://app:s3cr3t@db/main', 'postgres://app:•••@db/main'],
    ['postgres://u:p@ss@host/db', 'postgres://u:•••@host/db'],
    ['see https://u:p@host, or write to me@host.org', 'see https://u:•••@host, or write to me@host.org'],
    ['密码改成了 hunter2', '密码改成了 •••'],
    ['密码已经换成了hunter2，记住', '密码已经换成了•••，记住'],
    ['口令设置为 hunter2', '口令设置为 •••'],
    ['the password was changed to hunter2 today', 'the password was changed to ••• today'],
    ['the password is now hunter2', 'the password is now •••'],
    ['| user | bob |\n| password | hunter2 |', '| user | bob |\n| password | ••• |'],
    ['| db | **DB_PASSWORD** | `hunter2` | old |', '| db | **DB_PASSWORD** | `•••` | old |'],
    ['<user>bob</user><password>hunter2</password>', '<user>bob</user><password>•••</password>'],
    [
      '<db:client_secret env="x">a b\nc</db:client_secret>',
      '<db:client_secret env="x">•••</db:client_secret>',
    ],
    ['Authorization: Bearer abcdefghijklmnopqrst', 'Authorization: Bearer •••'],
  ])('takes the value and keeps the words: %s', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    `sk-${'a1'.repeat(20)}`,
    `sk-proj-${'Ab9_'.repeat(4)}${'x'.repeat(24)}`,
    `sk_live_${'a'.repeat(24)}`,
    `ghp_${'a1B2'.repeat(9)}`,
    `github_pat_${'a1B2'.repeat(12)}`,
    'AKIAIOSFODNN7EXAMPLE',
    `AIza${'a-1'.repeat(12)}`,
    `xoxb-${'1234567890'}-abc`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.${'x'.repeat(20)}`,
    '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\ndef\n-----END OPENSSH PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\ncut off in the middle',
  ])('knows a secret by its shape, whatever stands around it: %s', (secret) => {
    const text = clean(`use ${secret}`);
    expect(text).toBe(`use ${REDACTED}`);
    expect(redact(`use ${secret}`, []).redacted).toBe(1);
  });

  it.each([
    'the password is not correct',
    'I forgot my password, what now?',
    'the secret to good bread is time',
    'task-management-and-long-words-sk-1',
    'What is a secret?',
    'commit 4da508f27a2785 fixes it',
    'at 00opwd5isq.0000.t7bzat',
    '我忘记密码了怎么办',
    '密码改成了更长的',
    '密码改成了12位以上的',
    '密码是8位数字',
    'the password was changed to something longer',
    'the password is now 12 characters long',
    'the password is wrong!',
    'the password is SHA-256 hashed',
    '| user | password | notes |',
    '| password | string | what the person types |',
    '| password | varchar(255) | not null |',
    '| password | sha256 | hex |',
    'cat password | sha256sum',
    '<password></password>',
    '<label for="password">Password</label>',
    '<li>password</li><li>hunter</li>',
    'open http://localhost:3000/@me/2',
  ])('leaves ordinary talk alone: %s', (text) => {
    expect(redact(text, KEYWORDS)).toEqual({ text, redacted: 0 });
  });

  it('follows the keywords the person chose', () => {
    expect(redact('blood type: AB negative', ['blood type']).text).toBe('blood type: •••');
    expect(redact('password: hunter2', []).text).toBe('password: hunter2');
    expect(redact('a.b: 1', ['a.b', '(', '[']).redacted).toBe(1);
  });

  it('never lets a generated value through, and does nothing the second time', () => {
    const value = fc.stringMatching(/^[A-Za-z0-9@#$%^&+/=]{6,30}$/);
    const name = fc.constantFrom('password', 'DB_PASSWORD', 'api-key', 'apiKey', 'client_secret', '密码');
    const joint = fc.constantFrom(': ', '=', ' = ', '：', '="', ": '");
    fc.assert(
      fc.property(name, joint, value, (key, between, secret) => {
        const quote = /["']$/.exec(between)?.[0] ?? '';
        const once = clean(`see ${key}${between}${secret}${quote} there`);
        expect(once).not.toContain(secret);
        expect(clean(once)).toBe(once);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(clean(clean(text))).toBe(clean(text));
      }),
    );
  });

  it('is quick on hostile input', () => {
    const before = process.cpuUsage();
    for (const text of [
      'a'.repeat(200_000),
      'sk-'.repeat(60_000),
      'password'.repeat(25_000),
      'password:'.repeat(20_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(5_000),
      `eyJ${'a_'.repeat(100_000)}`,
      'http://a:'.repeat(20_000),
      `http://a:${'b@'.repeat(100_000)}`,
      '| password '.repeat(20_000),
      '<password '.repeat(20_000),
      '<password>'.repeat(20_000),
      'password was set '.repeat(12_000),
    ])
      clean(text);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(6_000);
  });
});

describe('excluded folders', () => {
  it.each([
    ['/home/me/secret-project/x', '*/secret-project/*', true],
    ['/home/me/secret-project', '*/secret-project/*', true],
    ['C:\\work\\Secret-Project', '*/secret-project/*', true],
    ['/home/me/secret-projects', '*/secret-project/*', false],
    ['/a/b/c', '/a/b', true],
    ['/a/bc', '/a/b', false],
    ['/a/node_modules/x', 'node_modules', true],
    ['/home/x/projects/a', '~/projects/**', true],
    ['/home/x/.ssh', '.ssh', true],
  ] as const)('%s against %s: %s', (folder, pattern, expected) => {
    expect(isExcluded(folder, [pattern])).toBe(expected);
  });

  it('hold back nothing of a conversation without a folder', () => {
    expect(isExcluded(null, ['**'])).toBe(false);
    expect(isExcluded('/a', [])).toBe(false);
  });
});
