// What browsers show instead of a token: a session (a cookie, which scripts cannot read) for pages, and a
// ticket for the one socket that they open next. Both stand for a token and are good only while it is. They
// are kept in memory: after a restart a person logs in again.

import { hash, randomBytes } from 'node:crypto';

const sessionMs = 12 * 3_600_000;
const ticketMs = 60_000;
const mostPasses = 10_000;

interface Pass {
  /** The token that it stands for. */
  readonly token: string;
  readonly until: number;
}

export class BrowserPasses {
  private readonly sessions = new Map<string, Pass>();
  private readonly tickets = new Map<string, Pass>();
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  beginSession(token: string): { readonly value: string; readonly seconds: number } {
    return { value: this.add(this.sessions, token, sessionMs), seconds: sessionMs / 1000 };
  }

  /** The token of the session. */
  findSession(value: string): string | undefined {
    return this.find(this.sessions, value);
  }

  /** When it is over by itself; undefined for none that is good. */
  endOfSession(value: string): number | undefined {
    const pass = this.sessions.get(hashOf(value));
    return pass !== undefined && pass.until > this.now() ? pass.until : undefined;
  }

  endSession(value: string): void {
    this.sessions.delete(hashOf(value));
  }

  makeTicket(token: string): { readonly value: string; readonly seconds: number } {
    return { value: this.add(this.tickets, token, ticketMs), seconds: ticketMs / 1000 };
  }

  /** The token of the ticket, which is used up by this. */
  useTicket(value: string): string | undefined {
    const token = this.find(this.tickets, value);
    this.tickets.delete(hashOf(value));
    return token;
  }

  private add(passes: Map<string, Pass>, token: string, ms: number): string {
    const value = randomBytes(24).toString('base64url');
    const now = this.now();
    // The oldest are the first; those that are over make room by and by.
    for (const [key, { until }] of passes) {
      if (until > now && passes.size < mostPasses) break;
      passes.delete(key);
    }
    passes.set(hashOf(value), { token, until: now + ms });
    return value;
  }

  private find(passes: Map<string, Pass>, value: string): string | undefined {
    const pass = passes.get(hashOf(value));
    return pass !== undefined && pass.until > this.now() ? pass.token : undefined;
  }
}

function hashOf(value: string): string {
  return hash('sha256', value, 'hex');
}
