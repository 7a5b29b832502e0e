import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18next, { type i18n } from 'i18next';
import { describe, expect, it } from 'vitest';
import { IMPORTERS } from '../../../src/adapters/importers/index.ts';
import { PRESETS } from '../../../src/adapters/models/presets.ts';
import { PROBLEM_CODES } from '../../../src/domain/base/errors.ts';
import { STRATEGIES } from '../../../src/domain/context/compaction/index.ts';
import { COMMANDS } from '../../../src/services/commands/index.ts';
import { problems as en } from '../../../src/ui/i18n/en/problems.ts';
import { problems as zh } from '../../../src/ui/i18n/zh/problems.ts';
import { FORMATS } from '../../../src/ui/library/tool-name.ts';

const folder = (language: string) => join(import.meta.dirname, '../../../src/ui/i18n', language);
const names = readdirSync(folder('en')).map((file) => file.replace('.ts', ''));

type Words = { readonly [key: string]: string | Words };
const load = async (language: 'en' | 'zh', name: string): Promise<Words> =>
  ((await import(`../../../src/ui/i18n/${language}/${name}.ts`)) as Record<string, Words>)[name] as Words;

const pathsOf = (words: Words, path = ''): [string, string][] =>
  Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'string'
      ? [[`${path}${key}`, value] as [string, string]]
      : pathsOf(value, `${path}${key}.`),
  );
/** English has one and other, Chinese other alone: the same sentence. */
const singular = /_(?:one|other)$/;

/** These instances have other catalogues than the app's, whose keys are typed. */
const say = (words: i18n, key: string, values: object): string =>
  (words.t as (key: string, values: object) => string)(key, values);

describe('the catalogues', () => {
  it.each(names)('say the same things in both languages: %s', async (name) => {
    const keys = async (language: 'en' | 'zh') =>
      [...new Set(pathsOf(await load(language, name)).map(([path]) => path.replace(singular, '')))].sort();
    const [chinese, english] = [await keys('zh'), await keys('en')];
    const lacks = (some: readonly string[], all: readonly string[]) =>
      all.filter((key) => !some.includes(key));
    expect({ 'missing in zh': lacks(chinese, english), 'missing in en': lacks(english, chinese) }).toEqual({
      'missing in zh': [],
      'missing in en': [],
    });
  });

  it.each(names)('use the same values in both languages: %s', async (name) => {
    const valuesOf = (text: string) =>
      [...text.matchAll(/\{\{\s*([\w-]+)/g)].map((match) => match[1] as string).sort();
    const chinese = new Map(pathsOf(await load('zh', name)));
    for (const [path, text] of pathsOf(await load('en', name))) {
      if (path.endsWith('_one')) continue;
      expect([path, [...new Set(valuesOf(chinese.get(path) ?? ''))]]).toEqual([
        path,
        [...new Set(valuesOf(text))],
      ]);
    }
  });

  it.each(names)('never put a number before a word whose plural it does not choose: %s', async (name) => {
    // Tokens come by the hundred; a map is drawn of several branches, words and entries are counted to their sum.
    const many = /\{\{(?:all|branches), number\}\} (?:words|entries|branches)/;
    const wrong = /\{\{(?!count\b)\w+, number\}\}(?: new| model)* (?!tokens\b)[a-z]+s\b/;
    const english = pathsOf(await load('en', name));
    expect(english.filter(([, text]) => wrong.test(text) && !many.test(text))).toEqual([]);
  });

  it.each(names)('have every plural of English: %s', async (name) => {
    const paths = new Set(pathsOf(await load('en', name)).map(([path]) => path));
    for (const path of paths)
      if (singular.test(path)) {
        expect(paths).toContain(path.replace(singular, '_one'));
        expect(paths).toContain(path.replace(singular, '_other'));
      }
  });

  it.each(names)('set a thin space between Chinese and Latin letters or numbers: %s', async (name) => {
    // People type plain spaces.
    const isTyped = (path: string) => /Also$|^everyday\./.test(path);
    const chinese = pathsOf(await load('zh', name)).filter(([path]) => !isTyped(path));
    expect(
      chinese.filter(([, text]) =>
        /\p{Script=Han} ?[A-Za-z0-9]|\p{Script=Han} \{|[A-Za-z0-9%] ?\p{Script=Han}|\} \p{Script=Han}/u.test(
          text,
        ),
      ),
      `a thin space, U+2009, as the neighbours in src/ui/i18n/zh/${name}.ts have it`,
    ).toEqual([]);
  });

  it('name every importer, in the report and under what can be imported', async () => {
    for (const language of ['en', 'zh'] as const) {
      const library = new Map(pathsOf(await load(language, 'library')));
      for (const { id } of IMPORTERS)
        for (const path of [`format.${id}`, `import.format.${id}.name`, `import.format.${id}.how`])
          expect(library.get(path) ?? '', `${path} in src/ui/i18n/${language}/library.ts`).toMatch(/\S{2,}/);
    }
    // In the same list that the interface draws.
    expect([...FORMATS].sort(), 'FORMATS of src/ui/library/tool-name.ts').toEqual(
      IMPORTERS.map(({ id }) => id).sort(),
    );
  });

  it('say of everything that a command did what was done', async () => {
    const folder = join(import.meta.dirname, '../../../src/services/commands');
    // Up to the end of the value: what stands behind it on the line are params.
    const done = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').match(/\bwhat(?::| =) [^,;}]*/g) ?? [])
      .flatMap((value) => value.match(/'\w+'/g) ?? [])
      .map((quoted) => quoted.slice(1, -1));
    expect(done.length).toBeGreaterThanOrEqual(9);
    for (const language of ['en', 'zh'] as const) {
      const paths = new Set(
        pathsOf(await load(language, 'commands')).map(([path]) => path.replace(singular, '')),
      );
      expect(
        done.filter((what) => !paths.has(`done.${what}`)),
        `sentences under \`done\` in src/ui/i18n/${language}/commands.ts`,
      ).toEqual([]);
    }
  });

  it('name and explain every compaction strategy and every preset of an endpoint', async () => {
    for (const language of ['en', 'zh'] as const) {
      const context = new Map(pathsOf(await load(language, 'context')));
      for (const { id } of STRATEGIES)
        for (const path of [`strategies.${id}`, `strategyHelp.${id}`])
          expect(context.get(path) ?? '', `${path} in src/ui/i18n/${language}/context.ts`).toMatch(/\S{2,}/);
      const settings = new Map(pathsOf(await load(language, 'settings')));
      for (const { id } of PRESETS)
        expect(settings.get(`models.preset.${id}`) ?? '', `models.preset.${id}`).toMatch(/\S{2,}/);
    }
  });

  it('explain every problem: what happened, what was kept, what to do', () => {
    for (const catalogue of [en, zh] as unknown as Record<string, Record<string, string>>[])
      for (const code of PROBLEM_CODES)
        for (const part of ['what', 'kept', 'do'])
          expect(catalogue[code]?.[part] ?? '', `${code}.${part}`).toMatch(/\S{2,}/);
  });

  it('say of a temporary conversation what is true there: nothing of it is saved', async () => {
    for (const [catalogue, saved] of [
      [en, /message.* (?:is|are) saved/],
      [zh, /消息.*已保存/],
    ] as const)
      for (const [code, words] of Object.entries(
        catalogue as unknown as Record<string, Record<string, string>>,
      ))
        if (saved.test(words.kept ?? '')) {
          expect(words.kept_temporary, code).toMatch(/temporary|临时/);
          expect(words.kept_temporary, code).not.toMatch(saved);
        }
    const words = i18next.createInstance();
    await words.init({ lng: 'en', resources: { en: { problems: en } } });
    const context = 'temporary';
    const sentenceFor = (values: object) => say(words, 'problems:model-rate.do', { ...values, context });
    expect(sentenceFor({ reason: 'soon' })).toBe('Try again in a moment.');
    expect(sentenceFor({})).toContain('Try again in a moment');
    expect(say(words, 'problems:model-cut.kept', { context })).toBe('What had arrived is kept and marked.');
  });

  it('say of a log that cannot be opened at the start only what is true there: nothing else is on the screen', async () => {
    const words = i18next.createInstance();
    await words.init({ resources: { en: { problems: en }, zh: { problems: zh } } });
    const elsewhere = /on the screen|last message|last change|Settings|saving|private|屏幕|最后|设置|无痕/;
    for (const lng of ['en', 'zh'])
      for (const code of ['storage-full', 'storage-held', 'storage-failed', 'newer-log'])
        for (const part of ['what', 'kept', 'do'])
          expect(say(words, `problems:${code}.${part}`, { lng, context: 'start' }), code).not.toMatch(
            elsewhere,
          );
  });

  it('explain every command and all it takes', async () => {
    for (const language of ['en', 'zh'] as const) {
      const commands = (await load(language, 'commands')) as Record<string, Record<string, string>>;
      for (const command of COMMANDS) {
        const where = `in src/ui/i18n/${language}/commands.ts`;
        expect(commands[command.name]?.summary, `${command.name}.summary ${where}`).toBeTruthy();
        for (const argument of command.arguments) {
          const known =
            argument.kind === 'choice'
              ? (argument.choices ?? [])
              : [argument.kind === 'flag' ? `--${argument.name}` : argument.name];
          for (const name of known)
            expect(commands[command.name]?.[name], `${command.name}.${name} ${where}`).toBeTruthy();
        }
      }
    }
  });

  it('choose the advice that fits the reason, and a plain one where the reason is new', async () => {
    const words = i18next.createInstance();
    await words.init({
      lng: 'en',
      resources: { en: { problems: en, shell: await load('en', 'shell') }, zh: { problems: zh } },
      interpolation: { escapeValue: false },
    });
    expect(say(words, 'problems:model-rate.do', { reason: 'seconds', seconds: 20 })).toBe(
      'Try again in 20 seconds.',
    );
    expect(say(words, 'problems:model-rate.do', { reason: 'seconds', seconds: 1 })).toBe(
      'Try again in 1 second.',
    );
    expect(say(words, 'problems:model-rate.do', { reason: 'minutes', minutes: 15 })).toBe(
      'Try again in 15 minutes.',
    );
    const sentenceFor = (code: string, status: number, cause?: string) =>
      say(words, `problems:${code}.what`, { reason: 'soon', status, context: cause ?? `${status}` });
    expect(sentenceFor('model-rate', 429)).toBe('Too many requests (429).');
    for (const code of ['model-rate', 'model-server']) {
      const all = [502, 503, 504].map((status) => sentenceFor(code, status));
      for (const language of ['en', 'zh'])
        expect(words.exists(`problems:${code}.what_503`, { lng: language })).toBe(true);
      expect(sentenceFor(code, 429, 'overloaded')).toBe('The service is overloaded (429).');
      expect(new Set(all).size).toBe(3);
      for (const sentence of all) expect(sentence).not.toMatch(/Too many|Something broke/);
    }
    expect(sentenceFor('model-server', 500)).toBe('Something broke at the service.');
    expect(say(words, 'problems:model-rate.what', { reason: 'quota', status: 429 })).toContain('quota');
    expect(say(words, 'problems:model-not-found.what', { reason: 'address' })).toBe(
      'This is not a web address.',
    );
    expect(say(words, 'problems:model-not-found.what', { reason: 'path' })).toContain('(404)');
    expect(say(words, 'problems:model-not-found.what', {})).toContain('(404)');
    expect(say(words, 'shell:status.savedBehind', { count: 4002 })).toBe('Saved, 4,002 to index');
    expect(say(words, 'problems:model-rate.do', { reason: 'hours', hours: 3, lng: 'zh' })).toBe(
      '请于3小时后重试。',
    );
    expect(say(words, 'problems:model-rate.do', { reason: 'never heard of' })).toBe(
      'Try again in a moment, or check the limits of your account.',
    );
    expect(say(words, 'problems:model-rate.do', {})).toContain('Try again in a moment');
    expect(say(words, 'problems:command-unknown.do', { name: 'recal', nearest: 'recall' })).toContain(
      '/recall?',
    );
    expect(say(words, 'problems:command-unknown.do', { name: 'x', nearest: '' })).toBe(
      'Type / to see all commands.',
    );
    expect(say(words, 'problems:command-argument.do', { allowed: 'list, search, archive' })).toBe(
      'Allowed: list, search, archive.',
    );
    expect(say(words, 'shell:itsReason', { detail: '$t(problems:unexpected.what)' })).not.toContain(
      'did not expect',
    );
  });
});
