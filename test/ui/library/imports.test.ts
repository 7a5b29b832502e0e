// Several imports at once: each keeps its own cancel, and no report takes the place of another.
import { describe, expect, it } from 'vitest';
import type { ImportReport } from '../../../src/services/library/library.ts';
import {
  begun,
  closed,
  ended,
  handedOver,
  NO_IMPORTS,
  type Run,
  viewOf,
} from '../../../src/ui/library/imports.ts';

const run = (): Run => ({ stop: new AbortController(), handed: false });
const report = (source: string) => ({ source }) as ImportReport;

describe('imports at once', () => {
  it('show and cancel the one that is at work, and go on with the next', () => {
    const [a, b] = [run(), run()];
    let imports = handedOver(handedOver(begun(begun(NO_IMPORTS, a), b), a), b);
    expect(imports.runs.map(({ stop }) => stop)).toEqual([a.stop, b.stop]);
    imports.runs[0]?.stop.abort();
    expect([a.stop.signal.aborted, b.stop.signal.aborted]).toEqual([true, false]);
    imports = ended(imports, a, { reports: [report('a.zip')] });
    expect(viewOf(imports)).toBe('reading');
    expect(imports.runs.map(({ stop }) => stop)).toEqual([b.stop]);
  });

  it('put the one whose files are together first: the library works in that order', () => {
    const [slow, fast] = [run(), run()];
    let imports = handedOver(begun(begun(NO_IMPORTS, slow), fast), fast);
    expect(imports.runs.map(({ stop }) => stop)).toEqual([fast.stop, slow.stop]);
    imports = handedOver(imports, slow);
    expect(imports.runs.map(({ stop }) => stop)).toEqual([fast.stop, slow.stop]);
  });

  it('add their reports to one another, and what was no import beside them', () => {
    const [a, b, c, d] = [run(), run(), run(), run()];
    let imports = [a, b, c, d].reduce(begun, NO_IMPORTS);
    imports = ended(imports, b, { reports: [report('b1'), report('b2')] });
    imports = ended(imports, a, { reports: [report('a')] });
    imports = ended(imports, c, { sentence: 'There were no files.' });
    imports = ended(imports, d, {});
    expect(imports).toMatchObject({ runs: [], notices: [{ sentence: 'There were no files.' }] });
    expect(imports.reports.map(({ source }) => source)).toEqual(['b1', 'b2', 'a']);
    expect(viewOf(imports)).toBe('report');
    // Files dropped before the person closed the report add theirs below it.
    const e = run();
    imports = ended(begun(imports, e), e, { reports: [report('e')] });
    expect(imports.reports.map(({ source }) => source)).toEqual(['b1', 'b2', 'a', 'e']);
  });

  it('begin with the choice of files, and come back to it where nothing was imported', () => {
    const a = run();
    expect(viewOf(NO_IMPORTS)).toBe('pick');
    expect(viewOf(ended(begun(NO_IMPORTS, a), a, {}))).toBe('pick');
    const over = ended(begun(NO_IMPORTS, a), a, { sentence: 'There were no files.' });
    expect(viewOf(over)).toBe('pick');
    // The next drop clears the notices of the last one.
    expect(begun(over, run()).notices).toEqual([]);
  });
});

describe('a closed window', () => {
  it('has told what it had to: the next time it asks for files', () => {
    const [a, b] = [run(), run()];
    const done = ended(begun(NO_IMPORTS, a), a, { reports: [report('a')], sentence: 'One was no import.' });
    expect(closed(done)).toEqual(NO_IMPORTS);
    expect(closed(ended(begun(NO_IMPORTS, a), a, { sentence: 'There were no files.' }))).toEqual(NO_IMPORTS);
    // While other imports run it keeps its report: the dialog shows them together.
    const going = begun(done, b);
    expect(closed(going)).toBe(going);
  });
});
