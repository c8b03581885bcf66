import { expect, test } from 'vitest';
import { matchPath } from './route-match.ts';

test.each([
  ['/', '/', {}],
  ['/jobs', '/jobs', {}],
  ['/jobs', '/jobs/', {}],
  ['/jobs/:job', '/jobs/01a', { job: '01a' }],
  ['/jobs/:job/tasks/:index', '/jobs/01a/tasks/92', { job: '01a', index: '92' }],
  ['/workers/:worker', '/workers/a%2Fb%20c', { worker: 'a/b c' }],
])('%s is the page of %s', (pattern, path, props) => {
  expect(matchPath(pattern, path)).toEqual(props);
});

test.each([
  ['/jobs', '/workers'],
  ['/jobs', '/jobs/01a'],
  ['/jobs/:job', '/jobs'],
  ['/jobs/:job', '/jobs//'],
  ['/jobs/:job', '/jobs/01a/tasks'],
  ['/jobs/:job', '/jobs/%E0%A4'],
  ['/', '/jobs'],
])('%s is not the page of %s', (pattern, path) => {
  expect(matchPath(pattern, path)).toBeNull();
});
