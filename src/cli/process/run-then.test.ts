// What a command of the person's own is told of the job, and that nothing of it is more than text.

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { JobHead } from '../../client/index.ts';
import type { Terminal } from '../text/terminal.ts';
import { runThen, thenEnvironment } from './run-then.ts';

const job: JobHead = {
  id: '0196a2f0',
  name: '$(touch owned) `id` "\u001b[2J\u202e; %PATH% & echo',
  status: 'failed',
  task_count: 5,
  created_at: '2026-05-04T09:30:00.125Z',
  completed_at: '2026-05-04T09:30:01.125Z',
  started_at: null,
  client_id: 'c',
  held_since: null,
  priority: 0,
  counts: { pending: 0, assigned: 0, running: 0, completed: 3, failed: 1, cancelled: 1 },
  progress: 0.8,
  rate_per_second: null,
  eta: { seconds: null, low: null, high: null, method: '', reason: 'The job has ended.' },
  error: null,
  expires_at: null,
};

test('a command is told of the job in its environment, in characters that can be read', () => {
  expect(thenEnvironment(job, 'linux')).toEqual({
    MUSTER_JOB_ID: '0196a2f0',
    MUSTER_JOB_NAME: '$(touch owned) `id` "\\u001b[2J\\u202e; %PATH% & echo',
    MUSTER_JOB_STATUS: 'failed',
    MUSTER_JOB_TASKS: '5',
    MUSTER_JOB_COMPLETED: '3',
    MUSTER_JOB_FAILED: '1',
    MUSTER_JOB_CANCELLED: '1',
  });
});

test('a shell that expands a name does not run what is in it', () => {
  const env = { PATH: process.env['PATH'], ...thenEnvironment(job, 'linux') };
  const { stdout } = spawnSync('sh', ['-c', 'echo "$MUSTER_JOB_NAME"'], { env, encoding: 'utf8' });
  expect(stdout).toContain('$(touch owned) `id`');
});

test('for a shell of Windows a name keeps letters, digits and a few marks', () => {
  expect(thenEnvironment(job, 'win32')['MUSTER_JOB_NAME']).toMatch(/^[\p{L}\p{N} ._-]+$/u);
  expect(thenEnvironment({ ...job, name: 'Größe 2.b_c-d' }, 'win32')['MUSTER_JOB_NAME']).toBe(
    'Größe 2.b_c-d',
  );
});

test('a name of any length does not fill the environment', () => {
  const long = thenEnvironment({ ...job, name: 'x'.repeat(100_000) }, 'linux')['MUSTER_JOB_NAME'];
  expect(long).toHaveLength(200);
});

test('a command that the system does not take is told as one that was not started', async () => {
  const notes: string[] = [];
  const terminal = { note: (text: string) => notes.push(text) } as unknown as Terminal;
  const context = { terminal, folder: import.meta.dirname, environment: process.env };
  for (const command of ['', `: ${'x'.repeat(4_000_000)}`]) await runThen(command, job, context);
  const start = 'The command of --then could not be started: ';
  expect(notes.map((note) => note.slice(0, start.length))).toEqual([start, start]);
});
