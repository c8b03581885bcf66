// The dashboard in a real browser beside a lab of 500 workers, 1 000 jobs and 10 000 tasks that goes on all the time:
// what each page costs while it is open, whether its memory grows, how soon it can be used, and what it costs the
// coordinator. Coordinator, lab, browser and this program share the processors.

import type { Browser } from 'playwright-core';
import { launchBrowser } from '../test/support/browser.ts';
import { pagesBuilt } from '../test/support/dashboard/visitor.ts';
import { type Cluster, cpuSeconds, memoryMb, startCluster } from './cluster.ts';
import { reportColdLoads } from './dashboard/cold-load.ts';
import { pause } from './dashboard/figures.ts';
import { type RunningLab, startLab } from './dashboard/lab.ts';
import { reportMemory, reportRounds } from './dashboard/memory.ts';
import { reportPages } from './dashboard/open-pages.ts';
import { measuredPages } from './dashboard/pages.ts';
import { reportSizes } from './dashboard/script-sizes.ts';
import { reportStreams } from './dashboard/streams.ts';

type Print = (line: string) => void;

export interface DashboardBench {
  /** For each page. */
  readonly seconds: number;
  /** For which the overview stays open. */
  readonly minutes: number;
}

const idleMs = 5_000;
const sampledCounters = 10;

export async function benchDashboard(
  print: Print,
  { seconds, minutes }: DashboardBench,
): Promise<void> {
  // As many ended jobs stay as there are at first.
  const cluster = await startCluster(0, ['--log-level', 'error', '--keep-jobs', '800']);
  let lab: RunningLab | undefined;
  let browser: Browser | undefined;
  try {
    await pagesBuilt(cluster.url);
    await reportSizes(print);
    lab = await startLab(cluster.url);
    await describe(cluster, lab, print);
    browser = await launchBrowser();
    const [worker] = await cluster.client.workers();
    const pages = measuredPages({ biggestJob: lab.biggestJob, worker: worker!.id });
    await reportPages(cluster, browser, pages, seconds, print);
    await reportMemory(browser, cluster.url, minutes, print);
    const paths = [...new Set(pages.map(({ path }) => path))];
    await reportRounds(browser, cluster.url, paths, print);
    await reportColdLoads(browser, cluster.url, print);
    await browser.close();
    await reportStreams(cluster, print);
    await describe(cluster, lab, print);
  } finally {
    await browser?.close();
    await lab?.end();
    await cluster.stop();
  }
}

/** What there is, and what it takes while nobody looks. */
async function describe(cluster: Cluster, lab: RunningLab, print: Print): Promise<void> {
  const { client, pid } = cluster;
  const processes = [pid, lab.pid];
  const before = processes.map((each) => cpuSeconds(each)!);
  await pause(idleMs);
  const used = processes.map((each, i) => ((cpuSeconds(each)! - before[i]!) / idleMs) * 1e6);
  // Of jobs that are removed meanwhile no total tells.
  let [completed, seconds, seen] = [0, 0, 0];
  for await (const told of client.events({ types: ['counters'] })) {
    if (told.type !== 'counters') continue;
    completed += told.completed_since;
    seconds += told.interval_seconds;
    if (++seen < sampledCounters) continue;
    const { workers, jobs, tasks, slots } = told;
    print(`workers: ${listed(workers)}; ${slots.taken} of ${slots.total} slots taken`);
    print(`jobs: ${listed(jobs)}; of open jobs the tasks: ${listed(tasks)}`);
    break;
  }
  print(
    `${(completed / seconds).toFixed(1)} tasks completed a second; nobody looks: coordinator ` +
      `${used[0]!.toFixed(0)} ms of CPU a second, ${memoryMb(pid)!.now.toFixed(0)} MB; ` +
      `the lab ${used[1]!.toFixed(0)} ms a second`,
  );
}

const listed = (counts: object): string =>
  Object.entries(counts)
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');
