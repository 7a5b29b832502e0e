// Fixed words around compacted text for a model, in the conversation's own language.
import { type Message, textOf } from '../../chat/message.ts';
import { cjkShare } from '../../text/sentences.ts';

export type HeadingLanguage = 'en' | 'zh';

/** Precedes a model's summary: kimi-cli's words, so that its sessions and ours read alike. */
export const COMPACTED =
  '<system>Previous context has been compacted. Here is the compaction output:</system>';
/** Precedes a summary of older turns. */
export const COMPACTED_TURNS = '[COMPACTED_CONTEXT]';

export const HEADINGS = {
  en: {
    memory: '[Session memory: notes on folded messages]',
    constraints: '[My rules, verbatim]',
    topic: '[Earlier in this conversation]',
    title: 'Title',
    state: 'Current state',
    rules: 'Constraints (verbatim)',
    corrections: 'Corrections (the last one counts)',
    person: 'About the person',
    decisions: 'Decisions',
    facts: 'Facts',
    files: 'Files',
    workflow: 'Workflow',
    errors: 'Errors and fixes',
    todo: 'To do',
    earlier: 'Earlier',
  },
  zh: {
    memory: '[会话记忆：已折叠的消息]',
    constraints: '[我的要求]',
    topic: '[本对话较早的内容]',
    title: '标题',
    state: '当前状态',
    rules: '约束（逐字）',
    corrections: '更正（以最后一次为准）',
    person: '关于用户',
    decisions: '决定',
    facts: '事实',
    files: '文件',
    workflow: '操作',
    errors: '错误与修复',
    todo: '待办',
    earlier: '更早',
  },
} as const satisfies Record<HeadingLanguage, Record<string, string>>;

/** Language of most recent words by person and model. */
export function conversationLanguage(path: readonly Message[]): HeadingLanguage {
  let sample = '';
  for (let at = path.length - 1; at >= 0 && sample.length < 2_000; at--) {
    const message = path[at] as Message;
    if (message.kind === 'message' && (message.role === 'user' || message.role === 'assistant'))
      sample += textOf(message).slice(0, 400);
  }
  return cjkShare(sample) > 0.3 ? 'zh' : 'en';
}
