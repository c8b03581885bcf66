import { expect, test } from 'vitest';
import { checkMessages } from './message-check.ts';
import { program, task } from './testing/scripted-machine.ts';

function assign(owner: unknown): object {
  const assignment = owner === undefined ? task(0) : { ...task(0), owner };
  return { type: 'assign', sequence: 1, programs: { job: program }, assignments: [assignment] };
}

test.each([undefined, 'a', 'ö'.repeat(200)])('takes an assignment of the owner %j', (owner) => {
  const message = assign(owner);
  expect(checkMessages([message])).toEqual({ messages: [message], complaints: [] });
});

test.each(['', 'a'.repeat(201), 7, null, {}])('skips an assignment of the owner %j', (owner) => {
  expect(checkMessages([assign(owner)])).toEqual({
    messages: [],
    complaints: ['A malformed "assign" message.'],
  });
});

test.each(['high', null, Infinity])('skips an assignment of the priority %j', (priority) => {
  const assignments = [{ ...task(0), priority }];
  const message = { type: 'assign', sequence: 1, programs: { job: program }, assignments };
  expect(checkMessages([message]).complaints).toEqual(['A malformed "assign" message.']);
});

const welcome = {
  type: 'welcome',
  protocol: 1,
  worker_id: 'w',
  heartbeat_interval_seconds: 5,
  lease_seconds: 15,
  drain: false,
  stop: [],
};
const answer = { heartbeat_id: 1, stop: [], drain: false, warnings: [] };

test.each([
  // In a header it would throw, at every start from then on.
  { ...welcome, worker_token: 'a\r\nb' },
  { ...welcome, worker_token: 'ä' },
  { ...welcome, worker_token: '' },
  { ...welcome, worker_token: 'a'.repeat(1001) },
  // Timers that would fire at once, again and again.
  { ...welcome, heartbeat_interval_seconds: 1e308 },
  { ...welcome, heartbeat_interval_seconds: 3_000_000 },
  { ...welcome, heartbeat_interval_seconds: 1e-300 },
  { ...welcome, lease_seconds: 1e-300 },
  { type: 'ack', accepted: [], heartbeat: { ...answer, heartbeat_interval_seconds: 1e308 } },
  { type: 'deregistered', detail: '', register_after_seconds: 1e308 },
  { type: 'deregistered', detail: '', register_after_seconds: -1 },
  // A flag that Node does not start with.
  { ...assign('a'), programs: { job: { ...program, memory_mb: 512.5 } } },
])('skips %j', (message) => {
  expect(checkMessages([message])).toEqual({
    messages: [],
    complaints: [`A malformed "${message.type}" message.`],
  });
});

test('what is complained of is quoted in part', () => {
  const { complaints } = checkMessages([{ type: 'x'.repeat(1e6) }, { type: [['x'.repeat(1e6)]] }]);
  expect(complaints).toEqual([
    `Unknown message type "${'x'.repeat(80)}".`,
    'Unknown message type.',
  ]);
});
