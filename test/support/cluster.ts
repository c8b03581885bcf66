// A coordinator (or several on one database) and its workers as real processes with a real store in a folder of their
// own, for one test. Everything is removed when the test is over. Nothing here waits for a fixed time: it
// waits for the output of a process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { JobSubmission, JobSummary, MusterClient } from '../../src/client/index.ts';
import { ClusterMember, servedUrl } from './cluster-member.ts';
import { freePort } from './free-port.ts';
import {
  type End,
  eventually,
  MusterProcess,
  type MusterProcessOptions,
} from './muster-process.ts';
import { whenOver } from './when-over.ts';

export { servedUrl };

export interface ClusterOptions {
  readonly workers?: number;
  readonly slots?: number;
  /** More flags for `serve`. */
  readonly flags?: readonly string[];
  /**
   * `--store` of the coordinator, or of each by its number; a file in the folder of the cluster when it is left out,
   * which only one coordinator can share.
   */
  readonly store?: string | ((member: number) => string);
  /** With more than one each is a member of the cluster (`--advertise`), and has a data folder of its own. */
  readonly coordinators?: number;
  /** Each has a certificate of its own. */
  readonly isSecure?: boolean;
  /** Where the other members reach the one with this number, at first its address. */
  readonly advertise?: (url: string, member: number) => string;
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
  /** All coordinators; the first of them is meant where only one is spoken of. */
  readonly members: readonly ClusterMember[];
  readonly #stores: string[];

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const ports: number[] = [];
    for (let i = 0; i < (options.coordinators ?? 1); i++) ports.push(await freePort());
    const cluster = new Cluster(ports, options);
    await Promise.all(cluster.members.map((member) => member.serve()));
    for (let i = 0; i < (options.workers ?? 0); i++) {
      await cluster.addWorker(options.slots ?? 1, cluster.members[i % ports.length]!.address);
    }
    return cluster;
  }

  private constructor(
    ports: readonly number[],
    { flags = [], store = `sqlite:${this.storePath}`, isSecure = false, advertise }: ClusterOptions,
  ) {
    // Registered first, so it runs last, when the processes have ended.
    whenOver(() => rmSync(this.folder, { recursive: true, force: true }));
    this.#stores = ports.map((_, i) => (typeof store === 'string' ? store : store(i)));
    this.members = ports.map((port, i) => {
      const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
      const reached = advertise?.(url, i) ?? url;
      const own =
        ports.length === 1 ? [] : ['--advertise', reached, '--data-dir', `member-${i + 1}`];
      return new ClusterMember(url, reached, (args, each) => this.#serve(i, args, each), [
        ...own,
        ...(isSecure ? ['--tls', 'self-signed'] : []),
        ...flags,
      ]);
    });
    this.url = this.members[0]!.url;
  }

  get client(): MusterClient {
    return this.members[0]!.client;
  }

  get coordinator(): MusterProcess {
    return this.members[0]!.process;
  }

  set coordinator(process: MusterProcess) {
    this.members[0]!.process = process;
  }

  get storePath(): string {
    return join(this.folder, 'muster.db');
  }

  /** Starts the coordinator, also again after its end, on the same port and store. */
  async serve(options: Partial<MusterProcessOptions> = {}): Promise<void> {
    await this.members[0]!.serve(options);
  }

  /** The same with another store. */
  async serveOn(store: string): Promise<void> {
    this.#stores[0] = store;
    await this.serve();
  }

  /** Another coordinator process on the store of this cluster, whatever becomes of it. */
  serveArgs(args: readonly string[], options: Partial<MusterProcessOptions> = {}): MusterProcess {
    return this.#serve(0, args, options);
  }

  #serve(
    member: number,
    args: readonly string[],
    options?: Partial<MusterProcessOptions>,
  ): MusterProcess {
    return this.run(['serve', '--store', this.#stores[member]!, ...args], options);
  }

  /** The member that leads, by the database and by what it says itself, as soon as there is one. */
  async leader(): Promise<ClusterMember> {
    const find = async () => {
      const looks = await Promise.all(this.members.map((member) => member.look()));
      return this.members.find((member, i) => {
        const self = looks[i]?.members.find((each) => each.is_self);
        return (
          looks[i]?.role === 'leading' &&
          self?.is_leader === true &&
          self.url.replace(/#.*$/, '') === member.advertised
        );
      });
    };
    return (await eventually(find, (found) => found !== undefined))!;
  }

  /** Those that do not lead at this moment, in their order. */
  async followers(): Promise<readonly ClusterMember[]> {
    const leader = await this.leader();
    return this.members.filter((member) => member !== leader);
  }

  async addWorker(slots = 1, url = this.url): Promise<ClusterWorker> {
    const process = this.startWorker(`worker-${this.workers.length + 1}`, slots, url);
    const id = await process.line((line) => /Connected as worker ([^".]+)\./.exec(line)?.[1]);
    this.workers.push({ id, process });
    return { id, process };
  }

  /** Starts a worker process and does not wait for it. The same name is the same worker again. */
  startWorker(name: string, slots: number, url = this.url): MusterProcess {
    const stateDir = join(this.folder, name);
    const flags = ['--name', name, '--slots', String(slots), '--state-dir', stateDir, '--json'];
    return this.run(['worker', url, ...flags]);
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
