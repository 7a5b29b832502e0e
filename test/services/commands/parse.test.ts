import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS, complete, parseCommand } from '../../../src/services/commands/index.ts';
import { wordsOfLine } from '../../../src/services/commands/parse.ts';

const parse = (line: string) => parseCommand(COMMANDS, line);
const argsOf = (line: string) => {
  const parsed = parse(line);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return { name: parsed.command.name, ...parsed.args };
};
const problemOf = (line: string) => {
  const parsed = parse(line);
  return parsed.ok ? undefined : { code: parsed.problem.code, ...parsed.problem.params };
};

describe('words', () => {
  it.each([
    ['/recall  one   two', ['/recall', 'one', 'two']],
    ['/recall "one two" three', ['/recall', 'one two', 'three']],
    ["/recall what's the plan", ['/recall', "what's", 'the', 'plan']],
    ["/recall 'one two'", ['/recall', 'one two']],
    ['/recall “什么时候 备份” 「一 二」', ['/recall', '什么时候 备份', '一 二']],
    ['/recall "a \\"quoted\\" word"', ['/recall', 'a "quoted" word']],
    ['/recall "never closed', ['/recall', 'never closed']],
    ['/memory export --format="json" x', ['/memory', 'export', '--format=json', 'x']],
    ['', []],
  ])('%s', (line, expected) => {
    expect(wordsOfLine(line).map((word) => word.text)).toEqual(expected);
  });

  it('say where they stand', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (line) => {
        let end = 0;
        for (const word of wordsOfLine(line)) {
          expect(word.from).toBeGreaterThanOrEqual(end);
          expect(word.to).toBeGreaterThan(word.from);
          expect(word.to).toBeLessThanOrEqual(line.length);
          end = word.to;
        }
      }),
    );
  });
});

describe('a line', () => {
  it.each([
    ['/recall', { name: 'recall' }],
    ['/recall when is the backup', { name: 'recall', query: 'when is the backup' }],
    ['/recall backup --limit 3 time', { name: 'recall', query: 'backup time', limit: 3 }],
    ['/recall --limit=3 --with-context x', { name: 'recall', query: 'x', limit: 3, 'with-context': true }],
    ['/recall x --with-context=false', { name: 'recall', query: 'x', 'with-context': false }],
    ['/recall --jump-to "0198-abc"', { name: 'recall', 'jump-to': '0198-abc' }],
    ['/recall —limit 3 x', { name: 'recall', query: 'x', limit: 3 }],
    ['／recall x　--limit ３', { name: 'recall', query: 'x', limit: 3 }],
    ['/recall x －－limit＝３', { name: 'recall', query: 'x', limit: 3 }],
    ['/recall ＂什么时候 备份＂', { name: 'recall', query: '什么时候 备份' }],
    ['/recall -- --limit 3', { name: 'recall', query: '--limit 3' }],
    ['/recall "--limit" 3', { name: 'recall', query: '--limit 3' }],
    ['/recall --lim 4', { name: 'recall', limit: 4 }],
    ['/RECALL x', { name: 'recall', query: 'x' }],
    ['/rec x', { name: 'recall', query: 'x' }],
    ['/memory list', { name: 'memory', action: 'list' }],
    ['/memory --limit 5 LIST', { name: 'memory', action: 'list', limit: 5 }],
    ['/memory exp --all --format mark', { name: 'memory', action: 'export', all: true, format: 'markdown' }],
    ['/title  A "fine"   title --limit', { name: 'title', text: 'A "fine"   title --limit' }],
    ['/forget "Ann Lee"', { name: 'forget', text: 'Ann Lee' }],
    ['/title "A fine title"', { name: 'title', text: 'A fine title' }],
    ['/new', { name: 'new' }],
    ['/help recall', { name: 'help', command: 'recall' }],
  ])('%s', (line, expected) => {
    expect(argsOf(line)).toEqual(expected);
  });
});

describe('a mistake is explained', () => {
  it.each([
    ['/recal1 x', { code: 'command-unknown', name: 'recal1', nearest: 'recall' }],
    ['/xyzzy', { code: 'command-unknown', name: 'xyzzy', nearest: '' }],
    ['/', { code: 'command-unknown', name: '', nearest: '' }],
    [
      '/recall x --limti 3',
      {
        code: 'command-flag',
        command: 'recall',
        flag: '--limti',
        allowed: '--limit, --with-context, --jump-to, --explain, --scope',
        nearest: '--limit',
      },
    ],
    [
      '/recall x --limit 0',
      {
        code: 'command-argument',
        command: 'recall',
        argument: 'limit',
        value: '0',
        allowed: '1–50',
        nearest: '',
      },
    ],
    [
      '/recall x --limit many',
      {
        code: 'command-argument',
        command: 'recall',
        argument: 'limit',
        value: 'many',
        allowed: '1–50',
        nearest: '',
      },
    ],
    [
      '/recall --limit --with-context',
      {
        code: 'command-argument',
        command: 'recall',
        argument: 'limit',
        value: '',
        allowed: '1–50',
        nearest: '',
      },
    ],
    [
      '/recall --with-context=maybe',
      {
        code: 'command-argument',
        command: 'recall',
        argument: 'with-context',
        value: 'maybe',
        allowed: 'true, false',
        nearest: '',
      },
    ],
    [
      '/memory lost',
      {
        code: 'command-argument',
        command: 'memory',
        argument: 'action',
        value: 'lost',
        allowed: 'list, search, archive, delete, export, status, session, sync, config',
        nearest: 'list',
      },
    ],
    [
      '/memory',
      {
        code: 'command-argument',
        command: 'memory',
        argument: 'action',
        value: '',
        allowed: 'list, search, archive, delete, export, status, session, sync, config',
        nearest: '',
      },
    ],
    [
      '/memory export --format xml',
      {
        code: 'command-argument',
        command: 'memory',
        argument: 'format',
        value: 'xml',
        allowed: 'json, markdown',
        nearest: '',
      },
    ],
    [
      '/title',
      { code: 'command-argument', command: 'title', argument: 'text', value: '', allowed: '', nearest: '' },
    ],
  ])('%s', (line, expected) => {
    expect(problemOf(line)).toEqual(expected);
  });
});

describe('whatever is typed', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/recall',
      '/memory',
      '--limit',
      '--limit=3',
      '--with-context',
      '--',
      '"',
      '“',
      "'",
      '3',
      ' ',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const line = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join(' ')}`);

  it('is read or explained, never thrown', () => {
    fc.assert(
      fc.property(line, (text) => {
        const parsed = parse(text);
        if (parsed.ok) return;
        expect(parsed.problem.code).toMatch(/^command-/);
        for (const value of Object.values(parsed.problem.params ?? {})) expect(value).toBeDefined();
      }),
    );
  });

  it('has a number that keeps its range and a text that keeps its words', () => {
    const word = fc.stringMatching(/^[a-z0-9\u4e00-\u9fff]{1,10}$/);
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 50 }),
        fc.nat(6),
        fc.boolean(),
        (words, limit, at, equals) => {
          const pieces: string[] = [...words];
          pieces.splice(Math.min(at, words.length), 0, equals ? `--limit=${limit}` : `--limit ${limit}`);
          expect(argsOf(`/recall ${pieces.join(' ')}`)).toEqual({
            name: 'recall',
            query: words.join(' '),
            limit,
          });
        },
      ),
    );
  });

  it('survives its own quoting', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const quoted = `"${text.replace(/[\\"]/g, '\\$&')}"`;
        expect(wordsOfLine(`/x ${quoted}`).map((word) => word.text)).toEqual(['/x', text]);
      }),
    );
  });

  it('completes to something that stands in the line', () => {
    fc.assert(
      fc.property(line, fc.nat(40), (text, caret) => {
        const { from, to, suggestions } = complete(COMMANDS, text, Math.min(caret, text.length));
        expect(from).toBeLessThanOrEqual(to);
        expect(to).toBeLessThanOrEqual(text.length);
        for (const suggestion of suggestions) expect(suggestion.help).toMatch(/^[a-z]+\.[a-z-]+$/);
      }),
    );
  });
});

describe('completion', () => {
  const texts = (input: string, caret = input.length) =>
    complete(COMMANDS, input, caret).suggestions.map((suggestion) => suggestion.text);

  it('offers commands, then what they take, then flags that are not there yet', () => {
    const offered = texts('/');
    expect(offered).toEqual(COMMANDS.map(({ name }) => `/${name}`));
    // Those that people know stay, in the order that they know; a new one stands where its line in COMMANDS puts it.
    const known =
      '/recall /memory /compact /checkpoint /checkpoints /restore /dmail /new /title /sync /forget /help';
    expect(offered.filter((text) => known.split(' ').includes(text))).toEqual(known.split(' '));
    expect(texts('/me')).toEqual(['/memory']);
    expect(texts('/memory ')).toEqual([
      'list',
      'search',
      'archive',
      'delete',
      'export',
      'status',
      'session',
      'sync',
      'config',
    ]);
    expect(texts('/memory s')).toEqual(['search', 'status', 'session', 'sync']);
    expect(texts('/memory --')).toContain('--format');
    expect(texts('/memory export --')).toEqual(['--format', '--all']);
    expect(texts('/memory exp --')).toEqual(['--format', '--all']);
    expect(texts('/memory --limit 5 list ')).toEqual(['--archived']);
    expect(texts('/memory --limit 5 li')).toEqual(['list']);
    expect(texts('/memory status --')).toEqual([]);
    expect(texts('/memory export --format ')).toEqual(['json', 'markdown']);
    expect(texts('/memory export --format m')).toEqual(['markdown']);
    expect(texts('/recall x --limit 3 --')).toEqual(['--with-context', '--jump-to', '--explain', '--scope']);
    expect(texts('/recall x --scope a')).toEqual(['active', 'archived', 'all']);
    expect(texts('/recall x --scope pinned,')).toEqual([
      'pinned,here',
      'pinned,active',
      'pinned,archived',
      'pinned,all',
    ]);
    expect(texts('/recall x --scope active,')).toEqual(['active,here', 'active,pinned']);
    expect(texts('hello')).toEqual([]);
    expect(texts('/unknown x')).toEqual([]);
  });

  it('offers the same behind a wide slash', () => {
    for (const line of ['/rec', '/memory ', '/'])
      expect(complete(COMMANDS, line.replace('/', '／'), line.length)).toEqual(
        complete(COMMANDS, line, line.length),
      );
  });

  it('replaces the word at the caret', () => {
    expect(complete(COMMANDS, '/recall --li 3', 12)).toMatchObject({
      from: 8,
      to: 12,
      suggestions: [{ kind: 'flag', text: '--limit', help: 'recall.--limit', wants: '1–50' }],
    });
  });

  it('offers the names of checkpoints, those that begin with the letters first, quoted where a flag wants one word', () => {
    const offered = ['turn-2', 'before the turn', 'say "hi" once'].map((name) => ({
      name,
      says: `at ${name}`,
    }));
    const from = (input: string) => {
      const { from, to, suggestions } = complete(COMMANDS, input, input.length, offered);
      return suggestions.map(({ text }) => `${input.slice(0, from)}${text}${input.slice(to)}`);
    };
    expect(from('/restore ')).toEqual([
      '/restore turn-2',
      '/restore before the turn',
      '/restore say "hi" once',
    ]);
    expect(from('/restore turn')).toEqual(['/restore turn-2', '/restore before the turn']);
    expect(from('/restore Before th')).toEqual(['/restore before the turn']);
    expect(from('/restore nowhere')).toEqual([]);
    expect(from('/checkpoints --diff bef')).toEqual(['/checkpoints --diff "before the turn"']);
    expect(from('/dmail try again --to on')).toEqual(['/dmail try again --to "say \\"hi\\" once"']);
    // Enter runs a line that is whole, so its own name is never second.
    offered.unshift({ name: 'turn-20', says: 'at turn-20' });
    expect(from('/restore turn-2')[0]).toBe('/restore turn-2');
    // A completed name stands for that checkpoint.
    for (const line of ['/dmail x --to on', '/dmail x --to fore']) {
      const parsed = parseCommand(COMMANDS, from(line)[0] ?? '');
      expect(offered.map(({ name }) => name)).toContain(parsed.ok && parsed.args.to);
    }
    expect(complete(COMMANDS, '/restore', 8, offered).suggestions).toMatchObject([{ text: '/restore' }]);
    expect(complete(COMMANDS, '/restore turn', 13, offered).suggestions[0]).toMatchObject({
      says: 'at turn-20',
    });
  });

  it('explains a flag as a flag, also where an action has its name', () => {
    const helps = (input: string) =>
      complete(COMMANDS, input, input.length).suggestions.map(({ help }) => help);
    expect(helps('/memory sync --st')).toEqual(['memory.--status']);
    expect(helps('/memory stat')).toEqual(['memory.status']);
    expect(helps('/memory export --format m')).toEqual(['memory.--format']);
  });
});

it('every command has its words in both languages', async () => {
  const { commands: en } = await import('../../../src/ui/i18n/en/commands.ts');
  const { commands: zh } = await import('../../../src/ui/i18n/zh/commands.ts');
  for (const catalogue of [en, zh] as unknown as Record<string, Record<string, string>>[])
    for (const command of COMMANDS) {
      const words = catalogue[command.name];
      const keys = command.arguments.flatMap((argument) => [
        argument.kind === 'flag' ? `--${argument.name}` : argument.name,
        ...(argument.kind === 'choice' ? (argument.choices ?? []) : []),
      ]);
      const language = catalogue === (en as unknown) ? 'en' : 'zh';
      for (const key of ['summary', ...keys])
        expect(words?.[key], `${command.name}.${key} in src/ui/i18n/${language}/commands.ts`).toBeTruthy();
    }
});
