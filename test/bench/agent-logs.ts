// Made-up logs of coding agents, the same for the same seed: a person asks, the agent calls tools, tools answer at
// length, the agent sums up. Half of the messages are tool output: listings, test runs, source, grep, JSON, stack
// traces, most of it a few hundred characters, some 30,000.
import { conversationOf, message, rank, type Said, seeded, word } from './corpus.ts';

/** Characters of tool output: half are shorter than the first, and one in a few hundred is as long as the second. */
const [HALF_BELOW, LONGEST] = [700, 30_000];
/** Calls of a turn; results of it, since two in eight are answered in two parts. */
const CALLS = 8;

const pick = <T>(random: () => number, from: readonly T[]): T =>
  from[Math.floor(random() * from.length)] as T;
const named = (random: () => number): string => word(rank(random));
const hex = (random: () => number, length: number): string =>
  Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
const FOLDERS = ['src', 'src/domain', 'src/services', 'src/adapters', 'test', 'docs', 'lib', 'packages/core'];
const path = (random: () => number): string =>
  `${pick(random, FOLDERS)}/${named(random)}-${named(random)}.${pick(random, ['ts', 'ts', 'tsx', 'py', 'rs', 'json', 'md'])}`;

/** One line of what a tool printed. */
const LINES: Readonly<Record<string, (random: () => number) => string>> = {
  list: (random) =>
    `-rw-r--r-- 1 dev dev ${Math.floor(random() * 90_000)} Nov ${1 + Math.floor(random() * 28)} ${path(random)}`,
  grep: (random) =>
    `${path(random)}:${1 + Math.floor(random() * 900)}:  const ${named(random)} = ${named(random)}(${named(random)});`,
  test: (random) =>
    random() < 0.9
      ? ` ✓ ${path(random)} > ${named(random)} ${named(random)} keeps its order (${Math.floor(random() * 90)} ms)`
      : ` ✗ ${path(random)} > expected ${Math.floor(random() * 999)} to be ${Math.floor(random() * 999)}`,
  source: (random) =>
    pick(random, [
      `  if (${named(random)}.${named(random)} === undefined) return ${named(random)};`,
      `export function ${named(random)}(${named(random)}: string): number {`,
      `  for (const ${named(random)} of this.#${named(random)}.values()) await ${named(random)}();`,
      '}',
      '',
    ]),
  json: (random) =>
    `{"id":"${hex(random, 16)}","name":"${named(random)}","state":"${pick(random, ['open', 'closed', 'merged'])}","count":${Math.floor(random() * 5000)}},`,
  trace: (random) =>
    `    at ${named(random)} (/app/${path(random)}:${Math.floor(random() * 900)}:${Math.floor(random() * 80)})`,
  git: (random) =>
    `${hex(random, 8)} ${named(random)}: ${named(random)} no longer waits for ${named(random)}`,
};
const TOOLS: Readonly<Record<string, readonly [string, (random: () => number) => string]>> = {
  list: ['shell', (random) => `{"command":"ls -l ${path(random)}"}`],
  grep: ['shell', (random) => `{"command":"rg -n '${named(random)}' ${pick(random, FOLDERS)}"}`],
  test: ['shell', (random) => `{"command":"npx vitest run ${path(random)}"}`],
  source: ['read_file', (random) => `{"path":"${path(random)}","line":${Math.floor(random() * 400)}}`],
  json: ['fetch', (random) => `{"url":"https://api.example.org/${named(random)}/${hex(random, 8)}"}`],
  trace: ['shell', (random) => `{"command":"node ${path(random)}"}`],
  git: ['shell', (random) => `{"command":"git log --oneline -- ${path(random)}"}`],
};
const KINDS = Object.keys(LINES);

function output(random: () => number, kind: string): string {
  const length = Math.min(LONGEST, HALF_BELOW * Math.exp(1.3 * (random() + random() + random() - 1.5) * 1.6));
  const line = LINES[kind] as (random: () => number) => string;
  let text = line(random);
  while (text.length < length) text += `\n${line(random)}`;
  return text;
}

/** A turn of an agent: 20 messages, ten of them tool output. */
function turn(random: () => number, n: number): Said[] {
  const said: Said[] = [{ role: 'user', text: message(random, n, 'user') }];
  for (let call = 0; call < CALLS; call++) {
    const kind = pick(random, KINDS);
    const [tool, ask] = TOOLS[kind] as (typeof TOOLS)[string];
    said.push({ role: 'assistant', text: ask(random), tool });
    const parts = call % 4 === 3 ? 2 : 1;
    for (let part = 0; part < parts; part++) said.push({ role: 'tool', text: output(random, kind), tool });
  }
  said.push({ role: 'assistant', text: message(random, n, 'assistant') });
  return said;
}

/**
 * Text of a `conversations.json` with about `messages` messages (whole turns), 20 to 180 in a conversation,
 * spread over two years before `now` (ms).
 */
export function agentLogs(messages: number, now: number, seed = 1): string {
  const random = seeded(seed);
  const conversations: unknown[] = [];
  for (let done = 0; done < messages; ) {
    const said: Said[] = [];
    for (let turns = 1 + Math.floor(random() * 9); turns > 0 && done < messages; turns--) {
      said.push(...turn(random, seed + done));
      done += 2 * (CALLS + 2);
    }
    const start = (now - random() * 2 * 365 * 86_400_000) / 1000;
    const id = `agent-${seed}-${conversations.length}`;
    conversations.push(conversationOf(id, `Task ${named(random)} ${conversations.length}`, start, 20, said));
  }
  return JSON.stringify(conversations);
}
