// What a monitoring system asks for every few seconds (Prometheus text format). Everything comes from counters
// that are moved as things happen, and from what memory holds; the store is never read. What happened to jobs,
// tasks and attempts is counted since the database was made, by its durable totals: that never falls, over a
// restart neither. What became of workers and how long things took is counted since the process began. What is not
// known here is not told at all: 0 slots or 0 bytes free would wake somebody.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ToldEvent } from '../core/told-events.ts';
import { CensusMetrics } from './census-metrics.ts';
import { ClusterMetrics, type PassedOutcome } from './cluster-metrics.ts';
import { FileMetrics, type StoreFiles } from './file-metrics.ts';
import type { DiskRoom } from '../coordinator/port/disk-room.ts';
import type { ClusterPort } from '../cluster/port.ts';
import type { ReadPort } from '../coordinator/port/reads.ts';

export interface MetricsOptions {
  readonly version: string;
  /** Absent: the store is in memory, or on a server. */
  readonly storeFiles?: () => StoreFiles;
  readonly disk?: Pick<DiskRoom, 'isFull'>;
}

const commitSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const requestSeconds = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const loopResolutionMs = 20;

export class Metrics {
  readonly contentType: string;
  readonly #registry = new Registry();
  readonly #options: MetricsOptions;
  readonly #census = new CensusMetrics();
  readonly #files: FileMetrics | null;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: loopResolutionMs });
  readonly #loop = this.#gauge(
    'muster_event_loop_delay_seconds',
    'How late the event loop was since it was asked last',
    'quantile',
  );
  readonly #memory = this.#gauge('process_resident_memory_bytes', 'Memory of the process');
  readonly #heap = this.#gauge('nodejs_heap_size_used_bytes', 'JavaScript heap in use');
  readonly #overloaded = this.#gauge('muster_overloaded', '1 while new work is refused, else 0');
  readonly #diskFull = this.#gauge(
    'muster_disk_full',
    '1 while jobs and blobs are refused because the disk is nearly full, else 0',
  );
  readonly #cpu = this.#counter('process_cpu_seconds_total', 'CPU time of the process');
  readonly #notifications = this.#counter(
    'muster_notifications_total',
    'Attempts to tell somebody of the end of a job, by what came of them',
    'outcome',
  );
  readonly #workerEvents = this.#counter(
    'muster_worker_events_total',
    'What happened to workers',
    'event',
  );
  readonly #refused = this.#counter(
    'muster_refused_total',
    'Requests and connections that passed a quota of a token or a limit of an address',
    'quota',
  );
  readonly #commits = new Histogram({
    name: 'muster_commit_seconds',
    help: 'How long commits took',
    buckets: commitSeconds,
    registers: [this.#registry],
  });
  readonly #requests = new Histogram({
    name: 'muster_http_request_seconds',
    help: 'How long requests took, to the end of their answer',
    labelNames: ['method', 'route', 'status'],
    buckets: requestSeconds,
    registers: [this.#registry],
  });
  #cluster: ClusterMetrics | null = null;
  #cpuSeconds = 0;

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.contentType = this.#registry.contentType;
    const { storeFiles } = options;
    this.#files = storeFiles === undefined ? null : new FileMetrics(this.#registry, storeFiles);
    this.#gauge('muster_build_info', 'Always 1', 'version', 'node').set(
      { version: options.version, node: process.version.slice(1) },
      1,
    );
    this.#gauge('process_start_time_seconds', 'When the process was started').set(
      Math.round(Date.now() / 1000 - process.uptime()),
    );
    for (const event of workerEvents.values()) this.#workerEvents.inc({ event }, 0);
    for (const outcome of Object.values(told)) this.#notifications.inc({ outcome }, 0);
    this.#loopDelay.enable();
  }

  readonly observeCommit = (microseconds: number): void => {
    this.#commits.observe(microseconds / 1e6);
  };

  /** `route` is its pattern, as it was declared: there are only so many. */
  observeRequest(method: string, route: string, status: number, ms: number): void {
    const kind = `${Math.floor(status / 100)}xx`;
    this.#requests.observe({ method, route, status: kind }, ms / 1000);
  }

  /** `quota`: its name, of which there are only so many. */
  countRefusal(quota: string): void {
    this.#refused.inc({ quota });
  }

  /** From here on the figures of the cluster are told too. */
  watchCluster(cluster: Pick<ClusterPort, 'role' | 'figures' | 'isCutOff'>): void {
    this.#cluster ??= new ClusterMetrics(this.#registry, cluster);
  }

  /** What became of a request that was to be passed on to the leader. */
  countPassed(outcome: PassedOutcome): void {
    this.#cluster?.countPassed(outcome);
  }

  /** After the commit. */
  readonly hear = (events: readonly ToldEvent[]): void => {
    for (const event of events) {
      const word = workerEvents.get(event.type);
      if (word !== undefined) this.#workerEvents.inc({ event: word });
      if (event.type !== 'notification_tried') continue;
      this.#notifications.inc({ outcome: told[event.notification.outcome] });
    }
  };

  /** `reads`: undefined while there is no coordinator. */
  async render(
    isOverloaded: boolean,
    reads: Pick<ReadPort, 'census'> | undefined,
  ): Promise<string> {
    this.#overloaded.set(isOverloaded ? 1 : 0);
    this.#diskFull.set(this.#options.disk?.isFull === true ? 1 : 0);
    this.#cluster?.set();
    this.#setProcess();
    const own = await this.#registry.metrics();
    return reads === undefined ? own : `${await this.#census.render(await reads.census())}\n${own}`;
  }

  #setProcess(): void {
    this.#files?.set();
    const memory = process.memoryUsage();
    this.#memory.set(memory.rss);
    this.#heap.set(memory.heapUsed);
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    this.#cpu.inc(Math.max(0, cpuSeconds - this.#cpuSeconds));
    this.#cpuSeconds = cpuSeconds;
    for (const [quantile, nanoseconds] of Object.entries(this.#loopDelays())) {
      this.#loop.set({ quantile }, nanoseconds / 1e9);
    }
    this.#loopDelay.reset();
  }

  /** It measures how long a timer takes, the timer's own time included. */
  #loopDelays(): Readonly<Record<string, number>> {
    const own = loopResolutionMs * 1e6;
    const { percentiles, max } = this.#loopDelay;
    const at = (percent: number) =>
      percentiles.size === 0 ? own : this.#loopDelay.percentile(percent);
    const late = (nanoseconds: number) => Math.max(0, nanoseconds - own);
    return { '0.5': late(at(50)), '0.99': late(at(99)), '1': late(max) };
  }

  #gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }

  #counter(name: string, help: string, ...labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}

/** One that is due still is tried again. */
const told = { delivered: 'delivered', due: 'failed', given_up: 'given_up' } as const;

const workerEvents = new Map<string, string>([
  ['worker_registered', 'registered'],
  ['worker_connected', 'connected'],
  ['worker_disconnected', 'disconnected'],
  ['worker_lost', 'lost'],
  ['worker_quarantined', 'quarantined'],
  ['worker_released', 'released'],
  ['worker_drained', 'drained'],
  ['worker_approved', 'approved'],
  ['worker_deregistered', 'deregistered'],
]);
