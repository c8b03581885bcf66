import { describe, expect, test } from 'vitest';
import { checkedJson, readFailure, readFault } from './said-values.ts';

describe('a value that came out of the interpreter', () => {
  test('leaves as the text that it is', () => {
    const text = '{"a":[1,"ü"]}';
    expect(checkedJson(text, 1000, 'result')).toEqual({ type: 'json', text });
  });

  test('has halves of pairs as escapes', () => {
    const checked = checkedJson('["\ud800", "😀"]', 1000, 'result');
    expect(checked).toEqual({ type: 'json', text: '["\\ud800", "😀"]' });
  });

  test('is measured in bytes of UTF-8', () => {
    expect(checkedJson('"üü"', 6, 'result').type).toBe('json');
    expect(checkedJson('"üü"', 5, 'result')).toEqual({
      type: 'refused',
      errorType: 'result_too_large',
      message: 'the result has 6 bytes as JSON, the limit is 5',
    });
  });

  test.each(['', '{', 'nan', '[1,]'])('is refused when it is no JSON: %s', (text) => {
    expect(checkedJson(text, 1000, 'state')).toEqual({
      type: 'refused',
      errorType: 'result_not_json',
      message: 'the state is no JSON',
    });
  });

  test('may have 990 levels; brackets in texts are none', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(checkedJson(nested(990), 10_000, 'result').type).toBe('json');
    expect(checkedJson(nested(991), 10_000, 'result')).toMatchObject({
      message: 'the result is nested deeper than 990 levels',
    });
    const text = JSON.stringify(`\\"${nested(991)}`);
    expect(checkedJson(text, 10_000, 'result').type).toBe('json');
  });
});

describe('a fault that came out of the interpreter', () => {
  test('is told with its name and its sentence', () => {
    const fault = readFault('{"type":"missing_package","message":"there is no demo"}');
    expect([fault.errorType, fault.message]).toEqual(['missing_package', 'there is no demo']);
  });

  test.each(['', 'null', '{', '{"type":"file_unavailable","message":7}'])(
    'is one of the program when it is none: %s',
    (text) => {
      const { errorType, message } = readFault(text);
      expect(errorType).toBe('program_invalid');
      expect(message).toBe('the program cannot be loaded, and says no reason');
    },
  );
});

describe('a failure that came out of the interpreter', () => {
  const said = {
    type: 'ValueError',
    message: 'no',
    retryable: false,
    stack: 'at run (program:1:2)',
  };

  test('is told with its name, its message and its frames', () => {
    expect(readFailure(JSON.stringify(said))).toEqual({
      type: 'failure',
      errorType: 'ValueError',
      message: 'no',
      stack: 'at run (program:1:2)',
      isRetryable: false,
    });
  });

  test.each(['sandbox_crashed', 'attempt_timeout', 'a b', '', 7, null])(
    'has no name that is not for it: %s',
    (type) => {
      expect(readFailure(JSON.stringify({ ...said, type }))).toMatchObject({ errorType: 'Error' });
    },
  );

  test('is cut where it is long', () => {
    const long = 'x'.repeat(10_000);
    const failure = readFailure(JSON.stringify({ ...said, message: long, stack: long }));
    expect(failure).toMatchObject({ message: long.slice(0, 4000), stack: long.slice(0, 4000) });
  });

  test.each(['', 'null', '{'])('is a broken interpreter when it is none: %s', (text) => {
    expect(readFailure(text)).toMatchObject({ type: 'broken' });
  });
});
