// Readers that ask for a large result and never read it: what they cost the coordinator in memory above
// idle, and how long a health check on a new connection takes meanwhile.

import { connect as openSocket, type Socket } from 'node:net';
import { connect } from '../src/client/index.ts';
import { type Cluster, memoryMb, startCluster } from './cluster.ts';

const large = {
  kind: 'javascript',
  source: 'export default (n) => ({ n, text: "x".repeat(3_500) });',
} as const;
const tasks = 10_000;
const readers = 1_000;
const seconds = 20;

export async function benchReaders(print: (line: string) => void): Promise<void> {
  const cluster = await startCluster(2, ['--log-level', 'silent']);
  try {
    const muster = connect(cluster.url);
    const inputs = { range: { start: 0, count: tasks } };
    const { id } = await muster.submit({ program: large, inputs });
    let bytes = 0;
    for await (const { text } of muster.resultLines(id, { follow: true })) bytes += text.length;
    await pause(2_000);
    const idle = memoryMb(cluster.pid)!.now;
    print(`a result of ${(bytes / 1e6).toFixed(0)} MB; idle: ${idle.toFixed(0)} MB`);
    for (const path of [`/api/jobs/${id}/results`, `/api/jobs/${id}/results?follow=true`]) {
      print(await measure(cluster, path, idle));
    }
  } finally {
    await cluster.stop();
  }
}

async function measure(cluster: Cluster, path: string, idleMb: number): Promise<string> {
  const { port } = new URL(cluster.url);
  const sockets = Array.from({ length: readers }, () => openSocket(Number(port), '127.0.0.1'));
  for (const socket of sockets) ask(socket, path);
  const probe = { longest: 0, count: 0, failed: 0 };
  let peak = 0;
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const took = await health(Number(port), until);
    if (took === null) probe.failed++;
    else probe.longest = Math.max(probe.longest, took);
    probe.count++;
    peak = Math.max(peak, memoryMb(cluster.pid)!.now);
    await pause(20);
  }
  const after = memoryMb(cluster.pid)!.now;
  for (const socket of sockets) socket.destroy();
  const accepted = sockets.filter(({ bytesRead }) => bytesRead > 0).length;
  await pause(3_000);
  return (
    `${readers} readers of ${path.includes('follow') ? 'a stream' : 'an array'}, ${accepted} answered: ` +
    `${(after - idleMb).toFixed(0)} MB above idle (peak ${(peak - idleMb).toFixed(0)}), ` +
    `${(memoryMb(cluster.pid)!.now - idleMb).toFixed(0)} when they have left; ` +
    `health check on a new connection at most ${probe.longest.toFixed(0)} ms, ` +
    `${probe.failed} of ${probe.count} without an answer`
  );
}

/** Makes a request, reads the first bytes of the answer and no more. */
function ask(socket: Socket, path: string): void {
  socket.on('error', () => {});
  socket.once('readable', () => void socket.read(1));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
}

/** Milliseconds until the answer to a health check; null when none came before `until`. */
function health(port: number, until: number): Promise<number | null> {
  const startedAt = performance.now();
  const socket = openSocket(port, '127.0.0.1');
  return new Promise((resolve) => {
    const end = (answer: number | null) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(() => end(null), Math.max(0, until - startedAt));
    socket.on('error', () => end(null));
    socket.once('data', () => end(performance.now() - startedAt));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
