// What a scenario says of amounts, beyond their form: draws that would not be what was asked for, rates of 0, percents that
// are fractions. Files are read by then.

import { type Drawn, sharesOf } from '../chance/draw.ts';
import type { Scenario } from './scenario.ts';

/** A place in the file, as `devices[0].speed`, and what is wrong there. */
export interface AmountFault {
  readonly place: string;
  readonly sentence: string;
}

/** The first that is wrong, in the order of the file; null when nothing is. */
export function findAmountFault({ devices, jobs }: Scenario): AmountFault | null {
  const faults = [...faultsIn(devices, 'devices', 'none'), ...faultsIn(jobs, 'jobs', 'none')];
  return faults[0] ?? null;
}

type Meaning = 'percent' | 'rate' | 'none';

const meanings: Readonly<Record<string, Meaning>> = {
  level_percent: 'percent',
  percent: 'percent',
  otherwise_percent: 'percent',
  rests_below_percent: 'percent',
  min_battery_percent: 'percent',
  load: 'percent',
  speed: 'rate',
  bandwidth_mbps: 'rate',
};

function* faultsIn(value: unknown, place: string, meaning: Meaning): Generator<AmountFault> {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries()) yield* faultsIn(each, `${place}[${i}]`, meaning);
    return;
  }
  if (isAmount(value)) {
    const sentence = problemOf(value) ?? problemOfMeaning(value, meaning);
    if (sentence !== null) yield { place, sentence };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    yield* faultsIn(each, `${place}.${key}`, meanings[key] ?? 'none');
  }
}

const forms = ['uniform', 'normal', 'log_normal', 'exponential', 'pareto', 'one_of'];

function isAmount(value: unknown): value is Drawn {
  if (typeof value === 'number') return true;
  if (typeof value !== 'object' || value === null) return false;
  return forms.some((form) => Object.hasOwn(value, form));
}

/** Below 0 lie less than 0.14 % of the draws then, and cutting them off moves the mean by less than 0.15 %. */
const largestCv = 1 / 3;
const leastShare = 1e-6;

function problemOf(amount: Drawn): string | null {
  if (typeof amount === 'number' || 'exponential' in amount || 'one_of' in amount) return null;
  if ('uniform' in amount) {
    const [low, high] = amount.uniform;
    return low <= high ? null : `is from ${low} to ${high}: write the lesser first`;
  }
  const { at_least: least, at_most: most = Infinity } = amount;
  if (least !== undefined && least > most) return `has at_least ${least}, above at_most ${most}`;
  const { below, within } = sharesOf(amount);
  if (within < leastShare) return 'has bounds between which hardly any draw would lie';
  if ('normal' in amount && least === undefined && amount.normal.cv > largestCv) {
    return (
      `has a cv of ${amount.normal.cv}, so ${Math.round(100 * below)} % of the draws would be below 0: take log_normal, or ` +
      'write "at_least": 0 beside normal, which cuts them off and makes the mean larger'
    );
  }
  return null;
}

function problemOfMeaning(amount: Drawn, meaning: Meaning): string | null {
  if (meaning === 'none') return null;
  const told = toldOf(amount);
  const most = Math.max(...told);
  if (meaning === 'rate') {
    return told.includes(0) ? 'may be 0: then nothing would ever be done; take more than 0' : null;
  }
  if (most > 100) return `goes up to ${most}: a percentage is at most 100`;
  const isFraction = most <= 1 && told.some((each) => !Number.isInteger(each));
  if (!isFraction) return null;
  return `is ${most} percent at most, which looks like a fraction: write ${Number((100 * most).toPrecision(6))} for ${most} of the whole`;
}

/** The values that it names. */
function toldOf(amount: Drawn): readonly number[] {
  if (typeof amount === 'number') return [amount];
  if ('uniform' in amount) return amount.uniform[1] === 0 ? [0] : [amount.uniform[1]];
  if ('one_of' in amount) return [...new Set(amount.one_of)];
  if ('normal' in amount) return [amount.normal.mean];
  if ('log_normal' in amount) return [amount.log_normal.mean];
  if ('pareto' in amount) return [amount.pareto.least];
  return [amount.exponential.mean];
}
