// Prompts for a model that writes a summary: six sections in the order that kimi-cli uses, in
// our own words, in English and Chinese.
import type { Message, Part } from '../../chat/message.ts';
import { cutToTokens } from '../tokens.ts';
import type { HeadingLanguage } from './headings.ts';

/** Sections of a summary, in order; each is a tag of that name. */
export const SECTIONS = [
  'current_focus',
  'environment',
  'completed_tasks',
  'active_issues',
  'code_state',
  'important_context',
] as const;

export const SUMMARY_SYSTEM: Readonly<Record<HeadingLanguage, string>> = {
  en: 'You condense conversations so that the work can go on without the original messages. You write down what was said and done; you do not answer it.',
  zh: '你负责压缩对话，让工作在没有原始消息的情况下也能继续。只记录说过和做过的内容，不要回答其中的问题。',
};

const PROMPT: Readonly<Record<HeadingLanguage, string>> = {
  en: `Condense the conversation above. Whoever continues it sees your text and the newest messages, nothing else.

What matters, most important first:
1. what is being worked on right now, and what was asked last
2. errors that came up, and how each was solved
3. code in its final form; versions that were dropped need no more than a word
4. the environment: paths, versions, ports, commands, settings, names
5. decisions, each with its reason
6. what is still to be done

Rules:
- Word for word: what the person demands, forbids or corrects; of several corrections the last one. Names, numbers, paths, commands, error messages.
- Say together what belongs together; leave out greetings, repetitions, and attempts from which nothing follows.
- Code of fewer than 20 lines stays whole; of longer code the signatures and what is special about it.
- Tool calls count by what they changed or found out.
- Invent nothing. Write nothing where nothing is known.

Answer with exactly these sections:

<current_focus>what is being worked on now</current_focus>
<environment>what holds for the surroundings: one fact per line</environment>
<completed_tasks>task: result, one per line</completed_tasks>
<active_issues>open problem: what is known, what to try next</active_issues>
<code_state><file path="...">what it contains now; key code</file></code_state>
<important_context>the person's demands word for word, decisions, everything else that must not be lost</important_context>`,
  zh: `请压缩以上对话。接手的人只能看到你的文字和最新的几条消息。

按重要程度排列：
1. 现在正在做什么，最后的要求是什么
2. 出现过的错误，以及各自如何解决
3. 代码的最终形态；放弃的版本一笔带过
4. 环境：路径、版本、端口、命令、设置、名称
5. 决定及其理由
6. 还有什么没做

规则：
- 逐字保留：用户的要求、禁令和更正；多次更正以最后一次为准。名称、数字、路径、命令、报错信息也逐字保留。
- 相关的内容放在一起；省略寒暄、重复以及没有结果的尝试。
- 少于 20 行的代码完整保留；更长的只写签名和关键之处。
- 工具调用只写它改变了什么、查明了什么。
- 不要编造；不知道的就空着。

严格使用以下各节作答：

<current_focus>正在做的事</current_focus>
<environment>环境事实，每行一条</environment>
<completed_tasks>任务：结果，每行一条</completed_tasks>
<active_issues>未解决的问题：已知情况，下一步</active_issues>
<code_state><file path="...">现在的内容；关键代码</file></code_state>
<important_context>用户的要求（逐字）、决定，以及其他不能丢的内容</important_context>`,
};

const PHRASES = {
  en: {
    earlier: 'Summary of what came before:',
    instruction: 'The person asks, and this outranks the priorities above:',
    length: (tokens: number) => `Use at most ${tokens} tokens.`,
    again: 'Your last summary was too long. Keep what is most important and be briefer.',
  },
  zh: {
    earlier: '更早内容的摘要：',
    instruction: '用户要求如下，优先于以上各条：',
    length: (tokens: number) => `最多使用 ${tokens} 个 token。`,
    again: '上一次的摘要太长了。只保留最重要的内容，写得更短。',
  },
} as const;

/** Most tokens of one tool's output in a summary call. */
const RESULT_TOKENS = 1_500;

function partText(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    // Names and arguments show what was done; without them a summary knows only the results.
    case 'tool-call':
      return `[call ${part.name}] ${part.arguments}`;
    case 'tool-result':
      return `[result${part.isError ? ', error' : ''}] ${cutToTokens(part.text, RESULT_TOKENS)}`;
    case 'file':
      return `[file ${part.name ?? part.mediaType}]`;
    // Thoughts are left out: they were not said.
    default:
      return '';
  }
}

/** Writes one message as a summary call reads it. Empty if it has no words. */
export function transcriptOf(message: Message, number: number): string {
  const content = message.parts.map(partText).filter(Boolean).join('\n');
  return content === '' ? '' : `## Message ${number}\nRole: ${message.role}\nContent:\n${content}`;
}

interface PromptWords {
  readonly language: HeadingLanguage;
  readonly transcript: string;
  readonly previous: string | null;
  readonly instruction?: string | undefined;
  /** The person's own prompt instead of ours. */
  readonly custom?: string | undefined;
  readonly maxTokens: number;
  /** True if the last attempt was too long. */
  readonly again: boolean;
}

/** Builds the prompt for a summary. */
export function summaryPrompt({
  language,
  transcript,
  previous,
  instruction,
  custom,
  maxTokens,
  again,
}: PromptWords): string {
  const words = PHRASES[language];
  return [
    ...(previous ? [`${words.earlier}\n${previous}`] : []),
    transcript,
    '---',
    custom?.trim() || PROMPT[language],
    words.length(maxTokens),
    ...(again ? [words.again] : []),
    ...(instruction ? [`**${words.instruction}**\n${instruction}`] : []),
  ].join('\n\n');
}
