// How far memory looks for a conversation of a project, in real Postgres.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPgliteIndex } from '../../../src/adapters/index/pglite.ts';
import type { ConversationId } from '../../../src/domain/base/ids.ts';
import type { MemoryScope, ProjectId } from '../../../src/domain/projects/project.ts';
import type { PersonaReach } from '../../../src/domain/prompts/persona.ts';
import { createProjects } from '../../../src/services/projects/projects-service.ts';
import { openDatabase } from '../../adapters/index/database.ts';
import { conversationOf, openHome } from './home.ts';

const NOW = Date.UTC(2026, 5, 1);
const database = await openDatabase();
const index = createPgliteIndex(database);
afterAll(() => database.close());

const SUBJECTS = ['cellar', 'garden', 'kitchen', 'garage', 'attic', 'office', 'stable', 'library'];
const THINGS = ['key', 'ladder', 'lamp', 'drill', 'bicycle', 'printer', 'saddle', 'globe'];
/** The words of each conversation of a house; both houses use the same words for other places. */
const saidIn = (house: string) =>
  SUBJECTS.map((room, at) =>
    conversationOf(
      [
        `Where in the ${house} does the ${room} ${THINGS[at]} hang?`,
        `The ${room} ${THINGS[at]} of the ${house} hangs behind the ${SUBJECTS[(at + 3) % SUBJECTS.length]} door.`,
      ],
      { title: `${house} ${room}` },
      NOW - 86_400_000 * (at + 2),
    ),
  );

/** Questions of which nothing in the project speaks, and where the answer stands. */
const ELSEWHERE = [
  ['Which doctor looked at the broken wrist?', 'Wrist'],
  ['What did the tyres of the car cost?', 'Tyres'],
  ['When does the passport run out?', 'Passport'],
] as const;

let house: ReturnType<typeof openHome>;
let project: ProjectId;
let inside: readonly ConversationId[];
beforeAll(async () => {
  house = openHome({ index, now: () => NOW });
  const projects = createProjects({ documents: house.documents, now: () => NOW });
  project = await projects.create({ name: 'Farm', scope: 'first' });
  inside = await house.add(...saidIn('farm'));
  await house.add(...saidIn('villa'));
  await house.add(
    conversationOf(['Doctor Abara looked at the broken wrist in March.'], { title: 'Wrist' }),
    conversationOf(['The new tyres of the car cost four hundred euros.'], { title: 'Tyres' }),
    conversationOf(['My passport runs out when the summer of 2029 ends.'], { title: 'Passport' }),
  );
  await projects.move(inside, project);
  await projects.addFiles(project, [
    {
      type: 'file',
      mediaType: 'text/plain',
      name: 'alarm.txt',
      url: `data:text/plain;base64,${btoa('The alarm of the farm is switched off with the green button.')}`,
    },
  ]);
  await house.indexed();
});
afterAll(() => house.close());
const set = (scope: MemoryScope) =>
  createProjects({ documents: house.documents, now: () => NOW }).change(project, { scope });
afterEach(() => set('first'));

const found = async (text: string, from?: ConversationId, persona?: PersonaReach) => {
  const { passages, nearMisses, scope } = await house.recall(text, {
    limit: 20,
    ...(from ? { from } : {}),
    ...(persona ? { persona } : {}),
  });
  return {
    titles: [...passages, ...nearMisses].map(({ title }) => title),
    hits: passages,
    all: [...passages, ...nearMisses],
    scope,
  };
};

describe('only this project', () => {
  it('finds nothing elsewhere, however well it fits', async () => {
    await set('only');
    const { titles, scope } = await found('Where does the villa cellar key hang?', project);
    expect(titles.length).toBeGreaterThan(0);
    expect(titles.every((title) => title.startsWith('farm') || title === 'Farm')).toBe(true);
    expect(scope).toEqual({ project, name: 'Farm', reach: 'only' });
    // A conversation in the project finds the same; one outside finds everything.
    expect((await found('Where does the villa cellar key hang?', inside[3])).titles).toEqual(titles);
    expect((await found('Where does the villa cellar key hang?')).titles[0]).toMatch(/^villa/);
  });

  it('finds its files', async () => {
    await set('only');
    const { hits } = await found('How is the alarm of the farm switched off?', project);
    expect(hits[0]).toMatchObject({ conversationId: project, title: 'Farm' });
  });

  it('narrows what is narrowed already', async () => {
    await set('only');
    const { passages, nearMisses } = await house.recall('Where does the cellar key hang?', {
      from: project,
      filter: { conversationIds: [inside[0] as ConversationId] },
    });
    expect(new Set([...passages, ...nearMisses].map(({ conversationId }) => conversationId))).toEqual(
      new Set([inside[0]]),
    );
  });

  it('follows a conversation that moves, at once and without reading anything again', async () => {
    await set('only');
    const projects = createProjects({ documents: house.documents, now: () => NOW });
    const [first] = inside as [ConversationId];
    const undo = await projects.move([first], null);
    expect((await found('Where does the farm cellar key hang?', project)).titles).not.toContain(
      'farm cellar',
    );
    await undo();
    expect((await found('Where does the farm cellar key hang?', project)).titles[0]).toBe('farm cellar');
  });
});

describe('this project first', () => {
  it('puts what is in it before what fits as well elsewhere', async () => {
    for (const [at, room] of SUBJECTS.entries()) {
      const question = `Where does the ${room} ${THINGS[at]} hang?`;
      expect((await found(question, project)).titles[0], question).toMatch(/^farm/);
    }
    expect((await found('Where does the cellar key hang?', project)).scope?.reach).toBe('first');
  });

  it('loses nothing that stands elsewhere where nothing fits here', async () => {
    for (const [question, title] of ELSEWHERE) {
      const everywhere = await found(question);
      const first = await found(question, project);
      expect(first.titles[0], question).toBe(title);
      // Passages outside the project are as probable as without a project.
      const probability = ({ all }: typeof everywhere) =>
        all.find((one) => one.title === title)?.scores.final;
      expect(probability(first), question).toBeCloseTo(probability(everywhere) ?? -1, 1);
    }
  });

  it('makes candidates of its best, however many better ones there are elsewhere', async () => {
    const many = Array.from({ length: 70 }, (_, at) =>
      conversationOf([`Note ${at}: the orchard gate needs paint before the orchard gate rusts.`], {
        title: `elsewhere ${at}`,
      }),
    );
    // Their descriptions are equal, so recall would bring the first few of them.
    await house.add(...many);
    const [own] = await house.add(
      conversationOf(['The gate of the orchard on our side squeaks a little when the wind is strong.'], {
        title: 'own gate',
      }),
    );
    const projects = createProjects({ documents: house.documents, now: () => NOW });
    await projects.move([own as ConversationId], project);
    await house.indexed();
    const { recall } = house.config.get();
    house.config.set({
      ...house.config.get(),
      recall: {
        ...recall,
        filters: { ...recall.filters, min_similarity: 0 },
        context: { ...recall.context, max_total_tokens: 100_000 },
      },
    });
    const titlesFrom = async (from?: ConversationId) =>
      (await house.recall('orchard gate', { limit: 200, ...(from ? { from } : {}) })).passages.map(
        ({ title }) => title,
      );
    expect(await titlesFrom()).not.toContain('own gate');
    expect(await titlesFrom(project)).toContain('own gate');
  });
});

it('says nothing of a scope where everything counts alike, or the conversation is in no project', async () => {
  await set('everything');
  expect((await found('Where does the cellar key hang?', project)).scope).toBeUndefined();
  expect((await found('Where does the cellar key hang?')).scope).toBeUndefined();
});

describe('a persona', () => {
  const VILLA = 'Where does the villa cellar key hang?';
  const only = (): PersonaReach => ({ memory: 'only', project });
  const projects = () => createProjects({ documents: house.documents, now: () => NOW });

  it('looks only in its project, wherever it is asked', async () => {
    const { titles, scope } = await found(VILLA, undefined, only());
    expect(titles.length).toBeGreaterThan(0);
    expect(
      titles.every((title) => title.startsWith('farm') || title === 'Farm' || title === 'own gate'),
    ).toBe(true);
    expect(scope).toEqual({ project, name: 'Farm', reach: 'only' });
  });

  it('looks in its project first', async () => {
    const first: PersonaReach = { memory: 'first', project };
    expect((await found('Where does the cellar key hang?', undefined, first)).titles[0]).toMatch(/^farm/);
    const { titles, scope } = await found(ELSEWHERE[0][0], undefined, first);
    expect(titles[0]).toBe(ELSEWHERE[0][1]);
    expect(scope).toEqual({ project, name: 'Farm', reach: 'first' });
  });

  it('that looks everywhere leaves it to the conversation', async () => {
    const all: PersonaReach = { memory: 'all', project };
    expect((await found(VILLA, undefined, all)).scope).toBeUndefined();
    expect((await found(VILLA, project, all)).scope?.reach).toBe('first');
  });

  it('widens no project that looks only in itself, and may narrow it', async () => {
    const away = await projects().create({ name: 'Away', scope: 'only' });
    const { titles, scope } = await found('Where does the farm cellar key hang?', away, only());
    expect(titles).toEqual([]);
    expect(scope).toMatchObject({ name: 'Away', reach: 'only' });
    await set('only');
    const barn = await projects().create({ name: 'Barn', within: project });
    expect((await found(VILLA, project, { memory: 'only', project: barn })).scope).toMatchObject({
      name: 'Barn',
      reach: 'only',
    });
    expect((await found(VILLA, project, { memory: 'first', project: barn })).scope?.name).toBe('Farm');
  });

  it('finds nothing rather than everything where its only project is gone', async () => {
    const gone = await projects().create({ name: 'Gone' });
    await projects().remove(gone, 'outside');
    for (const lost of [gone, 'never-there', null]) {
      const { titles, scope } = await found(VILLA, undefined, { memory: 'only', project: lost });
      expect(titles).toEqual([]);
      expect(scope).toMatchObject({ name: '', reach: 'only' });
      expect((await found(VILLA, undefined, { memory: 'first', project: lost })).titles[0]).toMatch(/^villa/);
    }
  });
});
