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
