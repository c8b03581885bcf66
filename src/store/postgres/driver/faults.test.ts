import { DatabaseError } from 'pg';
import { expect, test } from 'vitest';
import { asFault, asOpeningFault } from './faults.ts';

const shown = 'postgres://db/muster';

function coded(code: string, message: string): DatabaseError {
  return Object.assign(new DatabaseError(message, 0, 'error'), { code });
}

test.each([
  ['26000', 'prepared statement "muster_10" does not exist'],
  ['42P05', 'prepared statement "muster_1" already exists'],
])('%s is a pooler that is not in session mode, and that is said', (code, message) => {
  const why = `(a pooler on the way changes sessions: it must be in session mode; ${message}).`;
  const error = coded(code, message);
  expect(asOpeningFault(error, shown)).toMatchObject({
    code: 'store_unwritable',
    message: `The database ${shown} cannot be opened for writing ${why}`,
  });
  expect(asFault(error, shown, 'read')).toMatchObject({
    code: 'store_read_failed',
    message: `The database ${shown} could not be read ${why}`,
  });
  expect(asFault(error, shown, 'write')).toMatchObject({ code: 'store_write_failed' });
});

test('a server that is gone cannot be reached by who reads', () => {
  for (const gone of [coded('57P01', 'terminating connection'), connectionRefused()]) {
    expect(asFault(gone, shown, 'read')).toMatchObject({ code: 'store_unreachable' });
    expect(asFault(gone, shown, 'write')).toMatchObject({ code: 'store_write_failed' });
  }
});

function connectionRefused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), {
    code: 'ECONNREFUSED',
    syscall: 'connect',
  });
}

test('an error of our own is none of the server', () => {
  const bug = coded('42601', 'syntax error at or near "selekt"');
  for (const seen of [asFault(bug, shown, 'read'), asOpeningFault(bug, shown)]) {
    expect(seen).toBe(bug);
  }
});
