// Memory notes as text: writes them as Markdown, and reads those that people copy from other assistants.

import { sentencesOf, squeezed } from '../text/sentences.ts';
import { isNoteValidAt, type MemoryNote } from './notes.ts';
import { isNoteKind, NOTE_KINDS, type NoteKind } from './recognition/kinds.ts';
import { kindByWords } from './recognition/wording.ts';

/** A day in UTC: the same text on every device. */
const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Headings, in the language of the person. `other`: notes without a kind. */
type NoteHeadings = Readonly<Record<NoteKind | 'other' | 'ended' | 'title', string>>;

/**
 * Writes the notes by kind, each as `- [day] text` with its earlier wordings below.
 * Notes that no longer hold come last.
 */
export function notesAsMarkdown(notes: readonly MemoryNote[], headings: NoteHeadings, now: number): string {
  const line = (note: MemoryNote): string =>
    [
      `- [${day(note.since ?? note.createdAt)}] ${oneLine(note.text)}`,
      ...(note.before ?? []).map(
        ({ text, since, until }) => `  - ${day(since)} – ${day(until)}: ${oneLine(text)}`,
      ),
    ].join('\n');
  const section = (heading: string, some: readonly MemoryNote[]): string[] =>
    some.length > 0 ? [`## ${heading}\n\n${some.map(line).join('\n')}`] : [];
  const holding = notes.filter((note) => note.beside === undefined && isNoteValidAt(note, now));
  return `${[
    `# ${headings.title}`,
    ...NOTE_KINDS.flatMap((kind) =>
      section(
        headings[kind],
        holding.filter((note) => note.kind === kind),
      ),
    ),
    ...section(
      headings.other,
      holding.filter((note) => note.kind === undefined),
    ),
    ...section(
      headings.ended,
      notes.filter((note) => note.beside === undefined && !isNoteValidAt(note, now)),
    ),
  ].join('\n\n')}\n`;
}

/** A note as read from a text. */
interface ReadNote {
  readonly text: string;
  readonly kind: NoteKind | undefined;
  /** ms since 1970 */
  readonly since: number | undefined;
}

const BULLET = /^\s{0,12}(?:[-*•·–]|\d{1,3}[.)、])\s+/u;
const DATED =
  /^[[（(【]?(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?[\])）】]?\s{0,4}[-–—:：]?\s{0,4}/u;
/** Other assistants' marks for an unknown date. */
const UNDATED =
  /^[[（(【](?:unknown|undated|no date|date unknown|n\/?a|未知|不详|日期未知|无日期)[\])）】]\s{0,4}[-–—:：]?\s{0,4}/iu;
const HEADING = /^\s{0,3}#{1,6}\s+(.{1,200})$/u;
const BARE_HEADING =
  /^(?:\*{1,3}|_{1,3})([^*_.!?。！？]{1,100})(?:\*{1,3}|_{1,3})[:：]?$|^[^.!?。！？]{1,60}[:：](?:\*{1,3}|_{1,3})?$/u;
/** Texts of the other app's interface, which are no memory. */
const CHROME =
  /^(?:saved memories|saved info|memory|memories|reference (?:saved memories|chat history)|manage(?: memor(?:y|ies))?|delete(?: all)?|edit|forget|show more|clear memory|about you|your saved info|add|copy|done|close|memory updated|updated saved memory|(?:here (?:is|are)|below (?:is|are)).{0,120}[:：]?|(?:last )?updated .{0,40}|`{3}.{0,20}|~{3}.{0,20}|已保存的记忆|已保存的信息|你保存的信息|记忆|管理|管理记忆|全部删除|删除|编辑|复制|关闭|添加)$/iu;
const HEADING_KINDS: readonly (readonly [NoteKind, RegExp])[] = [
  ['rule', /\b(?:rules?|instructions?)\b|规则|指令/iu],
  ['preference', /preferences?|likes|style|偏好|喜好/iu],
  ['person', /\b(?:people|person|family|friends|contacts)\b|人物|家人|朋友/iu],
  ['project', /projects?|work context|top of mind|项目/iu],
  ['decision', /decisions?|决定/iu],
  ['fact', /facts?|personal|about me|background|事实|背景/iu],
];
const LONGEST = 400;
const MOST = 1_000;

/** Rewrites in the first person, only to recognise the kind: "User prefers tea" counts like "I prefer tea". */
const inFirstPerson = (text: string): string =>
  text
    .replace(/^(?:the )?user(?:'s|’s)\b/iu, 'my')
    .replace(/^(?:the )?user (?:is|are)\b/iu, 'I am')
    .replace(/^(?:the )?user (?:has)\b/iu, 'I have')
    .replace(/^(?:the )?user (\w{2,20}?)s\b/iu, 'I $1')
    // Lists of memories often leave the subject out: "Is allergic to nuts", "Works as a nurse".
    .replace(/^(?:is|was)\b/iu, 'I am')
    .replace(/^has\b/iu, 'I have')
    .replace(/^(?:does not|doesn['’]t)\b/iu, "I don't")
    .replace(
      /^(?:lives|works|prefers|likes|loves|hates|dislikes|enjoys|wants|needs|uses|owns|speaks|studies|plays|drives|eats|drinks|plans|runs|writes|builds|teaches|cannot|can['’]t)\b/iu,
      (verb) =>
        `I ${verb
          .toLowerCase()
          .replace(/^studies$/, 'study')
          .replace(/(?:(?<=teach)es|(?<!t)s)$/, '')}`,
    )
    .replace(/^用户(?:的)?/u, '我')
    .replace(
      /^(?=(?:是|有|住|喜欢|讨厌|偏好|偏爱|不吃|不喝|不会|对.{1,8}过敏|在.{1,10}(?:工作|上班)|正在))/u,
      '我',
    );

/** A line that looks like a heading, unless it describes the person: "*I am vegan*". */
const bareHeading = (line: string): string | undefined =>
  BARE_HEADING.test(line) &&
  kindByWords(inFirstPerson(line.replace(/^[*_]+|(?<![*_:：])[*_:：]+$/g, ''))) === null
    ? line
    : undefined;

/**
 * Reads the notes in a text: our own Markdown, ChatGPT's saved memories (a line each), Claude's notes (paragraphs under
 * headings), Gemini's saved info. Long paragraphs are split into sentences; equal words count once.
 */
export function notesInText(text: string): ReadNote[] {
  const found = new Map<string, ReadNote>();
  let under: NoteKind | undefined;
  for (const raw of text.slice(0, 200_000).split(/\r?\n/)) {
    const line = raw.trim();
    const heading = HEADING.exec(line)?.[1] ?? bareHeading(line);
    if (heading !== undefined) {
      const name = heading.trim().toLowerCase();
      under = isNoteKind(name) ? name : HEADING_KINDS.find(([, pattern]) => pattern.test(name))?.[0];
      continue;
    }
    // Skip the earlier wordings of a note of ours.
    if (/^\s{2,}-\s\d{4}-\d{2}-\d{2} – /u.test(raw)) continue;
    const bare = line.replace(BULLET, '');
    const dated = DATED.exec(bare);
    const since = dated ? Date.UTC(Number(dated[1]), Number(dated[2]) - 1, Number(dated[3])) : Number.NaN;
    const words = bare
      .replace(dated ? DATED : UNDATED, '')
      .replaceAll('**', '')
      .replace(/^([*_])([^*_]+)\1$/u, '$2')
      .trim();
    if (words === '' || CHROME.test(words) || !/\p{L}/u.test(words)) continue;
    for (const one of words.length > LONGEST ? sentencesOf(words) : [words]) {
      const key = squeezed(one);
      if (key === '' || found.has(key) || found.size >= MOST) continue;
      found.set(key, {
        text: one,
        kind: under ?? kindByWords(inFirstPerson(one)) ?? undefined,
        since: Number.isFinite(since) ? since : undefined,
      });
    }
  }
  return [...found.values()];
}
