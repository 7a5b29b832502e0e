import { describe, expect, it } from 'vitest';
import { excerpt, markedRanges, plainLine } from '../../../src/ui/memory/marked-text.tsx';

const marked = (text: string, query: string, typing = false) =>
  markedRanges(text, query, typing).map(([from, to]) => text.slice(from, to));

describe('marks', () => {
  it('are found by stem, whatever the ending', () => {
    expect(marked('We backed up the databases at night.', 'database backup nightly')).toContain('databases');
  });
  it('are found in Chinese by word and by pair', () => {
    expect(marked('数据库备份每天凌晨执行', '什么时候备份数据库').join('')).toBe('数据库备份');
  });
  it('leave out words that say nothing', () => {
    expect(marked('the cat and the dog', 'the and')).toEqual([]);
  });
  it('show a half written word only while one types', () => {
    expect(marked('scheduler', 'sched')).toEqual([]);
    expect(marked('scheduler', 'sched', true)).toEqual(['scheduler']);
  });
  it('never overlap and stay inside of the text', () => {
    const text = '备份备份 backup-backup_backups 备';
    let last = 0;
    for (const [from, to] of markedRanges(text, '备份 backup')) {
      expect(from).toBeGreaterThanOrEqual(last);
      expect(to).toBeGreaterThan(from);
      last = to;
    }
    expect(last).toBeLessThanOrEqual(text.length);
  });
});

describe('plain text', () => {
  it('says a list as words and a table as cells, with one dot between two', () => {
    expect(plainLine('It goes like this:\n\n- **first**\n- second')).toBe('It goes like this: first second');
    expect(plainLine('可以这样走：\n\n| 上午 | 下午 |\n| --- | --- |\n| 西湖 | 茶园 |\n\n到此为止')).toBe(
      '可以这样走： 上午 · 下午 · 西湖 · 茶园 · 到此为止',
    );
  });

  it('says code word for word, between backticks and between fences', () => {
    const line = "find nightly -mtime +30 -printf '%s\\n' | awk '{s+=$1} END {print s/1e9}'";
    expect(plainLine(`It was \`${line}\`, **once**.`)).toBe(`It was ${line}, once.`);
    expect(plainLine(`Run this:\n\n\`\`\`sh\n# **all** of it\n${line}\n\`\`\`\n\n- and wait`)).toBe(
      `Run this: # **all** of it ${line} and wait`,
    );
    expect(plainLine('``a `b` | c`` and `__init__`, `[x](y)`, `*args`')).toBe(
      'a `b` | c and __init__, [x](y), *args',
    );
    // Works on fragments, because a passage may lack its end and a snippet is one line.
    expect(plainLine('```ts\nconst id = a || b;')).toBe('const id = a || b;');
    expect(plainLine('So: ```ts const id = a || b; ``` and **that** is all')).toBe(
      'So: const id = a || b; and that is all',
    );
  });
  it('takes for a table only what is one, and for emphasis only what cannot be a name or a power', () => {
    expect(plainLine('shell: du -x /srv | sort -rh | head -6')).toBe(
      'shell: du -x /srv | sort -rh | head -6',
    );
    expect(plainLine('cat a | wc\n\n| a | b |\n|---|---|\n| `x \\| y` | **2** |')).toBe(
      'cat a | wc · a · b · x \\| y · 2',
    );
    // A snippet of a table is one line, cut anywhere.
    expect(plainLine('…| | rows read | 38,000 | 20 | | index size | – | 41 MB | The price is a tenth.')).toBe(
      '… · rows read · 38,000 · 20 · index size · – · 41 MB · The price is a tenth.',
    );
    expect(plainLine('obj.__init__ sums x**2 + y**2, 这是**重点**内容')).toBe(
      'obj.__init__ sums x**2 + y**2, 这是重点内容',
    );
  });
});

describe('an excerpt', () => {
  it('is the text itself where the match comes early', () => {
    expect(excerpt('The backup runs at night.', 'backup')).toBe('The backup runs at night.');
  });
  it('begins a little before a late match', () => {
    const text = `${'words that say little '.repeat(30)}and then the backup`;
    const short = excerpt(text, 'backup');
    expect(short.startsWith('… ')).toBe(true);
    expect(short.indexOf('backup')).toBeLessThan(100);
  });
});
