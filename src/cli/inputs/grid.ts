// The grid of `--grid a=1,2 --grid b=10:3`: an input for every combination of the values, the last name
// changing fastest. Nothing is held but the values of each name.

import { InvalidArgumentError } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { JobInputs } from './job-inputs.ts';

interface Axis {
  readonly name: string;
  readonly count: number;
  readonly valueAt: (place: number) => unknown;
}

/** Parses one flag; `previous` are the ones before it. */
export function gridAxis(text: string, previous: unknown): readonly Axis[] {
  const axes = (previous as readonly Axis[] | undefined) ?? [];
  const [, name = '', values = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === '') {
    throw new InvalidArgumentError(
      `"${text}" is no part of a grid: one looks like rate=0.1,1,10 or seed=10:3 (START:COUNT).`,
    );
  }
  if (axes.some((axis) => axis.name === name)) {
    throw new InvalidArgumentError(`"${name}" is in the grid twice.`);
  }
  const axis = { name, ...valuesOf(values) };
  if (axis.count === 0) throw new InvalidArgumentError(`"${text}" names no value.`);
  return [...axes, axis];
}

export function gridInputs(axes: readonly Axis[]): JobInputs {
  const count = axes.reduce((product, axis) => product * axis.count, 1);
  if (!Number.isSafeInteger(count)) {
    throw new CommandFailure('usage', 'The grid has more combinations than can be counted.');
  }
  return {
    type: 'list',
    count,
    values: combinations(axes, count),
    placeOf: (n) => `Input ${n} of the grid`,
  };
}

function valuesOf(text: string): Omit<Axis, 'name'> {
  const [, start, count] = /^(-?\d+):(\d+)$/.exec(text) ?? [];
  if (start !== undefined) {
    const first = Number(start);
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(first + Number(count))) {
      throw new InvalidArgumentError(
        `"${text}" leads beyond the numbers that JavaScript can hold.`,
      );
    }
    return { count: Number(count), valueAt: (place) => first + place };
  }
  if (OTHER_RANGE.test(text)) {
    throw new InvalidArgumentError(
      `"${text}" is no range: one is START:COUNT, in whole numbers: 10:3 are 10, 11 and 12. ` +
        'List any others with commas: 0,0.5,1.',
    );
  }
  const values = text.split(',').map(valueOf);
  return { count: values.length, valueAt: (place) => values[place] };
}

/** As other programs write a range (`0:1:0.1`, `0..5`): as a text it would be one value, and a surprise. */
const OTHER_RANGE = /^-?[\d.]+(?::-?[\d.]+){1,2}$|^-?\d+\.{2,3}-?\d+$/;

/** A number, true, false or null; all else is a text. */
function valueOf(text: string): unknown {
  if (!/^(?:-?[\d.]+(?:e[+-]?\d+)?|true|false|null)$/i.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function* combinations(
  axes: readonly Axis[],
  count: number,
): AsyncGenerator<Readonly<Record<string, unknown>>, void, void> {
  for (let number = 0; number < count; number++) {
    let rest = number;
    const values = axes.toReversed().map((axis): readonly [string, unknown] => {
      const place = rest % axis.count;
      rest = (rest - place) / axis.count;
      return [axis.name, axis.valueAt(place)];
    });
    yield Object.fromEntries(values.toReversed());
  }
}
