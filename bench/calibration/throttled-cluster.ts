// A real coordinator and a real worker for each device, as processes of their own, on a fresh database.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ExportedAttempt, MusterClient } from '../../src/client/index.ts';
import { Stage, until } from '../stage.ts';
import type { Contender } from './contenders.ts';
import { deviceLabel, devices, turnMs } from './devices.ts';
import { Throttle } from './throttle.ts';
import { submissionOf, type Work } from './work.ts';

/** A job that is over. Times in milliseconds since the epoch. */
export interface DoneJob {
  readonly id: string;
  readonly submittedAt: number;
  /** By the time of their end. */
  readonly attempts: readonly ExportedAttempt[];
}

export class ThrottledCluster {
  readonly client: MusterClient;
  readonly #stage: Stage;
  readonly #pids: readonly number[];
  readonly #halt: AbortSignal;
  #throttle: Throttle | null = null;

  /** Ready to work, at full speed. Registered in the order of the devices. */
  static async start(
    { algorithm, weights }: Contender,
    halt: AbortSignal,
  ): Promise<ThrottledCluster> {
    const stage = await Stage.open(['--workers', '0'], 0);
    try {
      await stage.client.scheduler.configure({ algorithm, weights });
      const pids: number[] = [];
      for (const { name } of devices) {
        pids.push(stage.startWorker(name, 1, ['--label', `${deviceLabel}=${name}`]));
        await stage.online(pids.length);
      }
      return new ThrottledCluster(stage, pids, halt);
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  private constructor(stage: Stage, pids: readonly number[], halt: AbortSignal) {
    this.#stage = stage;
    this.#pids = pids;
    this.#halt = halt;
    this.client = stage.client;
  }

  /** When processes that were just started have begun, and nothing is done any more. */
  async rest(): Promise<void> {
    for (let round = 0, used = Infinity; round < mostLooks && used > restingCores; round++) {
      this.#halt.throwIfAborted();
      const before = this.#stage.cpuSeconds();
      await sleep(restMs);
      used = (1000 * (this.#stage.cpuSeconds() - before)) / restMs;
    }
  }

  async throttle(): Promise<void> {
    this.#throttle = await Throttle.start(
      devices.map(({ share }, place) => ({ pid: this.#pids[place]!, share })),
      turnMs,
    );
  }

  /** Throws when not every task was completed at its first attempt: that is no run to be compared. */
  async run(works: readonly Work[]): Promise<readonly DoneJob[]> {
    const { client } = this;
    const jobs = await Promise.all(works.map((work) => client.submit(submissionOf(work))));
    return Promise.all(jobs.map(({ id }) => this.#end(id)));
  }

  /** How long the coordinator took to make a batch durable, on average so far. */
  async commitMs(): Promise<number> {
    const text = await (await fetch(`${this.#stage.url}/metrics`)).text();
    const value = (name: string) =>
      Number(new RegExp(`^muster_commit_seconds_${name} (.+)$`, 'm').exec(text)?.[1]);
    return (1000 * value('sum')) / value('count');
  }

  /** The mean of the round trips that the workers have measured last. */
  async latencyMs(): Promise<number> {
    const told = (await this.client.workers()).flatMap(
      ({ telemetry }) => telemetry.network_latency_ms ?? [],
    );
    return told.length === 0 ? 1 : told.reduce((sum, each) => sum + each, 0) / told.length;
  }

  async close(): Promise<void> {
    await this.#throttle?.end();
    await this.#stage.close();
  }

  async #end(id: string): Promise<DoneJob> {
    const { client } = this;
    await until(async () => {
      this.#halt.throwIfAborted();
      await sleep(lookEveryMs);
      return (await client.job(id)).completed_at !== null;
    });
    const attempts: ExportedAttempt[] = [];
    for await (const row of client.evaluation.exportAttempts({ jobId: id })) attempts.push(row);
    const wrong = attempts.find(({ outcome, attempt }) => outcome !== 'completed' || attempt > 1);
    if (wrong !== undefined) {
      throw new Error(`Attempt ${wrong.attempt} of ${wrong.task_id} was ${wrong.outcome}.`);
    }
    attempts.sort((a, b) => Date.parse(a.ended_at) - Date.parse(b.ended_at));
    return { id, submittedAt: Date.parse(attempts[0]!.submitted_at), attempts };
  }
}

/** How many cores processes use that do nothing, how long they are looked at, and how often at most. */
const restingCores = 0.1;
const restMs = 500;
const mostLooks = 20;
/** Seldom enough to disturb nobody. */
const lookEveryMs = 100;
