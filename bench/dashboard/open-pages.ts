// Each page while it is open: its frames, the tasks of its thread, its processor time and memory, and what it costs the
// coordinator.

import type { Browser } from 'playwright-core';
import { type Cluster, cpuSeconds } from '../cluster.ts';
import { pause, quantile, shareOver, tableOf } from './figures.ts';
import { type PageMetrics, PageProbe } from './page-probe.ts';
import type { MeasuredPage } from './pages.ts';
import { TaskTrace } from './task-trace.ts';

const settledMs = 3_000;
const frameMs = 16;
/** A frame that comes later than the one that was due; a little more than the pause between frames. */
const lateMs = [17.5, 34, 51] as const;

export async function reportPages(
  cluster: Pick<Cluster, 'url' | 'pid'>,
  browser: Browser,
  pages: readonly MeasuredPage[],
  seconds: number,
  print: (line: string) => void,
): Promise<void> {
  print(`\neach page open for ${seconds} s: frames, tasks of its thread, processor time, memory`);
  const rows: string[][] = [];
  const probe = await PageProbe.open(browser, cluster.url);
  await probe.countBytes();
  probe.page.on('pageerror', ({ message }) => print(`the page says: ${message}`));
  try {
    for (const page of pages) rows.push(await measure(cluster, { browser, probe }, page, seconds));
  } finally {
    await probe.close();
  }
  const late = lateMs.map((ms) => `> ${ms} ms`);
  const ofFrames = ['frames p50', 'p95', 'p99', 'max', ...late];
  const ofTasks = ['tasks > 50 ms', 'longest', 'of CPU > 16 ms', 'longest'];
  const ofTime = ['CPU ms/s', 'script', 'layout, style'];
  const ofMemory = ['heap MB', 'nodes', 'listeners'];
  const heads = ['page', ...ofFrames, ...ofTasks, ...ofTime, ...ofMemory];
  heads.push('kB/s', 'coordinator ms/s');
  for (const line of tableOf([heads, ...rows])) print(line);
}

async function measure(
  cluster: Pick<Cluster, 'pid'>,
  { browser, probe }: { readonly browser: Browser; readonly probe: PageProbe },
  { name, path, prepare, act }: MeasuredPage,
  seconds: number,
): Promise<string[]> {
  await probe.go(path);
  await probe.page.locator('main h1').first().waitFor({ timeout: 60_000 });
  await prepare?.(probe.page);
  await pause(settledMs);
  const before = await probe.metricsAfterCollection();
  const usedBefore = cpuSeconds(cluster.pid)!;
  const receivedBefore = probe.receivedBytes;
  const trace = await TaskTrace.begin(browser);
  await probe.begin();
  const startedAt = performance.now();
  while (performance.now() < startedAt + seconds * 1000) await (act?.(probe.page) ?? pause(100));
  const { frames, long } = await probe.recorded();
  const after = await probe.metrics();
  const took = (performance.now() - startedAt) / 1000;
  const perSecond = (of: keyof PageMetrics) => ((after[of] - before[of]) * 1000) / took;
  const tasks = await trace.end();
  const left = await probe.metricsAfterCollection();
  return [
    name,
    ...[0.5, 0.95, 0.99, 1].map((share) => quantile(frames, share).toFixed(1)),
    ...lateMs.map((limit) => `${(shareOver(frames, limit) * 100).toFixed(1)} %`),
    String(long.length),
    Math.max(0, ...long.map(({ ms }) => ms)).toFixed(0),
    String(tasks.filter((ms) => ms > frameMs).length),
    Math.max(0, ...tasks).toFixed(1),
    perSecond('TaskDuration').toFixed(0),
    perSecond('ScriptDuration').toFixed(0),
    (perSecond('LayoutDuration') + perSecond('RecalcStyleDuration')).toFixed(0),
    (left.JSHeapUsedSize / 1e6).toFixed(1),
    String(left.Nodes),
    String(left.JSEventListeners),
    ((probe.receivedBytes - receivedBefore) / 1000 / took).toFixed(0),
    (((cpuSeconds(cluster.pid)! - usedBefore) * 1000) / took).toFixed(0),
  ];
}
