// The rule of each algorithm as a pattern: which worker is given which task, by a real coordinator
// over plain HTTP. What the workers measure is made up, so the pattern is known beforehand.

import { describe, expect, test } from 'vitest';
import { HttpCluster } from '../support/http-cluster.ts';

const strong = { cpu_load_percent: 5, ram_available_mb: 16_000, network_latency_ms: 2 };
const middling = { cpu_load_percent: 40, ram_available_mb: 8_000, network_latency_ms: 20 };
const weak = { cpu_load_percent: 95, ram_available_mb: 500, network_latency_ms: 300 };
const none = { cpu: 0, memory: 0, throughput: 0, failure_rate: 0, latency: 0 };

const times = (count: number, name: string) => Array<string>(count).fill(name);

test('fifo: tasks leave in submission order to the first free worker, whatever is measured', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'fifo' });
  const one = await cluster.join('one', { slots: 2 });
  const two = await cluster.join('two', { slots: 1 });
  const three = await cluster.join('three', { slots: 2 });
  for (const [first, last] of [
    [weak, strong],
    [strong, weak],
  ]) {
    await one.beat(first);
    await three.beat(last);
    const early = await cluster.submit(3);
    const late = await cluster.submit(3, { priority: 1000, task_priorities: [0, 5, 1000] });
    expect(await one.claim(2)).toEqual([`${early}.0`, `${early}.1`]);
    expect(await two.claim()).toEqual([`${early}.2`]);
    expect(await three.claim(2)).toEqual([`${late}.0`, `${late}.1`]);
    // A worker that becomes free gets a waiting task; the order of becoming free does not count.
    await two.complete();
    expect(await two.claim()).toEqual([`${late}.2`]);
    for (const worker of [three, two, one]) await worker.complete();
    expect(await cluster.turns(3)).toEqual(times(3, 'one'));
  }
});

test('round_robin: workers take turns, and joins and leaves do not restart the cycle', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'round_robin' });
  const one = await cluster.join('one', { telemetry: weak });
  await cluster.join('two', { telemetry: strong });
  const three = await cluster.join('three', { telemetry: middling });
  expect(await cluster.deal(6)).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
  await cluster.completeAll();
  expect(await cluster.turns(5)).toEqual(['one', 'two', 'three', 'one', 'two']);

  await cluster.join('four', { slots: 1, telemetry: strong });
  await cluster.leave(three);
  expect(await cluster.turns(4)).toEqual(['four', 'one', 'two', 'four']);
  // Its own turn has just been when it leaves.
  expect(await cluster.turns(1)).toEqual(['one']);
  await cluster.leave(one);
  expect(await cluster.turns(3)).toEqual(['two', 'four', 'two']);
  // A full worker is skipped.
  expect(await cluster.deal(4)).toEqual(['four', 'two', 'two', 'two']);
});

test('least_loaded: each task goes to a worker with the fewest active tasks', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'least_loaded' });
  const one = await cluster.join('one', { telemetry: strong });
  const two = await cluster.join('two', { telemetry: middling, slots: 8 });
  const three = await cluster.join('three', { telemetry: weak, slots: 8 });
  await cluster.occupy(one, 3);
  await cluster.occupy(two, 1);
  const active = new Map(Object.entries({ one: 3, two: 1, three: 0 }));
  for (let task = 0; task < 8; task++) await expectFewestActive(cluster, active);
  expect(Object.fromEntries(active)).toEqual({ one: 4, two: 4, three: 4 });

  await three.complete();
  expect(await cluster.deal(4)).toEqual(times(4, 'three'));
});

/** One more task, which is then held, on a worker that had no more tasks than any other. */
async function expectFewestActive(cluster: HttpCluster, active: Map<string, number>) {
  const [name = ''] = await cluster.deal(1);
  expect(active.get(name)).toBe(Math.min(...active.values()));
  active.set(name, active.get(name)! + 1);
}

test('performance: the worker whose tasks were fast is preferred, and a newcomer gets its chance', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'round_robin' });
  const slow = { slots: 2, telemetry: strong, run: { run_ms: 4000 } };
  await cluster.join('slow', slow);
  await cluster.join('medium', { ...slow, run: { run_ms: 400 } });
  const fast = await cluster.join('fast', { slots: 2, telemetry: weak, run: { run_ms: 40 } });
  await cluster.turns(6);
  // A decision knows of a worker what was known at its newest heartbeat.
  await cluster.beatAll();
  await cluster.client.scheduler.activate('performance');
  expect(await cluster.turns(4)).toEqual(times(4, 'fast'));
  expect(await cluster.deal(6)).toEqual(['fast', 'fast', 'medium', 'medium', 'slow', 'slow']);
  await cluster.completeAll();

  const newcomer = await cluster.join('newcomer', { slots: 2, run: { run_ms: 9000 } });
  expect(await cluster.turns(2)).toContain('newcomer');
  await newcomer.beat();
  expect(await cluster.turns(4)).toEqual(times(4, 'fast'));

  // 40 · 0.8 + 60 000 · 0.2: it was fast once, and is the slowest by now.
  fast.run = { run_ms: 60_000 };
  expect(await cluster.turns(1)).toEqual(['fast']);
  await fast.beat();
  const ranked = ['medium', 'slow', 'newcomer', 'fast'];
  expect(await cluster.deal(8)).toEqual(ranked.flatMap((name) => times(2, name)));
  expect(await cluster.ranking()).toEqual(ranked);
});

test('priority: the larger priority of a task first, then submission order', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'priority' });
  const low = await cluster.submit(1, { priority: -5 });
  const mixed = await cluster.submit(4, { priority: 7, task_priorities: [0, 9, 3, 9] });
  const high = await cluster.submit(2, { priority: 5 });
  const plain = await cluster.submit(1);
  const worker = await cluster.join('one', { slots: 1 });
  const order: string[] = [];
  for (let task = 0; task < 8; task++) {
    order.push(...(await worker.claim()));
    await worker.complete();
  }
  expect(order).toEqual([
    `${mixed}.1`,
    `${mixed}.3`,
    `${high}.0`,
    `${high}.1`,
    `${mixed}.2`,
    `${mixed}.0`,
    `${plain}.0`,
    `${low}.0`,
  ]);
});

test('priority: each task goes to a worker with the fewest active tasks', async () => {
  const cluster = await HttpCluster.start({ algorithm: 'priority' });
  const one = await cluster.join('one', { telemetry: strong });
  await cluster.join('two', { telemetry: weak });
  await cluster.occupy(one, 3);
  const active = new Map(Object.entries({ one: 3, two: 0 }));
  for (let task = 0; task < 5; task++) await expectFewestActive(cluster, active);
  expect(Object.fromEntries(active)).toEqual({ one: 4, two: 4 });
});

describe('wrr: scores of 3 to 1', () => {
  const light = { cpu_load_percent: 0, ram_available_mb: 1000, network_latency_ms: 30 };
  const heavy = { cpu_load_percent: 90, ram_available_mb: 3000, network_latency_ms: 10 };
  const both = { ...light, ram_available_mb: 4000 };

  test.each([
    { by: 'memory', weights: { ...none, memory: 1 } },
    { by: 'latency, where less is better', weights: { ...none, latency: 5 } },
    { by: 'both', weights: { ...none, memory: 0.5, latency: 0.5 } },
  ])('by $by: three tasks for each one, in every full cycle', async ({ weights }) => {
    const cluster = await HttpCluster.start({ algorithm: 'wrr', weights });
    const one = await cluster.join('light', { telemetry: light });
    const three = await cluster.join('heavy', { telemetry: heavy });
    expect(cycles(await cluster.deal(40), 4)).toEqual(times(10, 'heavy heavy heavy light'));
    const { workers } = await cluster.client.scheduler.info();
    expect(workers.map(({ worker_id }) => worker_id)).toEqual([three.id, one.id]);
    expect(workers[0]!.details['share']).toBeCloseTo(0.75, 9);
    expect(workers[1]!.details['share']).toBeCloseTo(0.25, 9);

    // Nor do single tasks, reports and heartbeats disturb the cycle.
    await cluster.completeAll();
    const single: string[] = [];
    for (let task = 0; task < 8; task++) {
      single.push(...(await cluster.turns(1)));
      await cluster.beatAll();
    }
    expect(cycles(single, 4)).toEqual(times(2, 'heavy heavy heavy light'));

    // What was light is heavy from its next heartbeat on.
    await one.beat(heavy);
    await three.beat(light);
    expect(cycles(await cluster.deal(40), 4)).toEqual(times(10, 'heavy light light light'));
  });

  test('beside a third worker: 3 to 1 to 4', async () => {
    const weights = { ...none, memory: 1 };
    const cluster = await HttpCluster.start({ algorithm: 'wrr', weights });
    await cluster.join('light', { telemetry: light });
    await cluster.join('heavy', { telemetry: heavy });
    expect(cycles(await cluster.deal(8), 4)).toEqual(times(2, 'heavy heavy heavy light'));
    await cluster.join('newcomer', { telemetry: both });
    const cycle = [...times(3, 'heavy'), 'light', ...times(4, 'newcomer')].join(' ');
    expect(cycles(await cluster.deal(40), 8)).toEqual(times(5, cycle));
  });
});

/** What was given to whom in each cycle of so many tasks, as text; the order within is left open. */
function cycles(names: readonly string[], length: number): readonly string[] {
  const starts = names.map((_, at) => at).filter((at) => at % length === 0);
  return starts.map((at) =>
    names
      .slice(at, at + length)
      .toSorted()
      .join(' '),
  );
}

describe.each(['edas', 'aras', 'mabac'] as const)('%s', (algorithm) => {
  test('the worker that dominates all others gets the tasks that its slots allow', async () => {
    const weights = { ...none, memory: 1, latency: 1 };
    const cluster = await HttpCluster.start({ algorithm, weights });
    await cluster.join('weak', { slots: 4, telemetry: weak });
    await cluster.join('strong', { slots: 4, telemetry: strong });
    await cluster.join('middling', { slots: 4, telemetry: middling });
    const ranked = ['strong', 'middling', 'weak'];

    expect(await cluster.deal(4)).toEqual(times(4, 'strong'));
    expect(await cluster.ranking()).toEqual(ranked);
    expect(await cluster.selected()).toBe('strong');
    const { workers } = await cluster.client.scheduler.info();
    expect(workers[0]).toMatchObject({ rank: 1, eligible: true, selected: true });
    const scores = workers.map(({ score }) => score!);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(scores).size).toBe(3);

    // It is the best still, and full: the best of the others.
    expect(await cluster.deal(4)).toEqual(times(4, 'middling'));
    expect(await cluster.ranking()).toEqual(ranked);
    expect(await cluster.selected()).toBe('middling');
    const full = await cluster.client.scheduler.info();
    expect(full.workers[0]).toMatchObject({ rank: 1, eligible: false, selected: false });
    expect(await cluster.deal(2)).toEqual(times(2, 'weak'));
  });

  test('dominance in all nine criteria counts, those of its history too', async () => {
    const cluster = await HttpCluster.start({ algorithm: 'round_robin' });
    const power = { battery_level_percent: 20, network_bandwidth_mbps: 1 };
    const poor = await cluster.join('poor', {
      telemetry: { ...weak, ...power },
      run: { run_ms: 5000, energy_joules: 50 },
    });
    await cluster.join('rich', {
      telemetry: { ...strong, battery_level_percent: 90, network_bandwidth_mbps: 100 },
      run: { run_ms: 50, energy_joules: 1 },
    });
    await cluster.turns(4);
    await cluster.occupy(poor, 1);
    await poor.fail();
    await cluster.beatAll();

    const all = { bandwidth: 1, battery: 1, energy: 1, load: 1 };
    const five = { cpu: 1, memory: 1, throughput: 1, failure_rate: 1, latency: 1 };
    await cluster.client.scheduler.configure({ algorithm, weights: { ...five, ...all } });
    expect(await cluster.turns(2)).toEqual(['rich', 'rich']);
    expect(await cluster.ranking()).toEqual(['rich', 'poor']);
    expect(await cluster.selected()).toBe('rich');
    const [rich, other] = (await cluster.client.scheduler.info()).workers;
    expect(Object.keys(rich!.criteria)).toHaveLength(9);
    for (const [id, { kind, value, imputed }] of Object.entries(rich!.criteria)) {
      const lead = value! - other!.criteria[id]!.value!;
      expect({ id, imputed, leads: kind === 'benefit' ? lead > 0 : lead < 0 }).toEqual({
        id,
        imputed: false,
        leads: true,
      });
    }
  });

  test('where the CPU counts, assigned tasks count as load until the next heartbeat', async () => {
    const weights = { ...none, cpu: 1 };
    const cluster = await HttpCluster.start({ algorithm, weights });
    const idle = await cluster.join('idle', { slots: 4, telemetry: { cpu_load_percent: 0 } });
    await cluster.join('busy', { slots: 10, telemetry: { cpu_load_percent: 42 } });
    // Availability of the two before each decision, 25 % and 10 % a task:
    // 100:58 75:58 50:58 50:48 25:48 25:38 25:28 25:18
    const spread = ['idle', 'idle', 'busy', 'idle', 'busy', 'busy', 'busy', 'idle'];
    expect(await cluster.deal(8)).toEqual(spread);
    expect(await cluster.ranking()).toEqual(['idle', 'busy']);
    const { workers } = await cluster.client.scheduler.info();
    const cpu = workers.map(({ criteria }) => criteria['cpu']);
    expect(cpu).toMatchObject([
      { value: 25, projected: true },
      { value: 18, projected: true },
    ]);

    // 0:18, although all is done: nobody has measured it yet. Then 100:8.
    await cluster.completeAll();
    expect(await cluster.turns(1)).toEqual(['busy']);
    await idle.beat();
    expect(await cluster.turns(1)).toEqual(['idle']);
  });
});

describe('a change of the configuration holds for the very next decision', () => {
  const near = { ram_available_mb: 1000, network_latency_ms: 1 };
  const roomy = { ram_available_mb: 32_000, network_latency_ms: 200 };
  const byMemory = { weights: { ...none, memory: 1 } };
  const byLatency = { weights: { ...none, latency: 1 } };

  test('of algorithm and weights, while the workers are what they are', async () => {
    const cluster = await HttpCluster.start({ algorithm: 'fifo' });
    const { scheduler } = cluster.client;
    const first = await cluster.join('first', { telemetry: middling, run: { run_ms: 500 } });
    const second = await cluster.join('near', { telemetry: near, run: { run_ms: 50 } });
    await cluster.join('roomy', { telemetry: roomy, run: { run_ms: 5000 } });
    expect(await cluster.turns(1)).toEqual(['first']);
    for (const algorithm of ['edas', 'aras', 'mabac', 'wrr'] as const) {
      // A fresh wrr begins with the richest; weights that change make it anew.
      await scheduler.configure({ algorithm, ...byMemory });
      expect(await cluster.turns(1)).toEqual(['roomy']);
      await scheduler.configure(byLatency);
      expect(await cluster.turns(1)).toEqual(['near']);
      await scheduler.activate('fifo');
      expect(await cluster.turns(2)).toEqual(['first', 'first']);
    }
    await scheduler.activate('round_robin');
    expect(await cluster.turns(3)).toEqual(['first', 'near', 'roomy']);
    await cluster.beatAll();
    await scheduler.activate('performance');
    expect(await cluster.turns(2)).toEqual(['near', 'near']);
    await cluster.occupy(first, 2);
    await cluster.occupy(second, 2);
    for (const algorithm of ['least_loaded', 'priority'] as const) {
      await scheduler.activate('fifo');
      expect(await cluster.deal(1)).toEqual(['first']);
      await scheduler.activate(algorithm);
      expect(await cluster.deal(1)).toEqual(['roomy']);
      expect((await scheduler.info()).last_decision).toMatchObject({ algorithm });
    }
  });

  test('of the order of what waits', async () => {
    const cluster = await HttpCluster.start({ algorithm: 'fifo' });
    const { scheduler } = cluster.client;
    const worker = await cluster.join('one', { slots: 1 });
    const plain = await cluster.submit(3);
    const urgent = await cluster.submit(2, { task_priorities: [1, 9] });
    for (const [algorithm, expected] of [
      ['priority', `${plain}.0`],
      ['priority', `${urgent}.1`],
      ['fifo', `${urgent}.0`],
      ['priority', `${plain}.1`],
      ['fifo', `${plain}.2`],
    ] as const) {
      // It was placed before the switch; what follows it is decided when it is completed.
      expect(await worker.claim()).toEqual([expected]);
      await scheduler.activate(algorithm);
      await worker.complete();
    }
  });

  test.each(['edas', 'aras', 'mabac'] as const)(
    '%s: of the weighting, which follows what varies most',
    async (algorithm) => {
      const cluster = await HttpCluster.start({ algorithm, ...byMemory });
      const { scheduler } = cluster.client;
      const one = await cluster.join('near', {
        telemetry: { ram_available_mb: 8000, network_latency_ms: 5 },
      });
      const two = await cluster.join('roomy', {
        telemetry: { ram_available_mb: 8200, network_latency_ms: 100 },
      });
      expect(await cluster.deal(1)).toEqual(['roomy']);
      const manual = await scheduler.config();
      expect(manual.effective_weights).toMatchObject({ memory: 1, latency: 0 });

      const entropy = await scheduler.configure({ weighting: 'entropy' });
      expect(entropy.weights).toEqual(manual.weights);
      expect(entropy.effective_weights['latency']).toBeGreaterThan(0.99);
      expect(await cluster.deal(1)).toEqual(['near']);
      const decided = await scheduler.info();
      expect(decided.weighting).toBe('entropy');
      expect(decided.last_decision!.effective_weights).toEqual(entropy.effective_weights);

      await one.beat({ ram_available_mb: 500, network_latency_ms: 19 });
      await two.beat({ ram_available_mb: 32_000, network_latency_ms: 20 });
      expect(await cluster.deal(1)).toEqual(['roomy']);
      const after = (await scheduler.info()).last_decision!.effective_weights;
      expect(after['memory']).toBeGreaterThan(0.99);

      await scheduler.configure({ weighting: 'manual', ...byLatency });
      expect(await cluster.deal(1)).toEqual(['near']);
    },
  );
});
