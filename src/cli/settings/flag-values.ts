// What the value of a flag, a variable or an argument must look like. Each parser gives the value, or throws a
// sentence that says what is wrong with the text.

import { InvalidArgumentError } from 'commander';
import { algorithmIds } from '../../core/snapshot.ts';
import { defaultLimits, leastLimits, type Limits } from '../../protocol/limits.ts';
import { canonicalOrigin } from '../../server/origin.ts';
import { isNetwork } from '../../server/networks.ts';
import { isAllowance } from '../../server/webhooks/address-rules.ts';
import { closest } from '../../protocol/closest-name.ts';
import { isPin } from '../../transport/pin.ts';
import { spanMs } from './moment.ts';

const LIMIT_MAX = 2 ** 40;
const NAME_MAX = 200;
const COORDINATOR_NAME_MAX = 60;

/** For flags and settings alike: a whole number within bounds, or a sentence. */
export function wholeNumber(what: string, least: number, most: number) {
  return (text: string): number => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `"${text}" is not ${what}: a whole number from ${least} to ${most}.`,
    );
  };
}

/** The same for numbers that may have a fraction. */
export function decimalNumber(what: string, least: number, most: number) {
  return (text: string): number => {
    const value = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`"${text}" is not ${what}: a number from ${least} to ${most}.`);
  };
}

/** How long something may take, in seconds: `90`, `90s`, `30m`, `2h`, `1d`. */
export function timeSpan(least: number, most: number) {
  return (text: string): number => {
    const ms = spanMs(/^[\d.]+$/.test(text.trim()) ? `${text.trim()}s` : text);
    const value = Math.round((ms ?? Number.NaN) / 1_000);
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `"${text}" is not a time span: seconds, or a number with its unit like 90s, 30m, 2h or 1d; ` +
        `from ${least} to ${most} seconds.`,
    );
  };
}

/** `512MB`, `2GB`, `1.5 GB`, or a number of MB. */
export function megabytes(what: string, { least, most }: { least: number; most: number }) {
  return (text: string): number => {
    const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?) ?(|MB|GB)$/i.exec(text.trim()) ?? [];
    const value = Math.round(Number(digits) * (unit.toUpperCase() === 'GB' ? 1024 : 1));
    if (digits !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `"${text}" is not ${what}: one looks like 512MB or 2GB, from ${least}MB to ${most / 1024}GB.`,
    );
  };
}

/** A line that fits on the screen of a phone. */
export function coordinatorName(text: string): string {
  const name = text.trim();
  const isPrintable = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(name);
  const length = Array.from(name).length;
  if (isPrintable && length >= 1 && length <= COORDINATOR_NAME_MAX) return name;
  throw new InvalidArgumentError(
    `"${text}" is not a name of a coordinator: from 1 to ${COORDINATOR_NAME_MAX} printable characters in one line.`,
  );
}

/** The parser tells its words, for the completion of shells. */
export function oneOf(what: string, names: readonly string[]) {
  const parse = (text: string): string => {
    if (names.includes(text)) return text;
    const nearest = closest(text, names);
    const advice = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
    throw new InvalidArgumentError(
      `"${text}" is not ${what}: there are ${names.join(', ')}.${advice}`,
    );
  };
  return Object.assign(parse, { words: names });
}

export const algorithm = oneOf('an algorithm', algorithmIds);

export function storeAddress(text: string): string {
  if (/^(sqlite:|postgres(ql)?:\/\/)./.test(text)) return text;
  const advice = /[/\\.]/.test(text) ? ` Did you mean "sqlite:${text}"?` : '';
  throw new InvalidArgumentError(
    `"${text}" is not a store: one looks like sqlite:muster.db, sqlite::memory: or postgres://user@host/database.${advice}`,
  );
}

/** Where other coordinators reach one: scheme, host and port, and nothing behind them. */
export function memberAddress(text: string): string {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === '' &&
    url.pathname === '/';
  if (isPlain) return url.origin;
  throw new InvalidArgumentError(
    `"${text}" is not an address under which other coordinators reach this one: one looks like http://10.0.0.5:8000`,
  );
}

/** Names as on the wire, in snake_case. */
export const limitNames = Object.keys(defaultLimits).map((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

export function limits(text: string, previous: unknown): Partial<Limits> {
  const found: Record<string, number> = { ...(previous as Record<string, number> | undefined) };
  for (const pair of text.split(',')) {
    const [name = '', value = ''] = pair.split('=').map((part) => part.trim());
    oneOf('a limit', limitNames)(name);
    const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const least = leastLimits[key as keyof Limits];
    found[key] = wholeNumber(`a value of ${name}`, least, LIMIT_MAX)(value);
  }
  return found;
}

export const origins = listOf(
  canonicalOrigin,
  'is not an origin: scheme, host and port of pages, like https://example.org or ' +
    'http://192.168.1.5:3000, with nothing behind them.',
);

export const allowances = listOf(
  (text) => (isAllowance(text) ? text : null),
  'is not a place: a host like hooks.lan, an address like 10.1.2.3, or a network like 10.1.0.0/16.',
);

export const networks = listOf(
  (text) => (isNetwork(text) ? text : null),
  'is not a network: an address like 10.1.2.3 or ::1, or a network like 10.1.0.0/16.',
);

/** Values with commas between them, each once, behind those of the same flag before; `read` gives null for a wrong one. */
function listOf(read: (text: string) => string | null, whatIsWrong: string) {
  return (text: string, previous: unknown): readonly string[] => {
    const found = new Set(previous as readonly string[] | undefined);
    for (const each of text.split(',').map((part) => part.trim())) {
      const value = read(each);
      if (value === null) throw new InvalidArgumentError(`"${each}" ${whatIsWrong}`);
      found.add(value);
    }
    return [...found];
  };
}

export function pin(text: string): string {
  if (isPin(text)) return text;
  throw new InvalidArgumentError(
    `"${text}" is not a pin: it has 43 letters, digits, - and _, as \`muster serve\` prints it.`,
  );
}

export function labels(text: string, previous: unknown): Readonly<Record<string, string>> {
  const found = { ...(previous as Record<string, string> | undefined) };
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    if (at < 1) throw new InvalidArgumentError(`"${pair}" is not a label: one looks like gpu=yes.`);
    found[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
  }
  return found;
}

/** A short text that a person gives something, like a label. */
export function named(what: string) {
  return (text: string): string => {
    if (text.length >= 1 && text.length <= NAME_MAX) return text;
    throw new InvalidArgumentError(`"${text}" is not ${what}: 1 to ${NAME_MAX} characters.`);
  };
}
