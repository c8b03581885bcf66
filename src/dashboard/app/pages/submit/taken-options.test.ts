import { expect, test } from 'vitest';
import { jobOptions } from '../../../../protocol/job-options.ts';
import { takenOptions } from './taken-options.ts';

const usual = Object.fromEntries(
  Object.entries(jobOptions).flatMap(([name, option]) =>
    'default' in option ? [[name, option.default]] : [],
  ),
);
const head = { name: null, client_id: 'anonymous', priority: 0 } as const;

test('what holds by itself is left empty', () => {
  expect(takenOptions({ ...head, options: usual })).toEqual({ texts: {}, lost: [] });
});

test('what was chosen is in the form as somebody would type it', () => {
  const options = {
    ...usual,
    max_attempts: 1,
    attempt_timeout_seconds: null,
    live_output: !usual['live_output'],
    checkpoint: { interval_seconds: 5 },
    retain_seconds: 3600,
    speculation: { enabled: true, max_copies: 1, max_share: 0.1 },
    requirements: { type: ['pc', 'browser'], labels: { gpu: 'yes', site: 'lab' }, min_ram_mb: 512 },
  } as never;
  expect(takenOptions({ name: 'embed', client_id: 'ivo', priority: -3, options })).toEqual({
    texts: {
      name: 'embed',
      client_id: 'ivo',
      priority: '-3',
      max_attempts: '1',
      attempt_timeout_seconds: 'none',
      live_output: String(!usual['live_output']),
      checkpoint: '5',
      retain_seconds: '3600',
      speculation: 'true',
      'needs.type': 'pc, browser',
      'needs.labels': 'gpu=yes, site=lab',
      'needs.min_ram_mb': '512',
    },
    lost: [],
  });
});

test('what the form cannot say is named', () => {
  const options = {
    speculation: { enabled: true, max_copies: 3, max_share: 0.5 },
    requirements: { labels: { room: 'a,b=c' } },
  } as never;
  expect(takenOptions({ ...head, options })).toEqual({
    texts: { speculation: 'true' },
    lost: ['bounds of speculation', 'labels'],
  });
});
