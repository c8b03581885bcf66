import { expect, test } from 'vitest';
import { asFault } from './faults.ts';

test('an I/O error says whether something was read or written', () => {
  const error = Object.assign(new Error('disk I/O error'), { errcode: 266 });
  expect(asFault(error, '/data/muster.db', 'read')).toMatchObject({
    code: 'store_read_failed',
    message: 'The database /data/muster.db could not be read (disk I/O error).',
  });
  expect(asFault(error, '/data/muster.db', 'write')).toMatchObject({
    code: 'store_write_failed',
    message: 'The database /data/muster.db could not be written (disk I/O error).',
  });
});
