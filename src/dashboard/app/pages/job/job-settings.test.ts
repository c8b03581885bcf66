import { expect, test } from 'vitest';
import { settingsOf } from './job-settings.ts';

const textOf = (options: Readonly<Record<string, unknown>>): string =>
  settingsOf(options)
    .map(({ name, value }) => `${name}: ${value}`)
    .join('; ')
    .replaceAll('\u202f', ' ');

test('units stand behind the values, not in the names', () => {
  const options = { max_attempts: 3, attempt_timeout_seconds: 3600, memory_mb: 512 };
  expect(textOf(options)).toBe('Most attempts: 3; Attempt timeout: 1 h; Memory: 512 MB');
});

test('what is absent, a choice and a word read as such', () => {
  const options = { progress_timeout_seconds: null, live_output: false, keep_output: 'on_failure' };
  expect(textOf(options)).toBe('Progress timeout: none; Live output: no; Keep output: on failure');
});

test('requirements are told in words', () => {
  const requirements = { min_ram_mb: 4_000, labels: { gpu: 'yes' } };
  expect(textOf({ requirements })).toBe('Requirements: min ram mb 4000 and gpu=yes');
});
