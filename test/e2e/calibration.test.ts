// The pieces of `npm run calibrate` together: a real cluster whose workers are throttled. How fast it is decides nothing.

import { expect, test } from 'vitest';
import { contenders } from '../../bench/calibration/contenders.ts';
import { devices } from '../../bench/calibration/devices.ts';
import { ThrottledCluster } from '../../bench/calibration/throttled-cluster.ts';

test('a throttled cluster runs each job where it belongs, and one for all with every device', async () => {
  const halt = new AbortController();
  const edas = contenders.find(({ name }) => name === 'edas')!;
  const cluster = await ThrottledCluster.start(edas, halt.signal);
  try {
    const { algorithm, effective_weights } = await cluster.client.scheduler.config();
    expect(algorithm).toBe('edas');
    expect(effective_weights['throughput']).toBe(1);
    const workers = await cluster.client.workers();
    const byTime = workers.toSorted((a, b) => a.registered_at.localeCompare(b.registered_at));
    expect(byTime.map(({ name }) => name)).toEqual(devices.map(({ name }) => name));

    await cluster.throttle();
    const jobs = await cluster.run(
      devices.map(({ name }) => ({ name, turns: [1000, 1000], payloadKb: 1, device: name })),
    );
    for (const [place, { attempts }] of jobs.entries()) {
      expect(attempts.map(({ worker_name }) => worker_name)).toEqual([
        devices[place]!.name,
        devices[place]!.name,
      ]);
      expect(attempts.every(({ ran_seconds }) => ran_seconds !== null)).toBe(true);
    }
    expect(await cluster.commitMs()).toBeGreaterThan(0);
    expect(await cluster.latencyMs()).toBeGreaterThan(0);

    halt.abort(new Error('Ctrl-C'));
    const never = cluster.run([{ name: 'never', turns: [1e12], payloadKb: 0 }]);
    await expect(never).rejects.toThrow('Ctrl-C');
  } finally {
    await cluster.close();
  }
});
