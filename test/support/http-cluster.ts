// A real coordinator whose workers are made up and speak plain HTTP. Who was given a task is known
// from the worker that has claimed it, and told by the name of that worker.

import { deepEqual, equal } from 'node:assert/strict';
import type { JobSubmission, MusterClient, SchedulerChange } from '../../src/client/index.ts';
import { Cluster } from './cluster.ts';
import { type HttpDevice, HttpWorker } from './http-worker.ts';
import { eventually } from './muster-process.ts';

/** Made-up workers send heartbeats only when a test says so; the long lease does not end meanwhile. */
const flags = ['--heartbeat-seconds', '60'];

export type JobDetails = Partial<Omit<JobSubmission, 'program' | 'inputs'>>;

export class HttpCluster {
  readonly client: MusterClient;
  private readonly url: string;
  private readonly workers = new Map<string, HttpWorker>();

  static async start(change: SchedulerChange): Promise<HttpCluster> {
    const cluster = new HttpCluster(await Cluster.start({ flags }));
    await cluster.client.scheduler.configure(change);
    return cluster;
  }

  private constructor({ client, url }: Cluster) {
    this.client = client;
    this.url = url;
  }

  async join(name: string, device: HttpDevice = {}): Promise<HttpWorker> {
    const worker = await HttpWorker.join(this.url, name, device);
    this.workers.set(worker.id, worker);
    return worker;
  }

  async leave({ id }: HttpWorker): Promise<void> {
    await this.client.deregister(id);
    this.workers.delete(id);
  }

  /** A job of so many tasks; its id. */
  async submit(count: number, more: JobDetails = {}): Promise<string> {
    const program = { kind: 'javascript', source: 'export default (n) => n' } as const;
    const { id } = await this.client.submit({
      program,
      inputs: { range: { start: 0, count } },
      ...more,
    });
    return id;
  }

  /**
   * Submits a job of so many tasks, for all of which there is room, and lets the workers claim them:
   * the names of the workers by task, which is the order of the decisions.
   */
  async deal(count: number, more: JobDetails = {}): Promise<readonly string[]> {
    const jobId = await this.submit(count, more);
    const { tasks } = await eventually(
      () => this.client.job(jobId),
      (job) => job.tasks.every(({ worker_id }) => worker_id !== null),
    );
    const holders = new Map<string, string>();
    for (const worker of this.workers.values()) {
      const expected = tasks.filter(({ worker_id }) => worker_id === worker.id);
      const claimed = await worker.claim(expected.length);
      deepEqual(new Set(claimed), new Set(expected.map(({ id }) => id)));
      for (const id of claimed) holders.set(id, worker.name);
    }
    equal(holders.size, count);
    return tasks.map(({ id }) => holders.get(id)!);
  }

  /** Tasks that only this worker may run, and that it holds. */
  async occupy({ name }: HttpWorker, count: number): Promise<void> {
    await this.deal(count, { requirements: { labels: { name } } });
  }

  /** So many tasks one after the other, each completed before the next is submitted. */
  async turns(count: number): Promise<readonly string[]> {
    const names: string[] = [];
    for (let turn = 0; turn < count; turn++) {
      names.push(...(await this.deal(1)));
      await this.completeAll();
    }
    return names;
  }

  async completeAll(): Promise<void> {
    for (const worker of this.workers.values()) await worker.complete();
  }

  async beatAll(): Promise<void> {
    for (const worker of this.workers.values()) await worker.beat();
  }

  /** The names of the workers in the ranking behind the last decision, best first. */
  async ranking(): Promise<readonly string[]> {
    const { workers } = await this.client.scheduler.info();
    const ranks = workers.map(({ rank }) => rank);
    deepEqual(
      ranks,
      Array.from(ranks, (_, row) => row + 1),
    );
    return workers.map(({ worker_id }) => this.nameOf(worker_id));
  }

  /** The name of the worker that the last decision selected; the two ways of saying it agree. */
  async selected(): Promise<string> {
    const { last_decision: last, workers } = await this.client.scheduler.info();
    const selected = workers.filter((worker) => worker.selected).map(({ worker_id }) => worker_id);
    deepEqual(selected, [last?.worker_id]);
    return this.nameOf(selected[0]!);
  }

  private nameOf(id: string): string {
    return this.workers.get(id)?.name ?? id;
  }
}
