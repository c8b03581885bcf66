import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jobMoves, taskMoves, workerMoves } from './task-moves.ts';
import { ScriptedCore } from '../testing/scripted-core.ts';

describe('the table of legal moves', () => {
  const page = readFileSync(new URL('../../../docs/reference/states.md', import.meta.url), 'utf8');

  test.each([
    ['Task', taskMoves],
    ['Job', jobMoves],
    ['Worker', workerMoves],
  ])('of a %s is the one in docs/reference/states.md', (noun, moves) => {
    const drawn = tableOf(page, noun);
    expect(drawn).toEqual(moves);
  });

  test.each(Object.keys({ ...taskMoves, ...jobMoves, ...workerMoves }))(
    'has a paragraph about %s',
    (state) => {
      expect(page).toContain(`\n**${state}**. `);
    },
  );
});

/** The rows of the table whose head begins with the noun. */
function tableOf(page: string, noun: string): Record<string, string[]> {
  const table = page.split(`| ${noun} | may become |\n`)[1]!.split('\n\n')[0]!;
  const rows = table
    .split('\n')
    .slice(1)
    .filter((line) => line.startsWith('|'));
  return Object.fromEntries(
    rows.map((row) => {
      const [, state, moves] = row.split('|').map((cell) => cell.trim());
      return [state, moves === '–' ? [] : moves!.split(', ')];
    }),
  );
}

describe('the checker of moves', () => {
  /** One task on its way, and one that has ended. */
  function stage() {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 3, maxAttempts: 1 });
    core.join('w', { slots: 3 });
    core.complete(core.run('j', 0, 'w'));
    core.run('j', 1, 'w');
    return core;
  }

  test('lets everything pass that the core does by itself', () => {
    expect(() => stage()).not.toThrow();
  });

  test('finds a final task that was left without a retry', () => {
    const core = stage();
    core.fail(core.run('j', 2, 'w'));
    const { job } = core.task('j', 2);
    core.task('j', 2).status = 'pending';
    job.counts.failed = 0;
    core.task('j', 0).status = 'running';
    expect(() => core.checkMoves()).toThrow('the task moved from completed to running');
  });

  test('finds a failed task that is pending while others stay failed', () => {
    const core = new ScriptedCore();
    core.submit('j', { taskCount: 3, maxAttempts: 1 });
    core.join('w', { slots: 3 });
    core.fail(core.run('j', 0, 'w'));
    core.fail(core.run('j', 1, 'w'));
    core.task('j', 0).status = 'pending';
    core.job('j').counts.failed = 1;
    expect(() => core.checkMoves()).toThrow('the task moved from failed to pending');
  });

  test('finds an attempt number that fell', () => {
    const core = stage();
    core.task('j', 1).attempt = 0;
    expect(() => core.checkMoves()).toThrow('the attempt number fell from 1 to 0');
  });

  test('finds a job that came back from its end', () => {
    const core = new ScriptedCore();
    core.submit('j');
    core.join('w');
    core.complete(core.run('j', 0, 'w'));
    core.job('j').status = 'running';
    expect(() => core.checkMoves()).toThrow('job j moved from completed to running');
  });

  test('finds a worker that was never online and is busy', () => {
    const core = new ScriptedCore();
    core.join('w');
    core.close('w');
    core.wait(10_000);
    const worker = core.worker('w');
    worker.connection = { state: 'connected', id: 1, transport: 'socket' };
    worker.activeTasks = 1;
    expect(() => core.checkMoves()).toThrow('worker w moved from offline to busy');
  });
});
