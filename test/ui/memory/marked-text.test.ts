import { describe, expect, it } from 'vitest';
import { excerpt, matchesIn, plainText } from '../../../src/ui/memory/marked-text.tsx';

const marked = (text: string, query: string, typing = false) =>
  matchesIn(text, query, typing).map(([from, to]) => text.slice(from, to));

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
    for (const [from, to] of matchesIn(text, '备份 backup')) {
      expect(from).toBeGreaterThanOrEqual(last);
      expect(to).toBeGreaterThan(from);
      last = to;
    }
    expect(last).toBeLessThanOrEqual(text.length);
  });
});

describe('plain text', () => {
  it('says a list as words and a table as cells, with one dot between two', () => {
    expect(plainText('It goes like this:\n\n- **first**\n- second')).toBe('It goes like this: first second');
    expect(plainText('可以这样走：\n\n| 上午 | 下午 |\n| --- | --- |\n| 西湖 | 茶园 |\n\n到此为止')).toBe(
      '可以这样走： 上午 · 下午 · 西湖 · 茶园 · 到此为止',
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
