// What doctor says of several coordinators on one database.

import { expect, test } from 'vitest';
import { clusterFindings } from './check-database.ts';

const healthy = {
  alive: ['http://a:8000', 'https://b:8000#sha256-pin'],
  silent: [],
  leader: 'https://b:8000#sha256-pin',
  versions: ['0.1.0'],
  mayLead: 2,
  termsOfLastHour: 1,
};

const said = (change: Partial<Parameters<typeof clusterFindings>[0]>) =>
  clusterFindings({ ...healthy, ...change }).map(({ status, finding }) => `${status}: ${finding}`);

test('who leads and who is there, without their pins', () => {
  expect(said({})).toEqual(['ok: https://b:8000 leads; there are http://a:8000, https://b:8000']);
});

test.each([
  [{ leader: null }, 'nobody leads at the moment'],
  [{ leader: 'http://dead:8000' }, 'nobody leads at the moment'],
  [{ mayLead: 1 }, 'nobody could take over'],
  [{ versions: ['0.1.0', '0.2.0'] }, 'different versions: 0.1.0, 0.2.0'],
  [{ silent: ['http://c:8000'] }, 'not heard of for five seconds: http://c:8000'],
  [{ termsOfLastHour: 12 }, 'has changed 12 times'],
  [{ alive: [], silent: ['http://c:8000'] }, '1 coordinator worked on it, and none was heard of'],
])('%j is a warning', (change, words) => {
  expect(said(change)).toContainEqual(expect.stringMatching(new RegExp(`^warning: .*${words}`)));
});
