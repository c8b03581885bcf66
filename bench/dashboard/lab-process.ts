// A lab of 500 devices, 1 000 jobs and 10 000 tasks in every state, which goes on for as long as it is looked at: tasks
// end, fail and are tried again, a job comes whenever another has ended, devices are lost and come back. A process of
// its own; it says on its channel when it stands.
// Run: node lab-process.ts URL

import { connect } from '../../src/client/index.ts';
import type { JobDetail } from '../../src/protocol/resources.ts';
import type { Assignment, Telemetry } from '../../src/protocol/messages.ts';
import { Crowd } from '../crowd.ts';
import type { Lab } from './lab.ts';

const devices = 500;
const endedJobs = 800;
const openJobs = 199;
/** Of the open ones: held, and wanting a device that is not there. */
const heldJobs = 15;
const waitingJobs = 14;
const submittersAtOnce = 40;
const tasksOfEnded = 5;
const tasksOfOpen = 10;
const biggest = { done: 1_400, left: 2_610 };
const newJobEveryMs = 1_250;
const lossEveryMs = 10_000;
const lostForMs = 30_000;

/** What an input says: how long it takes, and how often it fails. */
interface Input {
  readonly ms: number;
  readonly fails?: number;
}

const program = {
  kind: 'javascript',
  source: 'export default ({ ms }) => new Promise((end) => setTimeout(end, ms));',
} as const;
const clients = ['noor', 'ivo', 'tomas', 'ana', 'cron'];
const client = connect(process.argv[2]!);

const crowd = await Crowd.join(process.argv[2]!, {
  workers: devices,
  slots: 4,
  taskMs: ({ input }: Assignment) => (input as Input).ms,
  savesHalf: ({ input }) => (input as Input).ms > 60_000,
  errorOf: ({ input, attempt, index }, place) => {
    const { fails = 0 } = input as Input;
    if (attempt <= fails) return `row ${index} has no label`;
    // One device spoils what others finish, a few do so at times.
    return place === 77 || (place % 60 === 0 && index % 5 === 0) ? 'out of memory' : null;
  },
  deviceOf: (place) => {
    if (place % 10 === 9) return { name: `tab-${place}`, type: 'browser', slots: 1 };
    if (place % 10 < 6)
      return { name: `desk-${place}`, labels: { pool: place % 2 === 0 ? 'night' : 'day' } };
    return { name: `phone-${place}`, type: 'android_node', platform: 'android', slots: 2 };
  },
  telemetryOf,
  restOf: (place) => (place % 100 === 8 ? 'charging' : null),
});

await submitPast();
// On a half of the desks, so that others have their turn, too.
const big = await submit(
  'docking-batch',
  [...inputs(biggest.done, 100, 2_000), ...inputs(biggest.left, 200_000, 500_000)],
  { requirements: { labels: { pool: 'night' } } },
);
await untilLeft(big, biggest.left);
for (let i = 0; i < heldJobs; i++) {
  await submit(`waits-for-review-${i}`, inputs(tasksOfOpen, 20_000, 200_000), { hold: true });
}
for (let i = 0; i < waitingJobs; i++) {
  const labels = { gpu: 'yes' };
  const wanted = { requirements: { labels } };
  await submit(`render-${i}`, inputs(tasksOfOpen, 20_000, 200_000), wanted);
}
let submitted = 0;
for (let i = heldJobs + waitingJobs; i < openJobs; i++) await submitNext();
for (const worker of (await client.workers()).slice(0, 3)) await client.drain(worker.id);

const timers = [setInterval(() => void submitNext(), newJobEveryMs)];
let lost = 0;
timers.push(
  setInterval(() => void crowd.loseForMs(1 + (lost++ % 50) * 10, lostForMs), lossEveryMs),
);
process.on('disconnect', () => process.exit());
process.send!({ biggestJob: big } satisfies Lab);

/** Jobs that have ended: most of them well. */
async function submitPast(): Promise<void> {
  const under = Array.from({ length: submittersAtOnce }, async (_, lane) => {
    for (let i = lane; i < endedJobs; i += submittersAtOnce) {
      const [first, ...others] = inputs(tasksOfEnded, 5, 400);
      const fails = i % 20 === 0 ? 9 : i % 4 === 0 ? 1 : 0;
      const isCancelled = i % 50 === 7;
      const all = [{ ...first!, fails }, ...others];
      const id = await submit(`sweep-${i}`, all, { hold: isCancelled });
      if (isCancelled) await client.cancel(id);
      for await (const result of client.results(id, { follow: true })) void result;
    }
  });
  await Promise.all(under);
}

async function submitNext(): Promise<void> {
  const place = submitted++;
  const all = inputs(tasksOfOpen, 20_000, 200_000);
  // Each has one that is tried again, every tenth one that fails for good.
  const [first, ...others] = all;
  const fails = place % 10 === 0 ? 9 : 1;
  await submit(`survey-${place}`, [{ ms: first!.ms / 4, fails }, ...others], {
    priority: place % 5,
  });
}

function submit(name: string, all: readonly Input[], more: object = {}): Promise<string> {
  const client_id = clients[name.length % clients.length]!;
  const job = { name, client_id, program, retry_delay_seconds: 0.2, inputs: all as never, ...more };
  return client.submit(job).then(({ id }) => id);
}

/** So many, spread between the two, the same way each time. */
function inputs(count: number, leastMs: number, mostMs: number): Input[] {
  return Array.from({ length: count }, (_, place) => ({
    ms: Math.round(leastMs + ((mostMs - leastMs) * ((place * 7919) % 101)) / 100),
  }));
}

async function untilLeft(jobId: string, count: number): Promise<void> {
  for (;;) {
    const answer = await fetch(`${process.argv[2]}/api/jobs/${jobId}?tasks=false`);
    const { counts, task_count: all } = (await answer.json()) as JobDetail;
    if (all - counts.completed <= count) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function telemetryOf(place: number): Telemetry {
  const wave = Math.sin(Date.now() / 20_000 + place);
  const shared = {
    cpu_load_percent: Math.round(60 + 30 * wave),
    cpu_cores: 8,
    ram_available_mb: Math.round(5_000 + 2_000 * wave),
    ram_total_mb: 16_384,
    network_latency_ms: 2 + (place % 40),
    network_bandwidth_mbps: 200,
    power_watts: 40,
  };
  if (place % 10 < 6 || place % 10 === 9) return shared;
  const battery = { battery_level_percent: 20 + (place % 80), battery_charging: place % 3 === 0 };
  return { ...shared, ...battery, network_type: 'wifi', power_watts: 3 };
}
