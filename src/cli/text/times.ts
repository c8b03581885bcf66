// Moments in the time zone of the person (`TZ`, or that of the machine). A date stands before those that are
// not of today, in a list before all of them, so that they stay below each other. The zone is told once.

export interface Clock {
  /** `10:20:01.123`, or with a date; spaces as wide for null. */
  readonly text: (time: string | null) => string;
  /** `10:20:01`, or with its own date. */
  readonly short: (time: string) => string;
  /** A sentence of the coordinator, whose times are ISO 8601 in UTC. */
  readonly within: (sentence: string) => string;
  /** `UTC`, `Europe/Berlin (UTC+01:00)` */
  readonly zone: string;
}

export function clockFor(times: readonly (string | null)[], nowMs: number): Clock {
  const today = dayOf(new Date(nowMs));
  const known = times.filter((time) => time !== null).map((time) => new Date(time));
  const hasDates = known.some((date) => dayOf(date) !== today);
  const text = (time: string) => {
    const date = new Date(time);
    if (Number.isNaN(date.getTime())) return time;
    return `${hasDates ? `${dayOf(date)} ` : ''}${secondOf(date)}.${digits(date.getMilliseconds(), 3)}`;
  };
  const short = (time: string) => {
    const date = new Date(time);
    if (Number.isNaN(date.getTime())) return time;
    const day = dayOf(date);
    return day === today ? secondOf(date) : `${day} ${secondOf(date)}`;
  };
  const blank = ' '.repeat(hasDates ? 23 : 12);
  return {
    text: (time) => (time === null ? blank : text(time)),
    short,
    within: (sentence) => sentence.replaceAll(ISO, short),
    zone: zoneText(new Date(nowMs)),
  };
}

const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\b/g;

function dayOf(date: Date): string {
  return `${date.getFullYear()}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
}

function secondOf(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => digits(part, 2))
    .join(':');
}

function zoneText(at: Date): string {
  const name = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const minutes = -at.getTimezoneOffset();
  if (minutes === 0 && /^(Etc\/)?(UTC|GMT|Zulu|Universal)$/.test(name)) return 'UTC';
  const size = Math.abs(minutes);
  const offset = `${minutes < 0 ? '-' : '+'}${digits(Math.floor(size / 60), 2)}:${digits(size % 60, 2)}`;
  return `${name} (UTC${offset})`;
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}
