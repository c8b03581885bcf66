// The credentials that a server uses now. They are read again when their source looks different, and on
// request; what cannot be used then is said in the log, and those in force stay.

import type { Logger } from 'pino';
import { type Credentials, isoSeconds } from './credentials.ts';

/** How often the source is looked at. */
const lookMs = 5_000;
const dayMs = 24 * 3_600_000;
/** A certificate that somebody must renew is warned about once a day from then on. */
export const warnBeforeDays = 14;

export interface CredentialsSource {
  /** Throws a `CredentialsFault`. */
  readonly read: (now: Date) => Credentials;
  /** Another text as soon as something may be different. */
  readonly mark: () => string;
}

export class CredentialsInForce {
  private readonly source: CredentialsSource;
  private readonly log: Logger;
  private readonly timer: NodeJS.Timeout;
  private readonly listeners = new Set<(credentials: Credentials) => void>();
  private credentials: Credentials;
  /** Of what was read last, and of the last look. */
  private readMark: string;
  private lastMark: string;
  private warnedDays: number | null = null;

  /** Throws what `source.read` throws. */
  constructor(source: CredentialsSource, log: Logger) {
    this.source = source;
    this.log = log;
    this.lastMark = this.readMark = this.markNow();
    this.credentials = source.read(new Date());
    this.warnOfEnd();
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  get current(): Credentials {
    return this.credentials;
  }

  /** Called with new ones, when they are in force. */
  onChange(listener: (credentials: Credentials) => void): void {
    this.listeners.add(listener);
  }

  /** Reads them again. */
  reload(): void {
    this.lastMark = this.readMark = this.markNow();
    let found: Credentials;
    try {
      found = this.source.read(new Date());
    } catch (error) {
      const { message } = error as Error;
      this.log.error(`The certificate in force stays; the new one cannot be used. ${message}`);
      return;
    }
    const isSame = found.cert === this.credentials.cert && found.key === this.credentials.key;
    if (isSame) return;
    const isSamePin = found.pin === this.credentials.pin;
    this.credentials = found;
    this.warnedDays = null;
    for (const listener of this.listeners) listener(found);
    const pin = isSamePin ? 'The pin is the same' : `The pin is another: ${found.pin}`;
    this.log.info(`A new certificate is in force, until ${isoSeconds(found.endsAt)}. ${pin}.`);
    this.warnOfEnd();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Files are written one after the other: they are read when they look the same twice. */
  look(): void {
    const mark = this.markNow();
    const isSettled = mark === this.lastMark;
    this.lastMark = mark;
    if (isSettled && mark !== this.readMark) this.reload();
    this.warnOfEnd();
  }

  /** A folder that may not be read any more must not end the coordinator: reading then says what is wrong. */
  private markNow(): string {
    try {
      return this.source.mark();
    } catch (error) {
      return String(error);
    }
  }

  private warnOfEnd(): void {
    const sentence = endsSoon(this.credentials, new Date());
    if (sentence === null) return;
    const days = daysLeft(this.credentials, new Date());
    if (days === this.warnedDays) return;
    this.warnedDays = days;
    this.log.warn(sentence);
  }
}

export function daysLeft({ endsAt }: Credentials, now: Date): number {
  return Math.floor((endsAt.getTime() - now.getTime()) / dayMs);
}

/** A warning; null while there is time. */
export function endsSoon(credentials: Credentials, now: Date): string | null {
  const days = daysLeft(credentials, now);
  if (days >= warnBeforeDays) return null;
  const when = isoSeconds(credentials.endsAt);
  const left = days < 0 ? 'has expired' : days === 0 ? 'expires today' : `expires in ${days} days`;
  return `The certificate in ${credentials.file} ${left} (${when}). Renew it; the coordinator reads it by itself.`;
}
