// The class `Date` of the interpreter: the clock of the task, and no time zone but UTC, since that of the device
// would make its answers different.

import type { TaskClock } from './task-clock.ts';

/** Not hardened. */
export function taskDate(clock: TaskClock): unknown {
  // The one of the locked realm: `Date` itself would tell the time of the device.
  const SharedDate = Date.prototype.constructor as DateConstructor;
  class TaskDate extends SharedDate {
    constructor(...args: readonly unknown[]) {
      if (args.length === 0) super(clock.dateMs());
      else if (args.length === 1) super(valueOf(args[0]));
      else super(utc(args));
    }

    static override now(): number {
      return clock.dateMs();
    }

    override getFullYear(): number {
      return this.getUTCFullYear();
    }
    override getMonth(): number {
      return this.getUTCMonth();
    }
    override getDate(): number {
      return this.getUTCDate();
    }
    override getDay(): number {
      return this.getUTCDay();
    }
    override getHours(): number {
      return this.getUTCHours();
    }
    override getMinutes(): number {
      return this.getUTCMinutes();
    }
    override getSeconds(): number {
      return this.getUTCSeconds();
    }
    override getTimezoneOffset(): number {
      return Number.isNaN(this.getTime()) ? Number.NaN : 0;
    }
    override setFullYear(...args: [number, number?, number?]): number {
      return this.setUTCFullYear(...args);
    }
    override setMonth(...args: [number, number?]): number {
      return this.setUTCMonth(...args);
    }
    override setDate(day: number): number {
      return this.setUTCDate(day);
    }
    override toString(): string {
      return this.toUTCString();
    }
    override toTimeString(): string {
      return `${this.toISOString().slice(11, 19)} GMT+0000 (UTC)`;
    }
  }
  return TaskDate;
}

function valueOf(value: unknown): number {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'string' ? Date.parse(value) : Number(value);
}

function utc(args: readonly unknown[]): number {
  return Date.UTC(...(args.map(Number) as [number, number]));
}
