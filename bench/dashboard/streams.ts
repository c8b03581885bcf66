// What those who look on cost the coordinator: its processor time with none, one and ten streams of events that bring
// the counters, in turn within one run.

import { connect as openSocket, type Socket } from 'node:net';
import { type Cluster, cpuSeconds } from '../cluster.ts';
import { median, pause, tableOf } from './figures.ts';

type Print = (line: string) => void;

const counts = [0, 1, 10];
const rounds = 3;
const seconds = 10;
const settledMs = 1_500;

export async function reportStreams(cluster: Cluster, print: Print): Promise<void> {
  print(`\ncoordinator beside streams with counters, median of ${rounds} times ${seconds} s`);
  const found = new Map(counts.map((count) => [count, [] as { cpuMs: number; bytes: number }[]]));
  for (let i = 0; i < rounds; i++) {
    for (const count of counts) found.get(count)!.push(await beside(cluster, count));
  }
  const cpuOf = (count: number) => median(found.get(count)!.map(({ cpuMs }) => cpuMs));
  const rows = counts.map((count) => {
    const bytes = median(found.get(count)!.map((each) => each.bytes));
    return [
      String(count),
      cpuOf(count).toFixed(1),
      (cpuOf(count) / cpuOf(0)).toFixed(2),
      count === 0 ? '–' : ((cpuOf(count) - cpuOf(0)) / count).toFixed(2),
      count === 0 ? '–' : (bytes / count / 1000).toFixed(1),
    ];
  });
  const heads = ['streams', 'CPU ms/s', 'against none', 'ms/s for each', 'kB/s for each'];
  for (const line of tableOf([heads, ...rows])) print(line);
}

async function beside(cluster: Cluster, count: number): Promise<{ cpuMs: number; bytes: number }> {
  const { port, host } = new URL(cluster.url);
  const sockets = Array.from({ length: count }, () => openSocket(Number(port), '127.0.0.1'));
  for (const socket of sockets) follow(socket, host);
  await pause(settledMs);
  const bytesOf = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  const [used, received, startedAt] = [cpuSeconds(cluster.pid)!, bytesOf(), performance.now()];
  await pause(seconds * 1000);
  const took = (performance.now() - startedAt) / 1000;
  const cpuMs = ((cpuSeconds(cluster.pid)! - used) * 1000) / took;
  const bytes = (bytesOf() - received) / took;
  for (const socket of sockets) socket.destroy();
  await pause(settledMs);
  return { cpuMs, bytes };
}

function follow(socket: Socket, host: string): void {
  socket.resume();
  const path = '/api/events?types=counters,job_submitted,job_finished,worker_lost';
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
}
