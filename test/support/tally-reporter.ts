// Ends a test run with one plain line, `N passed, N failed`, and refuses a run that tested nothing.

import type { Reporter, TestModule } from 'vitest/node';

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally = count(modules, unhandledErrors.length);
    // At exit, so that nothing of the other reporters comes after the line.
    process.once('exit', () => {
      if (tally.failed > 0 || tally.passed === 0) process.exitCode ||= 1;
      process.stdout.write(`${tallyLine(tally)}\n`);
    });
  }
}

// A file or a suite that could not be set up counts as a failure, like an error outside every test.
function count(modules: readonly TestModule[], unhandledErrors: number): Tally {
  let passed = 0;
  let failed = unhandledErrors;
  let skipped = 0;
  for (const module of modules) {
    failed += module.errors().length;
    for (const suite of module.children.allSuites()) failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') passed++;
      else if (state === 'skipped') skipped++;
      else failed++; // `pending` too: a test that never came to its end has not passed
    }
  }
  return { passed, failed, skipped };
}

export function tallyLine({ passed, failed, skipped }: Tally): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
