// Slows devices down to a share of one core each: the processes in which a worker runs tasks are stopped and let go on
// by signals (SIGSTOP, SIGCONT), so nothing but the rights over one's own processes is needed. The worker itself is
// never stopped: its heartbeats go on as on a slow device.

import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { children } from '../processes.ts';
import { end, type LaneTable, newLaneTable, setPids } from './lane-table.ts';
import type { ThrottleOrder } from './throttle-thread.ts';

export interface ThrottledDevice {
  /** Process of the worker. */
  readonly pid: number;
  /** Of one core. */
  readonly share: number;
}

/** Children may come and go; a new one runs freely for so long at most. */
const lookEveryMs = 200;

export class Throttle {
  readonly #table: LaneTable;
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;

  /** `turnMs`: each device has its window once in it. All are slowed down once this has resolved. */
  static async start(devices: readonly ThrottledDevice[], turnMs: number): Promise<Throttle> {
    const lanes = newLaneTable(devices.length);
    const look = () => {
      const found = children();
      devices.forEach(({ pid }, lane) => setPids(lanes, lane, found.get(pid) ?? []));
    };
    look();
    const workerData: ThrottleOrder = { lanes, shares: devices.map(({ share }) => share), turnMs };
    const thread = new Worker(join(import.meta.dirname, 'throttle-thread.ts'), { workerData });
    // It says so once all are stopped. An error of it is thrown here.
    await once(thread, 'message');
    return new Throttle(lanes, thread, setInterval(look, lookEveryMs));
  }

  private constructor(table: LaneTable, thread: Worker, timer: NodeJS.Timeout) {
    this.#table = table;
    this.#thread = thread;
    this.#timer = timer;
  }

  /** All go on as they like. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    const ended = once(this.#thread, 'exit');
    end(this.#table);
    await ended;
  }
}
