// The sentence with which the page begins: how fast, on how many devices, until when, and what needs somebody.

import type { Counters } from '../../store/counters.ts';
import { grouped, measured } from '../../text/numbers.ts';
import { aboutDuration } from '../../text/times.ts';
import { capitalized, counted, inWords } from '../../text/words.ts';

export interface Phrase {
  readonly text: string;
  readonly weight?: 'strong' | 'warn';
}

export interface SentenceFacts {
  readonly counters: Counters;
  /** Tasks per second of the last minute; null: not known yet. */
  readonly rate: number | null;
  readonly needs: number;
  /** Devices that have a task; null: not known yet. */
  readonly atWork: number | null;
  /** Devices out of service. */
  readonly out: number;
}

export function sentenceOf({
  counters,
  rate,
  needs,
  atWork,
  out,
}: SentenceFacts): readonly Phrase[] {
  return [...work(counters, rate, { atWork, out }), ...jobs(counters), ...need(needs)];
}

const strong = (text: string): Phrase => ({ text, weight: 'strong' });

function work(
  { workers, tasks }: Counters,
  rate: number | null,
  { atWork: devicesAtWork, out }: Pick<SentenceFacts, 'atWork' | 'out'>,
): readonly Phrase[] {
  const all = Object.values(workers).reduce((sum, count) => sum + count, 0);
  const here = Math.max(0, all - workers.offline - workers.waiting - out);
  const atWork = tasks.running + tasks.assigned;
  const devices = strong(`${grouped(here)} of ${counted(all, 'device')}`);
  const waits = tasks.pending === 1 ? 'waits' : 'wait';
  if (here === 0) {
    const nobody =
      all === 0 ? 'No device has joined yet' : `None of ${counted(all, 'device')} is here`;
    if (tasks.pending === 0) return [strong(nobody), { text: '.' }];
    const text = `${nobody}, and ${counted(tasks.pending, 'task')} ${waits}.`;
    return [{ text, weight: 'warn' }];
  }
  if (rate !== null && rate > 0) {
    // For a moment all may have reported, and none has been given the next. Of those that are here: one that has
    // left, like a tab that was closed, stays known for a while.
    const those =
      devicesAtWork === null || devicesAtWork === 0
        ? devices
        : strong(
            `${grouped(devicesAtWork)} of ${counted(Math.max(here, devicesAtWork), 'device')}`,
          );
    return [strong(rateInWords(rate)), { text: ' on ' }, those, { text: '.' }];
  }
  if (atWork > 0) {
    return [
      strong(`${counted(atWork, 'task')} ${atWork === 1 ? 'runs' : 'run'}`),
      { text: '; ' },
      devices,
      { text: ` ${is(here)} here.` },
    ];
  }
  if (tasks.pending > 0) {
    const text = `Nothing runs, and ${counted(tasks.pending, 'task')} ${waits}`;
    return [{ text, weight: 'warn' }, { text: ': ' }, devices, { text: ` ${is(here)} here.` }];
  }
  return [devices, { text: ` ${is(here)} here, with nothing to do.` }];
}

const is = (count: number): string => (count === 1 ? 'is' : 'are');

/** `22 tasks a second`; what is slow by the minute, or by the hour. */
export function rateInWords(perSecond: number): string {
  const [value, unit] =
    perSecond >= 0.095
      ? [perSecond, 'second']
      : perSecond * 60 >= 0.095
        ? [perSecond * 60, 'minute']
        : [perSecond * 3600, 'hour'];
  const text = value >= 9.95 ? grouped(value) : measured(Number(value.toPrecision(2)));
  return `${text} ${text === '1' ? 'task' : 'tasks'} ${unit === 'hour' ? 'an' : 'a'} ${unit}`;
}

function jobs({
  jobs: { open, running },
  open_jobs: told,
  open_jobs_left_out: left,
}: Counters): readonly Phrase[] {
  if (open === 0) return [];
  const waiting = open - running;
  const parts: string[] = [];
  if (running > 0) parts.push(`${inWords(running, 'job')} ${running === 1 ? 'runs' : 'run'}`);
  if (waiting > 0) {
    const who =
      running > 0
        ? waiting === 1
          ? 'one'
          : inWords(waiting, '', '').trim()
        : inWords(waiting, 'job');
    parts.push(`${who} ${waiting === 1 ? 'waits' : 'wait'}`);
  }
  const begin = { text: ` ${capitalized(parts.join(', '))}` };
  const seconds = told.map(({ eta }) => eta.seconds).filter((each) => each !== null);
  if (seconds.length === 0) return [begin, { text: '.' }];
  const last = strong(`in ${aboutDuration(Math.max(...seconds))}`);
  const isWhole = seconds.length === told.length && left === 0;
  return [begin, { text: `; ${subjectOf(open, seconds.length, isWhole)} ` }, last, { text: '.' }];
}

/** Of which job it is told when it ends. */
function subjectOf(open: number, told: number, isWhole: boolean): string {
  if (open === 1) return 'it ends';
  if (isWhole) return 'the last ends';
  return told === 1 ? 'one ends' : `the last of ${inWords(told, '', '').trim()} ends`;
}

function need(count: number): readonly Phrase[] {
  if (count === 0) return [];
  const verb = count === 1 ? 'needs' : 'need';
  const text = ` ${capitalized(inWords(count, 'thing'))} ${verb} you.`;
  return [{ text, weight: 'warn' }];
}
