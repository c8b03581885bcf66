// What may come often, as one entry for the same of some seconds. However many different ones come, the number
// of entries is bounded; what goes beyond is counted in one.

import type { AuditEntry } from '../../store/rows.ts';
import { byItself, type Told } from '../port/audit.ts';

/** Of those who have shown a token that is known, and of all others: strangers cannot crowd them out. */
const mostKnown = 64;
const mostStrangers = 64;

type Gathering = { -readonly [Name in keyof AuditEntry]: AuditEntry[Name] };

export class Gathered {
  private readonly entries = new Map<string, Gathering>();
  private known = 0;
  private others: Gathering | undefined;

  get isEmpty(): boolean {
    return this.entries.size === 0;
  }

  add(told: Told, at: number): void {
    const { action, code, outcome, object, tokenId, address } = told;
    const key = [address, tokenId, action, outcome, code].join(' ');
    const found = this.entries.get(key);
    if (found !== undefined) {
      found.count++;
      if (found.object !== object) found.object = null;
      return;
    }
    const isKnown = tokenId !== null;
    const strangers = this.entries.size - this.known;
    if (isKnown ? this.known >= mostKnown : strangers >= mostStrangers) return this.count(at);
    if (isKnown) this.known++;
    this.entries.set(key, { ...told, at, count: 1 });
  }

  /** All of it, from now on gathered anew. */
  take(): readonly AuditEntry[] {
    const taken = [...this.entries.values()];
    if (this.others !== undefined) taken.push(this.others);
    this.entries.clear();
    this.known = 0;
    this.others = undefined;
    return taken;
  }

  private count(at: number): void {
    this.others ??= {
      ...byItself,
      action: 'others',
      object: null,
      outcome: 'refused',
      at,
      count: 0,
    };
    this.others.count++;
  }
}
