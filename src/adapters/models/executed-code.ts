// Code that an endpoint ran by itself, and what that gave, as code in the words of the answer: the SDK's parts for them
// are shown nowhere. https://ai.google.dev/gemini-api/docs/code-execution ·
// https://platform.openai.com/docs/guides/tools-code-interpreter ·
// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/code-execution-tool
import { type Fields, fieldsOf, isFields, readJson, stringOf } from '../../domain/base/json.ts';
import { fenced } from '../../domain/text/code.ts';

/** Fenced code on lines of its own; empty without code. */
function blockOf(code: unknown, language = ''): string {
  const words = stringOf(code).replace(/\n$/, '');
  return words.trim() === '' ? '' : `\n\n${fenced(words, language)}\n\n`;
}

/** A part of Gemini's answer, as text if it is code that ran or what that gave. */
export function partOfGemini(part: Fields): Fields {
  const { executableCode: code, codeExecutionResult: result, ...rest } = part;
  if (isFields(code)) return { ...rest, text: blockOf(code.code, stringOf(code.language).toLowerCase()) };
  return isFields(result) ? { ...rest, text: blockOf(result.output) } : part;
}

/** Code and logs of an ended item of OpenAI Responses; empty for any other item. */
export function codeOfItem({ type, code, outputs }: Fields): string {
  if (type !== 'code_interpreter_call') return '';
  const logs = Array.isArray(outputs) ? outputs.map((output) => blockOf(fieldsOf(output).logs)) : [];
  return [blockOf(code, 'python'), ...logs].join('');
}

/** True for a block of Anthropic's answer in which it writes code for itself to run. */
export const isExecution = ({ type, name }: Fields): boolean =>
  type === 'server_tool_use' && /code_execution$/.test(stringOf(name));

/**
 * The code in the input of such a block, which is JSON: `code` of Python, `command` of a shell, `file_text` of a file.
 */
export function codeOfInput(json: string): string {
  const input = fieldsOf(readJson(json));
  return blockOf(input.code, 'python') + blockOf(input.command, 'bash') + blockOf(input.file_text);
}

/** The output of the code, in a block of Anthropic's answer; undefined for any other block. */
export function outputOfBlock({ type, content }: Fields): string | undefined {
  if (!/code_execution_tool_result$/.test(stringOf(type))) return undefined;
  const { stdout, stderr, content: file } = fieldsOf(content);
  return blockOf(stdout) + blockOf(stderr) + blockOf(file);
}
