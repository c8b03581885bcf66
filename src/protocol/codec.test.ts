import { expect, test } from 'vitest';
import { decodeFrame, encodeFrame, RawJson } from './codec.ts';
import type { Assignment } from './messages.ts';

const assignment = { task_id: 'j.0', attempt: 1, token: 't', job_id: 'j', index: 0, input: 1 };

test.each([undefined, 'local', 'a "quoted" \\ owner\n'])(
  'an assignment comes out as it went in, of the owner %j',
  (owner) => {
    const given: Assignment = owner === undefined ? assignment : { ...assignment, owner };
    const message = { type: 'assign', sequence: 1, programs: {}, assignments: [given] } as const;
    const raw = { ...given, input: new RawJson('1') };
    const frame = encodeFrame([{ ...message, assignments: [raw] }]);
    expect(decodeFrame(frame)).toEqual({ ok: true, messages: [message] });
  },
);

test.each([5, -1000])('an assignment comes out as it went in, with the priority %i', (priority) => {
  const given: Assignment = { ...assignment, priority };
  const message = { type: 'assign', sequence: 1, programs: {}, assignments: [given] } as const;
  expect(decodeFrame(encodeFrame([message]))).toEqual({ ok: true, messages: [message] });
});
