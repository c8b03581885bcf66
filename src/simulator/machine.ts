// What the rest of the world sees of the machines that run the coordinator: one, or several on one disk.

import type { RunningCoordinator } from '../coordinator/coordinator.ts';
import type { Bearer } from '../coordinator/port/tokens.ts';
import type { WorkerSession } from '../coordinator/port/workers.ts';
import type { MemoryDisk } from '../store/memory/memory-disk.ts';

export interface Sink {
  send(frame: string): void;
  close(reason?: string, code?: number): void;
}

export interface Machine {
  readonly disk: MemoryDisk;
  /** The one in force; null: nobody can be asked. */
  readonly coordinator: RunningCoordinator | null;
  /** Error of the machine's clock as of the start of the process. */
  readonly skewMs: number;
  readonly standsStill: boolean;
  start(): Promise<void>;
  /** Kills the coordinator, at any step. */
  crash(): void;
  /** Stops the process for a while, like SIGSTOP or a suspended machine. */
  stall(ms: number): void;
  setClock(byMs: number): void;
  /** Calls as soon as the process reads messages. */
  whenReading(fn: () => void): void;
  /** Resolves after the time, when the process reads messages; never when it has died meanwhile. */
  pause(ms: number): Promise<void>;
  openSession(sink: Sink, bearer: Bearer | null): WorkerSession | null;
  /** Calls the coordinator that is up; rejects when it dies before it has answered. */
  ask<T>(question: (coordinator: RunningCoordinator) => Promise<T>): Promise<T>;
  /** Reports that a message of the worker has reached the machine. */
  arrive(workerId: string | null): void;
}
