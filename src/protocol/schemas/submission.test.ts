import { describe, expect, test } from 'vitest';
import { type JobOption, jobOptions } from '../job-options.ts';
import { defaultLimits } from '../limits.ts';
import { jobHeadSubmissionSchema } from './submission.ts';

const schema = jobHeadSubmissionSchema(defaultLimits);
const program = { kind: 'javascript', source: 'export default (n) => n' };
const takes = (name: string, value: unknown) =>
  schema.safeParse({ program, [name]: value }).success;

const options = Object.entries<JobOption>(jobOptions);
const withDefault = options.filter(([, option]) => option.default !== undefined);
const bounded = options.flatMap(([name, option]) =>
  option.type === 'integer' || option.type === 'number' || option.type === 'time limit'
    ? [{ name, ...option }]
    : [],
);

describe('the schema of a submission', () => {
  test.each(withDefault)('takes the default of %s', (name, option) => {
    expect(takes(name, option.default)).toBe(true);
  });

  test.each(bounded)(
    'takes $name from $least to $most, and no further',
    ({ name, least, most }) => {
      expect([least, most].map((value) => takes(name, value))).toEqual([true, true]);
      expect([least - 1, most + 1].map((value) => takes(name, value))).toEqual([false, false]);
    },
  );

  test('knows every option, the program, what tasks share, and nothing else', () => {
    expect(Object.keys(schema.shape)).toEqual(['program', 'shared', ...Object.keys(jobOptions)]);
  });
});
