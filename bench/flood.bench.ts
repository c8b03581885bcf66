// A flood of submissions: clients that send jobs as fast as they can over connections of their own,
// without waiting for answers, to a coordinator with two real workers and a slow disk. Refusals
// must come in time, acknowledged jobs must be there in the end, and no worker may be lost.

import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Cluster, memoryMb, startCluster } from './cluster.ts';
import { probeHealth } from './health-probe.ts';

const clients = 64;
/** Submissions of one client without an answer, at most. */
const mostUnanswered = 200;
const floodMs = 20_000;
const commitMs = '20';
/** The same body for all: jobs are counted by their client. */
const body = JSON.stringify({
  client_id: 'flood',
  program: { kind: 'javascript', source: 'export default (n) => n' },
  inputs: [1],
});
const submission =
  'POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n' +
  `Content-Length: ${body.length}\r\n\r\n${body}`;

export async function benchFlood(print: (line: string) => void): Promise<void> {
  const slowDisk = ['--import', join(import.meta.dirname, 'slow-disk.ts')];
  const flags = ['--log-level', 'silent'];
  const cluster = await startCluster(2, flags, slowDisk, { MUSTER_BENCH_COMMIT_MS: commitMs });
  try {
    await measure(cluster, print);
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: Cluster, print: (line: string) => void): Promise<void> {
  const { url, pid } = cluster;
  const before = memoryMb(pid)?.now ?? 0;
  const workers = await ask<{ id: string }[]>(url, '/api/workers');
  const probe = probeHealth(url);
  const watch = watchWorkers(url);
  const flood = Array.from({ length: clients }, () => new Client(url));
  await pause(floodMs);
  await Promise.all(flood.map((client) => client.end()));
  const lost = await watch();
  const healthMs = await probe.stop();
  const answered = new Map<number, number>();
  for (const client of flood) {
    for (const [status, count] of client.statuses) {
      answered.set(status, (answered.get(status) ?? 0) + count);
    }
  }
  const stats = await ask<{ total_jobs: number }>(url, '/api/stats');
  const after = await ask<{ id: string }[]>(url, '/api/workers');
  const told = [...answered].sort(([a], [b]) => a - b).map(([status, n]) => `${n} × ${status}`);
  print(`answers: ${told.join(', ')}; without Retry-After: ${sum(flood, 'impatient')}`);
  print(`acknowledged ${answered.get(201) ?? 0}, jobs there ${stats.total_jobs}`);
  const kept = after.filter(({ id }) => workers.some((worker) => worker.id === id)).length;
  print(`workers ${workers.length}, kept ${kept}, seen offline ${lost} times`);
  const peak = memoryMb(pid)?.peak ?? 0;
  print(`memory ${before.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most`);
  print(`longest /healthz ${healthMs.toFixed(0)} ms`);
}

function sum(flood: readonly Client[], name: 'impatient'): number {
  return flood.reduce((total, client) => total + client[name], 0);
}

/** Sends submissions one after the other, with a bound on those without an answer. */
class Client {
  readonly statuses = new Map<number, number>();
  /** Refusals without `Retry-After`. */
  impatient = 0;
  private readonly socket: Socket;
  private unanswered = 0;
  private isEnding = false;
  private rest = '';
  private onEnd: () => void = () => undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = connect(Number(port), hostname, () => this.send());
    this.socket.setEncoding('latin1');
    this.socket.on('data', (text) => this.read(String(text)));
    this.socket.on('error', () => this.onEnd());
    this.socket.on('close', () => this.onEnd());
  }

  /** Resolves when everything was answered. */
  async end(): Promise<void> {
    this.isEnding = true;
    const isOver = this.unanswered === 0 || this.socket.destroyed;
    if (!isOver) await new Promise<void>((resolve) => (this.onEnd = resolve));
    this.socket.destroy();
  }

  private send(): void {
    if (this.isEnding) return;
    const count = mostUnanswered - this.unanswered;
    this.unanswered += count;
    this.socket.write(submission.repeat(count));
  }

  private read(text: string): void {
    this.rest += text;
    for (;;) {
      const headEnd = this.rest.indexOf('\r\n\r\n');
      if (headEnd < 0) break;
      const head = this.rest.slice(0, headEnd);
      const end = headEnd + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (this.rest.length < end) break;
      this.rest = this.rest.slice(end);
      this.answered(Number(head.slice(9, 12)), /retry-after:/i.test(head));
    }
    if (this.unanswered < mostUnanswered / 2) this.send();
  }

  private answered(status: number, tellsWhen: boolean): void {
    this.unanswered--;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status !== 201 && !tellsWhen) this.impatient++;
    if (this.isEnding && this.unanswered === 0) this.onEnd();
  }
}

/** How often a worker was seen offline. */
function watchWorkers(url: string): () => Promise<number> {
  let lost = 0;
  const end = new AbortController();
  const watching = (async () => {
    while (!end.signal.aborted) {
      const workers = await ask<{ status: string }[]>(url, '/api/workers');
      lost += workers.filter(({ status }) => status === 'offline').length;
      await pause(200);
    }
  })();
  return async () => {
    end.abort();
    await watching;
    return lost;
  };
}

/** Makes each request on a connection of its own. */
function ask<T>(url: string, path: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { agent: false }, (answer) => {
      answer.setEncoding('utf8');
      let text = '';
      answer.on('data', (piece: string) => (text += piece));
      answer.on('end', () => resolve(JSON.parse(text) as T));
    });
    asked.on('error', reject);
    asked.end();
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
