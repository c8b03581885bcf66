// The lab with the production coordinator and worker machines in it.

import { describe, expect, test } from 'vitest';
import { algorithmIds } from '../../../src/core/snapshot.ts';
import { boundsOf } from '../../../src/lab/outcome/bounds.ts';
import { measuresOf } from '../../../src/lab/outcome/measures.ts';
import { drawPlan } from '../../../src/lab/scenario/draw-plan.ts';
import { parseScenario, readScenario } from '../../../src/lab/scenario/read-scenario.ts';
import { algorithmContender } from '../../../src/lab/contender.ts';
import { simulate } from '../../../src/lab/simulation.ts';
import { play } from '../../../src/lab/world/play.ts';

function scenarioOf(devices: object[], jobs: object[], more: object = {}) {
  const text = JSON.stringify({ scenario: 'test', devices, jobs, ...more });
  return parseScenario(text, 'test', '.');
}

async function run(scenario: ReturnType<typeof scenarioOf>, algorithm = 'fifo', seed = 1) {
  const contender = algorithmContender(algorithm);
  return simulate({ scenario, seed, contender, version: 'test' });
}

describe('play', () => {
  test.each(algorithmIds)('under %s a scenario is the same, byte for byte, again', async (id) => {
    const shipped = readScenario('pcs-and-phones', '.');
    const scenario = { ...shipped, jobs: shipped.jobs.map((job) => ({ ...job, tasks: 200 })) };
    const [one, again] = [await run(scenario, id, 5), await run(scenario, id, 5)];
    expect(JSON.stringify(again.simulation)).toBe(JSON.stringify(one.simulation));
    expect(again.played.attempts).toEqual(one.played.attempts);
    expect(one.simulation.measures.tasks_completed).toBe(200);
  });

  test('algorithms meet the same devices and work, and decide differently', async () => {
    const scenario = readScenario('few-tasks', '.');
    const [fifo, edas] = [await run(scenario, 'fifo'), await run(scenario, 'edas')];
    expect(edas.simulation.bounds).toEqual(fifo.simulation.bounds);
    expect(edas.plan.jobs).toEqual(fifo.plan.jobs);
    expect(edas.played.attempts).not.toEqual(fifo.played.attempts);
  });

  test('beginning a task takes its time on each device, whatever its work', async () => {
    const devices = [{ class: 'slow', count: 1, start_ms: 500, speed: 0.5, latency_ms: 0 }];
    const jobs = [{ job: 'a', tasks: 10, work_seconds: 1 }];
    const { simulation } = await run(scenarioOf(devices, jobs, { commit_ms: 0 }));
    expect(simulation.measures.makespan_seconds).toBeCloseTo(10 * (0.5 + 1 / 0.5), 6);
    // Its processor has nothing to do meanwhile.
    expect(simulation.devices[0]!.computed_seconds).toBeCloseTo(10 / 0.5, 6);
  });

  test('a task that is still being begun when its device leaves is given to another', async () => {
    const leaves = { here_seconds: 15, away_seconds: 1e6, goes: 'leaves' };
    const scenario = scenarioOf(
      [
        { class: 'leaving', count: 1, start_ms: 60_000, presence: leaves },
        { class: 'staying', count: 1, joins_after_seconds: 12 },
      ],
      [{ job: 'a', work_seconds: 1 }],
    );
    const { played, simulation } = await run(scenario);
    expect(played.attempts.map(({ device }) => device)).toEqual([0, 1]);
    expect(simulation.measures.tasks_completed).toBe(1);
    expect(simulation.measures.work_wasted_seconds).toBe(0);
  });

  test('a device that goes loses its task, which goes on from its checkpoint elsewhere', async () => {
    const scenario = scenarioOf(
      [
        { class: 'leaving', count: 1, presence: { here_seconds: 40, away_seconds: 1e6 } },
        { class: 'staying', count: 1, joins_after_seconds: 20 },
      ],
      [{ job: 'a', work_seconds: 60, checkpoint_every_seconds: 5 }],
    );
    const { played, simulation } = await run(scenario);
    expect(played.attempts.map(({ outcome, device }) => [outcome, device])).toEqual([
      ['lost', 0],
      ['completed', 1],
    ]);
    const [lost, completed] = played.attempts;
    expect(completed!.resumedFrom).toBeGreaterThan(0.3);
    // Silence is noticed after the lease of three heartbeats.
    expect(lost!.endedAt).toBeGreaterThan(50_000);
    expect(lost!.endedAt).toBeLessThan(60_000);
    // At most the time between two checkpoints is done again.
    expect(simulation.measures.work_wasted_seconds).toBeLessThan(5.1);
    expect(simulation.measures.attempts_lost).toBe(1);
  });

  test('a device that leaves hands its task over without loss', async () => {
    const scenario = scenarioOf(
      [
        {
          class: 'leaving',
          count: 1,
          presence: { here_seconds: 40, away_seconds: 1e6, goes: 'leaves' },
        },
        { class: 'staying', count: 1, joins_after_seconds: 20 },
      ],
      [{ job: 'a', work_seconds: 600, checkpoint_every_seconds: 5 }],
    );
    const { simulation } = await run(scenario);
    expect(simulation.measures.attempts_lost).toBe(0);
    expect(simulation.measures.tasks_completed).toBe(1);
    expect(simulation.measures.work_wasted_seconds).toBeLessThan(0.1);
  });

  test('a phone rests below its level, and takes work no more', async () => {
    const battery = { level_percent: 21, busy_percent_per_hour: 60, rests_below_percent: 20 };
    const scenario = scenarioOf(
      [
        { class: 'phone', count: 1, battery },
        { class: 'pc', count: 1, joins_after_seconds: 200 },
      ],
      [{ job: 'a', tasks: 10, work_seconds: 20 }],
    );
    const { played } = await run(scenario);
    const byPhone = played.attempts.filter(({ device }) => device === 0);
    // One percent is lost in a minute of work: three tasks begin before.
    expect(byPhone.length).toBeGreaterThanOrEqual(3);
    expect(byPhone.length).toBeLessThanOrEqual(4);
    expect(played.isWhole).toBe(true);
  });

  test('inputs and results take their time on a narrow line', async () => {
    const job = { job: 'a', work_seconds: 10, input_kb: 1000, result_kb: 500 };
    const device = { class: 'phone', count: 1, latency_ms: 100, bandwidth_mbps: 1 };
    const { simulation } = await run(scenarioOf([device], [job]));
    // 8 s for the input, 10 s of work, 4 s for the result, and less than a second of round trips.
    expect(simulation.measures.makespan_seconds).toBeGreaterThan(22);
    expect(simulation.measures.makespan_seconds).toBeLessThan(23);
    // It computed for 10 s; its slot was occupied until the result was there.
    expect(simulation.devices[0]!.computed_seconds).toBeCloseTo(10, 6);
    const { step_seconds: step, classes } = simulation.timeline;
    const occupied = classes[0]!.occupied_slots.reduce((sum, each) => sum + each * step, 0);
    expect(occupied).toBeGreaterThan(13.9);
  });

  test('energy is told when somebody declares watts, and of those alone', async () => {
    const job = { job: 'a', tasks: 2, work_seconds: 10 };
    const silent = await run(scenarioOf([{ class: 'pc', count: 2 }], [job]));
    expect(silent.simulation.measures.energy_joules).toBeNull();
    expect(silent.simulation.devices.map((each) => each.energy_joules)).toEqual([null, null]);
    const devices = [
      { class: 'pc', count: 1 },
      { class: 'declared', count: 1, busy_watts: 7 },
    ];
    const { simulation } = await run(scenarioOf(devices, [job]));
    expect(simulation.measures.energy_joules).toBeCloseTo(70, 6);
  });

  test('a device that fails tasks has them done elsewhere', async () => {
    const devices = [
      { class: 'bad', count: 1, fails: 1 },
      { class: 'good', count: 2 },
    ];
    const scenario = scenarioOf(devices, [
      { job: 'a', tasks: 30, work_seconds: 5, max_attempts: 10 },
    ]);
    const { simulation, played } = await run(scenario);
    expect(simulation.measures.tasks_completed).toBe(30);
    expect(simulation.measures.attempts_failed).toBeGreaterThan(0);
    const byBad = played.attempts.filter(
      ({ device, outcome }) => device === 0 && outcome !== 'failed',
    );
    expect(byBad).toEqual([]);
  });

  test('a run in which no task ends for long tells how far its time is', async () => {
    const scenario = scenarioOf([{ class: 'pc', count: 1 }], [{ job: 'a', work_seconds: 36_000 }]);
    const times: number[] = [];
    const plan = drawPlan(scenario, 1);
    await play({ plan, seed: 1, algorithm: 'fifo', onTime: (ms) => times.push(ms) });
    expect(times.length).toBeGreaterThan(0);
    expect(times.at(-1)).toBeLessThan(36_010_000);
  });

  test('where tasks fail nothing is told of how good the run could have been', async () => {
    const job = { job: 'a', tasks: 4, work_seconds: 5, max_attempts: 1 };
    const { simulation } = await run(scenarioOf([{ class: 'bad', count: 2, fails: 1 }], [job]));
    expect(simulation.measures.tasks_failed).toBe(4);
    // Nothing was done twice, and all of it in vain.
    const { played } = await run(scenarioOf([{ class: 'bad', count: 2, fails: 1 }], [job]));
    expect(simulation.measures.work_wasted_seconds).toBeCloseTo(played.workDoneSeconds, 9);
    expect(played.workDoneSeconds).toBeGreaterThan(0);
    expect(simulation.bounds).toBeNull();
  });

  test('nothing is given out before its job comes, nor begins before it is given out', async () => {
    const arrivals = { poisson_per_hour: 72_000, count: 300 };
    const job = { job: 'a', arrivals, work_seconds: { uniform: [0.0001, 0.1] } };
    const device = { class: 'pc', count: 4, latency_ms: 0 };
    const { plan, played } = await run(scenarioOf([device], [job], { commit_ms: 0 }));
    expect(played.attempts).toHaveLength(300);
    for (const { job: place, assignedAt, startedAt, endedAt } of played.attempts) {
      expect(assignedAt).toBeGreaterThanOrEqual(plan.jobs[place]!.atMs);
      expect(startedAt).toBeGreaterThanOrEqual(assignedAt);
      expect(endedAt).toBeGreaterThanOrEqual(startedAt!);
    }
  });

  test('a run that does not end is given up, and says so', async () => {
    const job = { job: 'a', tasks: 5, work_seconds: 10 };
    const scenario = scenarioOf([{ class: 'pc', count: 1 }], [job], { most_hours: 0.01 });
    const { simulation, played } = await run(scenario);
    expect(played.isWhole).toBe(false);
    expect(simulation.measures.makespan_seconds).toBeNull();
    expect(simulation.jobs[0]).toMatchObject({
      ended_seconds: null,
      tasks: 5,
      tasks_tried: 2,
      completed: 2,
    });
    expect(simulation.measures.tasks_completed).toBe(2);
    expect(simulation.measures.throughput_tasks_per_second).toBeGreaterThan(0);
  });
});

describe('theory', () => {
  /** Several laws are asked of the same runs. */
  const runs = new Map<string, ReturnType<typeof run>>();
  function shippedRun(name: string, id: string) {
    const key = `${name} ${id}`;
    const found = runs.get(key) ?? run(readScenario(name, '.'), id, 2);
    runs.set(key, found);
    return found;
  }

  /** Mean waiting time of tasks over seeds, with its standard error. */
  async function waiting(servers: number, load: number, jobs: number, seeds: number) {
    const meanSeconds = 10;
    const rate = (load * servers * 3600) / meanSeconds;
    const scenario = scenarioOf(
      [{ class: 'pc', count: servers, latency_ms: 0 }],
      [
        {
          job: 'a',
          arrivals: { poisson_per_hour: rate, count: jobs },
          work_seconds: { exponential: { mean: meanSeconds } },
        },
      ],
      { commit_ms: 0, heartbeat_seconds: 60, most_hours: 1e6 },
    );
    const means: number[] = [];
    for (let seed = 1; seed <= seeds; seed++) {
      const plan = drawPlan(scenario, seed);
      const measures = measuresOf(await play({ plan, seed, algorithm: 'fifo' }));
      means.push(measures.waiting_seconds_mean!);
    }
    const mean = means.reduce((sum, each) => sum + each, 0) / seeds;
    const variance = means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (seeds - 1);
    return { mean, error: Math.sqrt(variance / seeds) };
  }

  /** Mean waiting time of M/M/c (Erlang C): Gross, Harris, Fundamentals of Queueing Theory, 2.3. */
  function erlang(servers: number, load: number): number {
    const offered = load * servers;
    let [sum, term] = [0, 1];
    for (let k = 0; k < servers; k++) {
      sum += term;
      term *= offered / (k + 1);
    }
    const busy = term / (1 - load);
    const mustWait = busy / (sum + busy);
    return (mustWait * 10) / (servers * (1 - load));
  }

  test.each([
    [1, 0.5],
    [1, 0.7],
    [4, 0.8],
  ])('with %d workers at load %d tasks wait as long as M/M/c says', async (servers, load) => {
    const { mean, error } = await waiting(servers, load, 1000, 8);
    // Student's t with 7 degrees of freedom: 99.9 % lie within 5.41 standard errors.
    expect(Math.abs(mean - erlang(servers, load))).toBeLessThan(5.41 * error);
    // And the error is small enough to tell it from another load.
    expect(error).toBeLessThan(0.25 * erlang(servers, load));
  });

  test.each(algorithmIds)('no makespan under %s is shorter than the lower bound', async (id) => {
    for (const name of ['homogeneous-pcs', 'mixed-pcs', 'few-tasks']) {
      const { simulation } = await shippedRun(name, id);
      const { makespan_seconds: span } = simulation.measures;
      expect(span).toBeGreaterThanOrEqual(simulation.bounds!.lower_bound_seconds);
    }
  });

  test.each(['fifo', 'round_robin', 'least_loaded'])(
    "equal devices under %s keep Graham's bound of a list schedule",
    async (id) => {
      const { plan, simulation } = await shippedRun('homogeneous-pcs', id);
      const places = 64;
      const work = plan.jobs[0]!.workSeconds.reduce((sum, each) => sum + each, 0);
      const longest = Math.max(...plan.jobs[0]!.workSeconds);
      // Graham, 1966: at most Σ p / m + (1 - 1/m) p_max; and the messages of each round of tasks.
      const bound = work / places + (1 - 1 / places) * longest;
      const rounds = Math.ceil(1000 / places) + 1;
      expect(simulation.measures.makespan_seconds).toBeLessThan(bound + rounds * 0.02);
      expect(simulation.measures.makespan_seconds).toBeGreaterThan(
        boundsOf(plan).lower_bound_seconds,
      );
    },
  );

  test("round robin gives equal devices equally many equal tasks: Jain's index is 1", async () => {
    const scenario = scenarioOf(
      [{ class: 'pc', count: 10 }],
      [{ job: 'a', tasks: 200, work_seconds: 3 }],
    );
    const { simulation } = await run(scenario, 'round_robin');
    expect(simulation.measures.jains_index).toBe(1);
  });

  test("Little's law holds on every run: L = λW over tasks in the system", async () => {
    for (const name of ['few-tasks', 'pcs-and-phones']) {
      const { plan, played, simulation } = await run(readScenario(name, '.'), 'edas', 4);
      const first = plan.jobs[0]!.atMs;
      const span = (played.endedAt - first) / 1000;
      // L is counted from arrivals and ends alone, W is what the measures say.
      const events = [
        ...plan.jobs.map((job) => [job.atMs, job.workSeconds.length] as const),
        ...played.attempts
          .filter(({ outcome }) => outcome === 'completed')
          .map(({ endedAt }) => [endedAt, -1] as const),
      ].sort((a, b) => a[0] - b[0]);
      let [inside, area, at] = [0, 0, first];
      for (const [moment, change] of events) {
        area += (inside * (moment - at)) / 1000;
        inside += change;
        at = moment;
      }
      const { tasks_completed: done, turnaround_seconds_mean: mean } = simulation.measures;
      expect(area / span).toBeCloseTo((done / span) * mean!, 6);
    }
  });

  test('work is conserved: nobody is idle while a task waits that he may run', async () => {
    for (const id of algorithmIds) {
      const { plan, played } = await shippedRun('homogeneous-pcs', id);
      const places = 64;
      const begins = played.attempts.map(({ startedAt }) => startedAt!).sort((a, b) => a - b);
      const lastBegin = begins.at(-1)!;
      const first = begins[places - 1]!;
      const busy = played.attempts.reduce(
        (sum, { startedAt, endedAt }) =>
          sum + Math.max(0, Math.min(endedAt, lastBegin) - Math.max(startedAt!, first)),
        0,
      );
      // Between two tasks there is a round trip and a commit: 2 to 3 ms of 10 s.
      expect(busy / (places * (lastBegin - first)), id).toBeGreaterThan(0.999);
      expect(plan.jobs.length).toBe(1);
    }
  });
});
