// Writes the names of tests that failed once and passed on their retry, each with the first lines of its failure, to
// the file named in `FLAKY_REPORT`, for the gate to name them.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** Lines of each failure. */
const LINES = 3;

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export.
export default class FlakyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const flaky = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) =>
          [
            `${relative('.', module.moduleId)} › ${test.fullName}`,
            ...(test.result().errors ?? []).flatMap(({ message }) => message.split('\n').slice(0, LINES)),
          ].join('\n    '),
        ),
    );
    const { FLAKY_REPORT } = process.env;
    if (FLAKY_REPORT) writeFileSync(FLAKY_REPORT, JSON.stringify(flaky));
  }
}
