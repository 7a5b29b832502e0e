import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenizers, encodingOf } from '../../../src/adapters/tokenizers/tokenizers.ts';
import { estimateTokens } from '../../../src/domain/context/tokens.ts';

describe('the tokenizer of a model', () => {
  it.each([
    ['gpt-4o', 'o200k_base'],
    ['openai/gpt-4o-mini-2024-07-18', 'o200k_base'],
    ['gpt-4.1-nano', 'o200k_base'],
    ['GPT-5.4', 'o200k_base'],
    ['o3', 'o200k_base'],
    ['o4-mini', 'o200k_base'],
    ['openai/gpt-oss-120b', 'o200k_base'],
    ['gpt-4-turbo', 'cl100k_base'],
    ['gpt-4', 'cl100k_base'],
    ['gpt-3.5-turbo-0125', 'cl100k_base'],
    ['text-embedding-3-small', 'cl100k_base'],
    ['kimi-k2', null],
    ['llama3.2', null],
    ['qwen3:8b', null],
    ['claude-sonnet-4', null],
    ['o200', null],
    ['', null],
  ])('%s: %s', (model, encoding) => {
    expect(encodingOf(model)).toBe(encoding);
  });

  it('counts what is known to be counted', async () => {
    const tokenizers = createTokenizers();
    expect(tokenizers.get('gpt-4o')).toBeNull();
    const [newer, older] = await Promise.all([tokenizers.load('gpt-4o'), tokenizers.load('gpt-4')]);
    expect(tokenizers.get('o3')).toBe(newer);
    expect(newer).toMatchObject({ id: 'o200k_base', exact: true });
    // Published examples: "hello world" is two tokens in both encodings.
    expect(newer?.count('hello world')).toBe(2);
    expect(older?.count('hello world')).toBe(2);
    expect(newer?.count('')).toBe(0);
    expect(newer?.count('今天天气不错')).toBeLessThan(older?.count('今天天气不错') ?? 0);
    expect(await tokenizers.load('kimi-k2')).toBeNull();
    expect(tokenizers.get('kimi-k2')).toBeNull();
  });

  it('takes any text, special tokens as text among them', async () => {
    const counter = await createTokenizers().load('gpt-4o');
    expect(counter?.count('a <|endoftext|> b <|im_start|>')).toBeGreaterThan(5);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(counter?.count(text)).toBeGreaterThanOrEqual(text === '' ? 0 : 1);
      }),
    );
  });

  it('is what the estimate is near to', async () => {
    const counter = await createTokenizers().load('gpt-4o');
    for (const text of [
      'The staging server listens on port 8081, and the deployment script lives in scripts/deploy.sh; we decided to keep the retry limit at five.',
      '测试服务器监听在八零八一端口，部署脚本在项目目录里，我们决定暂时把重试次数保持为五次，之后再看效果。',
    ]) {
      const exact = counter?.count(text) ?? 0;
      expect(estimateTokens(text) / exact).toBeGreaterThan(0.7);
      expect(estimateTokens(text) / exact).toBeLessThan(1.7);
    }
  });
});
