import { Command } from 'commander';
import { expect, test } from 'vitest';
import { jobOptions } from '../../protocol/job-options.ts';
import { addJobFlags, jobFlags, jobOptionsOf } from './job-flags.ts';

function asked(...args: string[]) {
  const command = addJobFlags(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(args, { from: 'user' });
  return jobOptionsOf(command.opts());
}

test('every option of a job has a flag, but for these', () => {
  const flagged = new Set(Object.keys(jobFlags));
  const others = Object.keys(jobOptions).filter((name) => !flagged.has(name));
  expect(others).toEqual(['task_priorities', 'requirements', 'notify']);
});

test('asks for what was given, and for nothing else', () => {
  expect(asked()).toEqual({});
  expect(asked('--name', 'n', '--client', 'me', '--priority', '-3')).toEqual({
    name: 'n',
    client_id: 'me',
    priority: -3,
  });
  expect(asked('--max-attempts', '4', '--max-lost-attempts', '6', '--retry-delay', '0')).toEqual({
    max_attempts: 4,
    max_lost_attempts: 6,
    retry_delay_seconds: 0,
  });
  expect(asked('--attempt-timeout', '30', '--progress-timeout', '20')).toEqual({
    attempt_timeout_seconds: 30,
    progress_timeout_seconds: 20,
  });
  expect(asked('--checkpoint-interval', '0.5')).toEqual({ checkpoint: { interval_seconds: 0.5 } });
  expect(asked('--speculate', '--reject-late-results', '--fail-fast')).toEqual({
    speculation: { enabled: true },
    late_results: 'reject',
    on_task_failure: 'fail_job',
  });
});

test('what is a flag alone can be taken back, for a job that takes over the options of another', () => {
  expect(
    asked('--no-speculate', '--no-reject-late-results', '--no-fail-fast', '--no-output'),
  ).toEqual({
    speculation: { enabled: false },
    late_results: 'accept',
    on_task_failure: 'continue',
    live_output: false,
  });
});

test.each([
  ['100', 100],
  ['512MB', 512],
  ['2GB', 2048],
  ['1.5 gb', 1536],
])('takes %s for --memory', (given, mb) => {
  expect(asked('--memory', given)).toEqual({ memory_mb: mb });
});

test.each(['', '2', '2T', '-1GB', '63MB', '1025GB', 'GB'])('refuses %j for --memory', (given) => {
  expect(() => asked('--memory', given)).toThrow(
    'one looks like 512MB or 2GB, from 64MB to 1024GB.',
  );
});

test('refuses what lies beyond the bounds of an option', () => {
  expect(() => asked('--priority', '1001')).toThrow('a whole number from -1000 to 1000.');
  expect(() => asked('--checkpoint-interval', '0.01')).toThrow('a number from 0.05 to 86400.');
});
