// A device that only plays: it joins over plain HTTP, measures what it is told to, and takes as long for a task as
// the task's input says. Many of them fit into one process, so that pages can be looked at with all kinds of devices.

import type { Assignment, Telemetry } from '../../../src/protocol/messages.ts';

export interface PlayedDevice {
  readonly name: string;
  readonly type: string;
  readonly platform: string;
  readonly slots: number;
  /** Times what an input asks for. */
  readonly slowness?: number;
  /** Fails every so many-th task with a TypeError. */
  readonly failsEvery?: number;
  readonly telemetry: Telemetry;
  readonly labels?: Readonly<Record<string, string>>;
  /** Says in its heartbeats why it takes nothing. */
  readonly rests?: string;
}

/** What an input of a played job says. */
export interface PlayedInput {
  readonly seconds: number;
  /** It fails everywhere, with this. */
  readonly error?: string;
  /** Saves its state this often. */
  readonly checkpoints?: number;
}

interface Played {
  readonly assignment: Assignment;
  readonly startedMs: number;
  readonly totalMs: number;
  saved: number;
}

const beatEveryMs = 3_000;
const stepMs = 250;
const claimSeconds = 10;

export class PlayedWorker {
  readonly id: string;
  readonly #device: PlayedDevice;
  readonly #url: string;
  readonly #token: string;
  readonly #end = new AbortController();
  readonly #running = new Map<string, Played>();
  #taken = 0;
  #load: number;

  /** `token`: of an admin or to join, where one is needed. */
  static async join(url: string, device: PlayedDevice, token?: string): Promise<PlayedWorker> {
    const { name, type, platform, slots, labels = {}, telemetry } = device;
    const json = { name, type, platform, slots, labels, telemetry };
    const headers: Record<string, string> =
      token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await post(`${url}/api/workers`, json, headers, null);
    return new PlayedWorker(url, device, answer as Registered);
  }

  private constructor(url: string, device: PlayedDevice, { worker_id, worker_token }: Registered) {
    this.#device = device;
    this.#url = `${url}/api/workers/${worker_id}`;
    this.#token = worker_token;
    this.id = worker_id;
    this.#load = device.telemetry.cpu_load_percent ?? 20;
    void this.#beat();
    void this.#claim();
    void this.#work();
  }

  /** As when it loses its power: it says nothing any more. */
  die(): void {
    this.#end.abort();
  }

  async #beat(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const { telemetry, rests } = this.#device;
      const aim = this.#running.size === 0 ? 8 : (telemetry.cpu_load_percent ?? 60);
      // Walks around what it aims at, the same way in every run.
      this.#load += (aim - this.#load) * 0.3 + 6 * Math.sin(Date.now() / 9_000 + this.#taken);
      const cpu = Math.min(100, Math.max(1, this.#load));
      const running = [...this.#running.values()].map((played) => ({
        ...refOf(played.assignment),
        progress: progressOf(played),
      }));
      await this.#post('heartbeat', {
        telemetry: { ...telemetry, cpu_load_percent: cpu },
        running,
        ...(rests === undefined ? {} : { rest: { because: rests } }),
      });
      await this.#pause(beatEveryMs);
    }
  }

  async #claim(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const free = this.#device.slots - this.#running.size;
      if (free === 0) {
        await this.#pause(stepMs);
        continue;
      }
      const answer = await this.#post('claim', { max: free, wait_seconds: claimSeconds });
      for (const assignment of (answer as Claimed | null)?.assignments ?? [])
        this.#begin(assignment);
      if (answer === null) await this.#pause(beatEveryMs);
    }
  }

  #begin(assignment: Assignment): void {
    const { slowness = 1 } = this.#device;
    const { seconds = 0.2 } = assignment.input as Partial<PlayedInput>;
    this.#taken++;
    // No two tasks take exactly as long.
    const spread = 0.7 + 0.6 * ((assignment.index * 7919) % 101) * 0.01;
    this.#running.set(assignment.task_id, {
      assignment,
      startedMs: Date.now(),
      totalMs: 1_000 * seconds * slowness * spread,
      saved: 0,
    });
    void this.#post('report', { started: [refOf(assignment)] });
  }

  async #work(): Promise<void> {
    while (!this.#end.signal.aborted) {
      await this.#pause(stepMs);
      const report = this.#report();
      if (Object.values(report).some((entries) => entries.length > 0)) {
        await this.#post('report', report);
      }
    }
  }

  #report(): Record<'results' | 'failures' | 'checkpoints', object[]> {
    const report = {
      results: [] as object[],
      failures: [] as object[],
      checkpoints: [] as object[],
    };
    for (const played of this.#running.values()) {
      const { assignment } = played;
      const input = assignment.input as PlayedInput;
      const progress = progressOf(played);
      const due = Math.floor(progress * ((input.checkpoints ?? 0) + 1));
      if (progress < 1 && due > played.saved) {
        played.saved = due;
        const state = { at: progress };
        report.checkpoints.push({ ...refOf(assignment), sequence: due, progress, state });
      }
      if (progress < 1) continue;
      this.#running.delete(assignment.task_id);
      const run_ms = Date.now() - played.startedMs;
      const error = this.#errorOf(assignment);
      if (error === null) {
        const value = { index: assignment.index, seconds: run_ms / 1000 };
        report.results.push({ ...refOf(assignment), value, run_ms, energy_joules: run_ms / 250 });
      } else {
        const [error_type, error_message] = error;
        report.failures.push({ ...refOf(assignment), error_type, error_message, run_ms });
      }
    }
    return report;
  }

  #errorOf({ input, index }: Assignment): readonly [string, string] | null {
    const { error } = input as PlayedInput;
    if (error !== undefined) return ['RangeError', `${error} ${index}`];
    const { failsEvery = 0 } = this.#device;
    const fails = failsEvery > 0 && this.#taken % failsEvery === 0;
    return fails ? ['TypeError', "cannot read properties of undefined (reading 'length')"] : null;
  }

  #post(call: string, json: object): Promise<unknown> {
    const { signal } = this.#end;
    const headers = { authorization: `Bearer ${this.#token}` };
    return post(`${this.#url}/${call}`, json, headers, signal).catch(() => null);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

function progressOf({ startedMs, totalMs }: Played): number {
  return Math.min(1, (Date.now() - startedMs) / totalMs);
}

interface Registered {
  readonly worker_id: string;
  readonly worker_token: string;
}

interface Claimed {
  readonly assignments: readonly Assignment[];
}

const refOf = ({ task_id, attempt, token }: Assignment) => ({ task_id, attempt, token });

async function post(
  url: string,
  json: object,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | null,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(json),
    signal,
  });
  const answer = (await response.json()) as { readonly detail?: string };
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}
