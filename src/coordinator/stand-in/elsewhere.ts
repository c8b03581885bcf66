// What whoever does not decide leaves to the coordinator that does.

import type { CoordinatorPorts } from '../port/coordinator.ts';
import { CoordinatorStopped } from '../port/stopped.ts';

/** Thrown at once, before anything has happened: whoever decides can still be asked. */
export function elsewhere(): never {
  throw new CoordinatorStopped();
}

/** A part of a coordinator of which only these are answered here. */
export function only<T extends object>(answered: Partial<T>): T {
  const get = (_: object, name: string | symbol) =>
    (answered as Readonly<Record<string | symbol, unknown>>)[name] ?? elsewhere;
  return new Proxy<T>(answered as T, { get });
}

const nothing = only<never>({} as never);

/** A coordinator of which nothing is answered here. */
export const decidedElsewhere: CoordinatorPorts = {
  submissions: nothing,
  jobs: nothing,
  blobs: nothing,
  workers: nothing,
  sessions: nothing,
  pullWorkers: nothing,
  scheduler: nothing,
  reads: nothing,
  taskReads: nothing,
  evaluation: nothing,
  notifications: nothing,
  events: nothing,
  quota: nothing,
};
