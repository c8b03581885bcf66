import { expect, test } from 'vitest';
import type { TaskResult } from '../../../../protocol/resources.ts';
import { columnsOf, resultHead, resultLine } from './result-table.ts';

const completed = (index: number, value: unknown): TaskResult => ({
  index,
  task_id: `${index}`,
  status: 'completed',
  value,
});
const failed: TaskResult = {
  index: 2,
  task_id: '2',
  status: 'failed',
  error: { type: 'RangeError', message: 'must be > 0, got "-1"' },
};

test('plain values have one column, flat objects one for each name', () => {
  expect(columnsOf([completed(0, 4), failed, completed(1, 'x')])).toEqual(['value']);
  expect(columnsOf([completed(0, { a: 1 }), completed(1, { b: null, a: 2 })])).toEqual(['a', 'b']);
});

test('what has objects or lists within is no table', () => {
  expect(columnsOf([completed(0, { a: [1] })])).toBeNull();
  expect(columnsOf([completed(0, [1, 2])])).toBeNull();
  expect(columnsOf([failed])).toBeNull();
});

test('a line has its index, its status, its values and its error', () => {
  expect(resultHead(['value'])).toBe('index,status,value,error\r\n');
  expect(resultLine(completed(0, 'a,b'), ['value'])).toBe('0,completed,"a,b",\r\n');
  expect(resultLine(completed(1, { a: 1, b: false }), ['a', 'b', 'c'])).toBe(
    '1,completed,1,false,,\r\n',
  );
  expect(resultLine(failed, ['value'])).toBe('2,failed,,"RangeError: must be > 0, got ""-1"""\r\n');
});

test('when a name is like one of ours all have a prefix', () => {
  expect(resultHead(['a', 'b'])).toBe('index,status,a,b,error\r\n');
  expect(resultHead(['index', 'seconds'])).toBe('index,status,value.index,value.seconds,error\r\n');
});

test('names that every object has by itself are no columns of it', () => {
  expect(resultLine(completed(0, { a: 1 }), ['a', 'constructor'])).toBe('0,completed,1,,\r\n');
});

test('no cell is taken for a formula', () => {
  expect(resultLine(completed(0, '=1+1'), ['value'])).toBe("0,completed,'=1+1,\r\n");
  expect(resultLine(completed(0, -3), ['value'])).toBe('0,completed,-3,\r\n');
});
