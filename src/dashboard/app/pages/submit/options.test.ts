import { describe, expect, test } from 'vitest';
import { jobOptions } from '../../../../protocol/job-options.ts';
import { firstFault, needFields, optionFields, readOptions, sentenceOfOptions } from './options.ts';

describe('the form', () => {
  test('has a field for each option that a person fills in, name and priority first', () => {
    const names = optionFields.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(['name', 'priority']);
    const others = ['notify', 'requirements', 'task_priorities'];
    expect([...names, ...others].toSorted()).toEqual(Object.keys(jobOptions).toSorted());
    expect(needFields.every(({ name }) => name.startsWith('needs.'))).toBe(true);
  });

  test('says what holds when a field is left empty', () => {
    const without = Object.fromEntries(optionFields.map((field) => [field.name, field.without]));
    expect(without).toMatchObject({
      max_attempts: '3',
      progress_timeout_seconds: 'none',
      retain_seconds: 'as long as all jobs',
      name: 'none',
    });
    expect(optionFields.find(({ name }) => name === 'memory_mb')?.label).toBe('Memory, MB');
  });
});

describe('what is submitted', () => {
  test('is what was filled in, in its type, and nothing else', () => {
    const { options, faults } = readOptions({
      name: ' squares ',
      priority: '-5',
      attempt_timeout_seconds: '0.5',
      progress_timeout_seconds: 'None',
      hold: 'true',
      checkpoint: '2',
      speculation: 'true',
      keep_output: 'always',
      memory_mb: ' ',
      'needs.type': 'pc, browser',
      'needs.labels': 'gpu=yes, room=a=b',
      'needs.min_ram_mb': '512',
      'needs.isolation': 'ses',
    });
    expect(faults).toEqual({});
    expect(options).toEqual({
      name: 'squares',
      priority: -5,
      attempt_timeout_seconds: 0.5,
      progress_timeout_seconds: null,
      hold: true,
      checkpoint: { interval_seconds: 2 },
      speculation: { enabled: true },
      keep_output: 'always',
      requirements: {
        type: ['pc', 'browser'],
        labels: { gpu: 'yes', room: 'a=b' },
        min_ram_mb: 512,
        isolation: 'ses',
      },
    });
  });

  test.each([
    ['priority', '1.5', 'A whole number from -1000 to 1000.'],
    ['memory_mb', 'much', 'A whole number from 64 to 1048576.'],
    ['retry_delay_seconds', '-1', 'A number from 0 to 86400.'],
    ['needs.labels', 'gpu', 'Which gpu? A label has a value, as gpu=yes.'],
    ['needs.labels', 'site=lab, gpu = ', 'Which gpu? A label has a value, as gpu=yes.'],
    ['needs.labels', '=x', 'A label is a name and a value, as gpu=yes.'],
    ['priority', '-', 'A whole number from -1000 to 1000.'],
    ['needs.min_battery_percent', '120', 'A whole number from 1 to 100.'],
  ])('%s of "%s" is refused with a sentence', (name, text, sentence) => {
    expect(readOptions({ [name]: text }).faults).toEqual({ [name]: sentence });
  });
});

test('what was changed is told in a line', () => {
  expect(sentenceOfOptions({ name: 'a' })).toBe('all as usual');
  expect(sentenceOfOptions({ priority: '5', 'needs.labels': 'gpu=yes' })).toBe(
    'priority 5 · labels gpu=yes',
  );
});

test('what is wrong is told with the name of its field', () => {
  expect(firstFault({})).toBeNull();
  const { faults } = readOptions({ 'needs.labels': 'gpu', priority: '-' });
  expect(firstFault(faults)).toBe('Priority: A whole number from -1000 to 1000.');
});
