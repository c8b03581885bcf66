// A small lab as people have it, and what it works on: devices of every kind and in every state, and jobs that run,
// wait, fail and have ended.

import { connect, type MusterClient } from '../../../src/client/index.ts';
import { type PlayedDevice, type PlayedInput, PlayedWorker } from './played-device.ts';

const pc = (name: string, slots: number, slowness: number, more: object = {}): PlayedDevice => ({
  name,
  type: 'pc',
  platform: 'linux',
  slots,
  slowness,
  telemetry: {
    cpu_load_percent: 78 - 6 * slowness,
    cpu_cores: slots,
    ram_available_mb: 2_600 * slots,
    ram_total_mb: 4_096 * slots,
    network_latency_ms: 1.2 * slowness,
    network_bandwidth_mbps: 940,
    power_watts: 65,
  },
  ...more,
});

const phone = (
  name: string,
  battery: number,
  slowness: number,
  more: object = {},
): PlayedDevice => ({
  name,
  type: 'android_node',
  platform: 'android',
  slots: 2,
  slowness,
  telemetry: {
    cpu_load_percent: 55,
    cpu_cores: 8,
    ram_available_mb: 1_100 + 18 * battery,
    ram_total_mb: 8_192,
    battery_level_percent: battery,
    battery_charging: battery > 80,
    network_latency_ms: 14 * slowness,
    network_bandwidth_mbps: 66,
    network_type: 'wifi',
    power_watts: 3,
  },
  ...more,
});

const tab = (name: string, slots: number, slowness: number): PlayedDevice => ({
  name,
  type: 'browser',
  platform: 'win32',
  slots,
  slowness,
  telemetry: { cpu_load_percent: 40, cpu_cores: 8, network_latency_ms: 9, visibility: 'visible' },
});

export const labDevices: readonly PlayedDevice[] = [
  pc('atlas', 16, 0.8),
  pc('borealis', 16, 0.85),
  pc('cedar', 12, 1),
  pc('dune', 12, 1.1, { platform: 'win32' }),
  pc('ember', 8, 1.2),
  pc('fjord', 8, 1.2),
  pc('grove', 8, 0.9, { platform: 'darwin' }),
  pc('harbor', 8, 0.9, { platform: 'darwin' }),
  pc('iris', 6, 1.6, { platform: 'win32' }),
  pc('juniper', 6, 1.5),
  pc('kestrel', 4, 2),
  pc('lagoon', 4, 2),
  phone('Pixel 7 · Noor', 91, 2.4),
  phone('Pixel 6a · Ivo', 84, 2.7),
  phone('Galaxy S21 · Ana', 97, 3, { failsEvery: 1 }),
  phone('Galaxy A52 · Jo', 72, 3.4, { rests: 'charging' }),
  phone('Fairphone 4 · Lea', 88, 3.2),
  phone('Redmi Note 12', 56, 3.8),
  tab('Chrome · reading room 1', 3, 1.8),
  tab('Chrome · reading room 2', 3, 1.9),
  tab('Firefox · Tomás', 3, 2.2),
  tab('Safari · iPad', 2, 2.4),
];

const program = {
  kind: 'javascript',
  source: 'export default ({ seconds }) => new Promise((end) => setTimeout(end, 1000 * seconds));',
} as const;

export interface PlayedLab {
  readonly client: MusterClient;
  readonly workers: ReadonlyMap<string, PlayedWorker>;
  readonly jobs: Readonly<Record<'docking' | 'frames' | 'archive' | 'trees' | 'primes', string>>;
  /** Ends all devices. */
  readonly end: () => void;
}

/** Gives devices time to finish the short jobs: about ten seconds. */
export async function playLab(url: string, devices = labDevices): Promise<PlayedLab> {
  const client = connect(url);
  const joined = await Promise.all(devices.map((device) => PlayedWorker.join(url, device)));
  const workers = new Map(joined.map((worker, place) => [devices[place]!.name, worker]));
  const submit = async (
    name: string,
    client_id: string,
    inputs: readonly PlayedInput[],
    more: object = {},
  ): Promise<string> => {
    const job = { name, client_id, program, inputs: [...inputs] as never, ...more };
    return (await client.submit(job)).id;
  };
  const primes = await submit('nightly-primes', 'cron', times(600, { seconds: 0.1 }));
  const trees = await submit(
    'tune-boosted-trees',
    'noor',
    [...times(90, { seconds: 0.2 }), ...times(7, { seconds: 0.2, error: 'row has no label:' })],
    { max_attempts: 1 },
  );
  await Promise.all([client.results(primes), client.results(trees)].map(drain));
  const docking = await submit(
    'docking-batch-7',
    'noor',
    [
      ...times(40, { seconds: 1 }),
      ...times(3, { seconds: 0.4, error: 'grid spacing must be > 0, got' }),
      ...times(12_000, { seconds: 2.5, checkpoints: 4 }),
    ],
    { priority: 5 },
  );
  const frames = await submit('lighthouse-frames', 'ivo', times(2_400, { seconds: 5 }));
  const archive = await submit('ocr-archive-1987', 'tomas', times(412, { seconds: 1 }), {
    requirements: { labels: { gpu: 'yes' } },
  });
  return {
    client,
    workers,
    jobs: { docking, frames, archive, trees, primes },
    end: () => {
      for (const worker of workers.values()) worker.die();
    },
  };
}

function times(count: number, input: PlayedInput): readonly PlayedInput[] {
  return Array.from({ length: count }, () => input);
}

async function drain(results: AsyncIterable<unknown>): Promise<void> {
  for await (const result of results) void result;
}
