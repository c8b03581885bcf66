// Plays the workers of `many-workers` on real sockets, in a process of its own: most only send heartbeats, a few
// complete tasks that take a moment and compute nothing. Asked for on its channel, it says how soon heartbeats
// were answered since it was asked last.
// Run: node crowd-process.ts URL WORKERS

import { Crowd } from '../crowd.ts';
import { quantile } from '../dashboard/figures.ts';
import { doers, type Heartbeats, taskMs } from './crowd.ts';

const [url, workers] = process.argv.slice(2);
let beats = 0;

const crowd = await Crowd.join(url!, {
  workers: Number(workers),
  slots: 1,
  taskMs,
  deviceOf: (place) => ({
    name: `phone-${place}`,
    type: 'android_kotlin',
    platform: 'android',
    ...(place <= doers ? { labels: { pool: 'crowd' } } : { kinds: ['none'] }),
  }),
  telemetryOf: (place) => ({
    cpu_load_percent: spread(place, 101),
    cpu_cores: 4,
    ram_available_mb: 4_000 + spread(place, 4_000),
    ram_total_mb: 16_000,
    battery_level_percent: 80,
    battery_charging: false,
    network_latency_ms: 1 + spread(place, 50),
    network_type: 'wifi',
  }),
});

process.on('disconnect', () => process.exit());
process.on('message', () => process.send!(heartbeats()));
process.send!(heartbeats());

/** Other values at every heartbeat, the same in every run. */
function spread(place: number, values: number): number {
  return (place * 7_919 + beats++ * 104_729) % values;
}

function heartbeats(): Heartbeats {
  const ms = crowd.heartbeatMs.splice(0);
  return { count: ms.length, p99: quantile(ms, 0.99), lost: crowd.closed };
}
