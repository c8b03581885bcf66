import { expect, test } from 'vitest';
import { filterNames, pageOfLabels, sortText, viewOf } from './workers-view.ts';

const view = (query: string) => viewOf(new URLSearchParams(query));

test('an address without a query shows all', () => {
  expect(view('')).toEqual({
    state: null,
    kind: null,
    labels: [],
    find: '',
    grouping: 'none',
    sort: null,
    openId: null,
  });
});

test('what nobody can have chosen is left out', () => {
  expect(view('state=sleepy&kind=toaster&group=label:&sort=%00')).toMatchObject({
    state: null,
    kind: null,
    grouping: 'none',
    sort: null,
  });
});

test('an order goes into the address and comes back', () => {
  for (const sort of [
    { column: 'cpu', isDescending: true },
    { column: 'name', isDescending: false },
  ]) {
    expect(view(`sort=${sortText(sort)}`).sort).toEqual(sort);
  }
  expect(sortText(null)).toBeNull();
});

test('a label is a grouping', () => {
  expect(view('group=label:room').grouping).toBe('label:room');
});

test('labels go into the address and come back', () => {
  const page = pageOfLabels({ gpu: 'yes', site: 'lab & co' });
  expect(view(page.split('?')[1]!).labels).toEqual(['gpu=yes', 'site=lab & co']);
  expect(pageOfLabels()).toBe('/workers');
  expect(filterNames(view('label=gpu=yes&state=out'))).toEqual(['out of service', 'gpu=yes']);
});

test('filters are named for the sentence that nothing is left', () => {
  expect(filterNames(view('state=busy&find=%20at%20'))).toEqual(['busy', '"at"']);
});
