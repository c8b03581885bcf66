// A coordinator and its workers as real processes with a real store in a folder of their own, for
// one test. Everything is removed when the test is over. Nothing here waits for a fixed time: it
// waits for the output of a process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import {
  connect,
  type JobSubmission,
  type JobSummary,
  type MusterClient,
} from '../../src/client/index.ts';
import { freePort } from './free-port.ts';
import {
  type End,
  eventually,
  MusterProcess,
  type MusterProcessOptions,
} from './muster-process.ts';

export interface ClusterOptions {
  readonly workers?: number;
  readonly slots?: number;
  /** More flags for `serve`. */
  readonly flags?: readonly string[];
  /** `--store` of the coordinator; a file in the folder of the cluster when it is left out. */
  readonly store?: string;
}

export interface ClusterWorker {
  /** As the coordinator knows it. */
  readonly id: string;
  readonly process: MusterProcess;
}

/** The job, or what is wrong. */
export type Submitted = JobSummary & { readonly code?: string; readonly detail?: string };

export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'muster-cluster-'));
  readonly workers: ClusterWorker[] = [];
  readonly url: string;
  readonly client: MusterClient;
  coordinator!: MusterProcess;
  readonly #flags: readonly string[];
  readonly #store: string;

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(await freePort(), options);
    await cluster.serve();
    for (let i = 0; i < (options.workers ?? 0); i++) await cluster.addWorker(options.slots ?? 1);
    return cluster;
  }

  private constructor(port: number, { flags = [], store }: ClusterOptions) {
    // Registered first, so it runs last, when the processes have ended.
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    this.url = `http://127.0.0.1:${port}`;
    this.client = connect(this.url);
    this.#flags = flags;
    this.#store = store ?? `sqlite:${this.storePath}`;
  }

  get storePath(): string {
    return join(this.folder, 'muster.db');
  }

  /** Starts the coordinator, also again after its end, on the same port and store. */
  async serve(options: Partial<MusterProcessOptions> = {}): Promise<void> {
    this.coordinator = this.serveArgs(['--port', new URL(this.url).port, ...this.#flags], options);
    await this.coordinator.line(servedUrl);
  }

  /** Another coordinator process on the store of this cluster, whatever becomes of it. */
  serveArgs(args: readonly string[], options: Partial<MusterProcessOptions> = {}): MusterProcess {
    return this.run(['serve', '--store', this.#store, ...args], options);
  }

  async addWorker(slots = 1): Promise<ClusterWorker> {
    const process = this.startWorker(`worker-${this.workers.length + 1}`, slots);
    const id = await process.line((line) => /Connected as worker ([^".]+)\./.exec(line)?.[1]);
    this.workers.push({ id, process });
    return { id, process };
  }

  /** Starts a worker process and does not wait for it. The same name is the same worker again. */
  startWorker(name: string, slots: number): MusterProcess {
    const stateDir = join(this.folder, name);
    const flags = ['--name', name, '--slots', String(slots), '--state-dir', stateDir, '--json'];
    return this.run(['worker', this.url, ...flags]);
  }

  /** `muster ARGS` in the folder of the cluster. */
  run(args: readonly string[], options: Partial<MusterProcessOptions> = {}): MusterProcess {
    return new MusterProcess(args, { folder: this.folder, ...options });
  }

  /** Ids of all registered workers, sorted, as soon as all of them are there. */
  async onlineWorkers(): Promise<readonly string[]> {
    const workers = await eventually(
      () => this.client.workers(),
      (found) => found.every(({ status }) => status === 'online'),
    );
    return workers.map(({ id }) => id).toSorted();
  }

  /** Makes one request without the client's repeats. Rejects when no answer comes. */
  async submitOnce(job: JobSubmission): Promise<{ status: number; body: Submitted }> {
    const response = await fetch(`${this.url}/api/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(job),
    });
    return { status: response.status, body: (await response.json()) as Submitted };
  }

  async stop(): Promise<End> {
    this.coordinator.signal('SIGTERM');
    return this.coordinator.ended;
  }

  /** Reads the store directly, while others have it open. */
  query(sql: string): readonly Record<string, unknown>[] {
    const db = new DatabaseSync(this.storePath, { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }
}

export function servedUrl(line: string): string {
  return (JSON.parse(line) as { url: string }).url;
}
