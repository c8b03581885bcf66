import { describe, expect, test } from 'vitest';
import { ScriptedCore } from '../../core/testing/scripted-core.ts';
import { defaultSchedulerConfig } from '../../core/state.ts';
import { recordSchema, type TraceRecord } from './trace-format.ts';
import { TraceRecorder } from './trace-recorder.ts';

const unmeasured = {
  cpuLoadPercent: null,
  ramAvailableMb: null,
  batteryLevelPercent: null,
  batteryCharging: null,
  networkLatencyMs: null,
  networkBandwidthMbps: null,
};

/** A core whose events are recorded from the call of `begin` on. */
class RecordedCore extends ScriptedCore {
  readonly records: TraceRecord[] = [];
  readonly #recorder = new TraceRecorder((record) => this.records.push(record));
  #heard = 0;

  begin(): void {
    const { config, workers, jobs } = this.state;
    this.#recorder.begin({
      at: this.at,
      config,
      workers: workers.values(),
      jobs: jobs.values(),
    });
    this.#heard = this.events.length;
  }

  /** What was recorded since the last call, without the telemetry. */
  newest(): readonly TraceRecord[] {
    this.#recorder.hear(this.events.slice(this.#heard));
    this.#heard = this.events.length;
    const found = this.records.splice(0);
    // Throws when one is not of the form.
    for (const record of found) recordSchema.parse(record);
    return found.filter(({ type }) => type !== 'telemetry');
  }
}

function recorded(): RecordedCore {
  const core = new RecordedCore();
  core.at = 5000;
  core.begin();
  return core;
}

describe('TraceRecorder', () => {
  test('begins with the scheduler in force, and tells each change of it', () => {
    const core = recorded();
    expect(core.newest()).toEqual([
      {
        type: 'scheduler',
        at_ms: 0,
        algorithm: 'fifo',
        weighting: 'manual',
        weights: defaultSchedulerConfig.weights,
      },
    ]);
    core.at += 100;
    const config = { ...defaultSchedulerConfig, algorithm: 'edas' as const };
    core.give({ type: 'configure', config, at: core.at });
    expect(core.newest()).toMatchObject([{ type: 'scheduler', at_ms: 100, algorithm: 'edas' }]);
  });

  test('tells an attempt at its end, with its checkpoints and what it resumed from', () => {
    const core = recorded();
    core.join('w1');
    core.join('w2');
    core.submit('a', { checkpointIntervalMs: 1000, rangeStart: null });
    core.newest();
    const lost = core.run('a', 0, 'w1');
    core.at += 3000;
    core.checkpoint(lost, 1, 0.5, 2900);
    core.at += 1000;
    core.give({ type: 'deregister_worker', workerId: 'w1', at: core.at });
    core.wait(1000);
    const won = core.run('a', 0, 'w2');
    core.at += 2500;
    core.complete(won, { runMs: 2400, cpuSeconds: 1.5, resultJson: '"é"' });
    const records = core.newest();
    const bytes = JSON.stringify({ progress: 0.5 }).length;
    expect(records.map(({ type }) => type)).toEqual([
      'attempt',
      'worker_gone',
      'attempt',
      'job_ended',
    ]);
    expect(records[0]).toMatchObject({
      job: 1,
      index: 0,
      attempt: 1,
      worker: 1,
      assigned_ms: 0,
      started_ms: 0,
      ended_ms: 4000,
      outcome: 'revoked',
      cpu_seconds: null,
      checkpoints: 1,
      checkpoint_bytes: bytes,
      resumed_from: null,
      result_bytes: null,
    });
    expect(records[2]).toMatchObject({
      worker: 2,
      attempt: 2,
      outcome: 'completed',
      run_ms: 2400,
      cpu_seconds: 1.5,
      resumed_from: 0.5,
      run_before_ms: 2900,
      checkpoints: 0,
      checkpoint_bytes: null,
      result_bytes: 4,
    });
  });

  test('an attempt that failed at once has begun, one that was given back has not', () => {
    const core = recorded();
    core.join('w1');
    core.submit('a', { taskCount: 2 });
    core.newest();
    core.at += 50;
    const failed = core.assign('a', 0, 'w1');
    core.at += 3;
    core.fail(failed, { runMs: 2, errorMessage: 'salary', errorType: 'SalaryError' });
    const released = core.assign('a', 1, 'w1');
    core.release(released, 'refused', 'no room for salary');
    const records = core.newest();
    expect(records).toMatchObject([
      { type: 'attempt', outcome: 'failed', started_ms: 51, run_ms: 2 },
      { type: 'attempt', outcome: 'refused', started_ms: null, run_ms: 0 },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/salary/i);
  });

  test('a worker is told when it comes, goes, rests, leaves and comes back', () => {
    const core = recorded();
    core.newest();
    core.join('ada', {
      name: "Ada's",
      type: 'toaster',
      slots: 3,
      isolation: 'ses+bubblewrap',
      labels: { room: 'attic', floor: 'attic' },
    });
    expect(core.newest()).toEqual([
      {
        type: 'worker_joined',
        at_ms: 0,
        worker: 1,
        device: 'w1',
        platform: 'linux',
        isolation: 'ses+bubblewrap',
        slots: 3,
        cores: null,
        labels: { k1: 'v1', k2: 'v1' },
      },
    ]);
    core.heartbeat('ada', { telemetryJson: '{"cpu_cores":4}', rest: 'charging' });
    core.heartbeat('ada', { leaving: true });
    core.give({ type: 'drain_worker', workerId: 'ada', at: core.at });
    core.close('ada');
    core.hello('ada');
    core.give({ type: 'resume_worker', workerId: 'ada', at: core.at });
    core.give({ type: 'leave_worker', workerId: 'ada', at: core.at });
    const told = core.newest();
    expect(told.map((each) => ('why' in each ? `${each.type} ${each.why}` : each.type))).toEqual([
      'worker_joined',
      'worker_paused resting',
      'worker_paused leaving',
      'worker_resumed resting',
      'worker_paused draining',
      'worker_gone disconnected',
      'worker_joined',
      'worker_resumed leaving',
      'worker_resumed draining',
      'worker_gone left',
    ]);
    expect(told[0]).toMatchObject({ cores: 4 });
    expect(told[6]).toMatchObject({ worker: 1, cores: 4 });
  });

  test('requirements fit the codes of labels, and priorities are runs', () => {
    const core = recorded();
    core.join('w1', { labels: { room: 'attic' }, type: 'toaster' });
    core.submit('a', {
      taskCount: 4,
      requirements: { labels: { room: 'attic' }, type: ['toaster', 'pc'], minRamMb: 5 },
      taskPriorities: Int16Array.of(2, 2, -1, 2),
      speculation: { maxCopies: 2, maxShare: 0.1 },
    });
    expect(core.newest().at(-1)).toMatchObject({
      type: 'job',
      requirements: { labels: { k1: 'v1' }, type: ['w1', 'pc'], min_ram_mb: 5 },
      task_priorities: [
        [2, 2],
        [1, -1],
        [1, 2],
      ],
      speculation: { max_copies: 2, max_share: 0.1 },
      input_bytes: null,
    });
  });

  test('begins with the jobs that are open and the workers that are there', () => {
    const core = new RecordedCore();
    core.join('w1');
    core.join('w2');
    core.close('w2');
    core.submit('a', { taskCount: 3 });
    core.submit('b');
    core.complete(core.run('a', 0, 'w1'));
    core.complete(core.run('b', 0, 'w1'));
    core.at = 9000;
    core.begin();
    expect(core.newest()).toMatchObject([
      { type: 'scheduler' },
      { type: 'worker_joined', at_ms: 0, worker: 1 },
      { type: 'job', at_ms: 0, job: 1, tasks: 2, is_from_before: true },
    ]);
    core.hello('w2');
    expect(core.newest()).toMatchObject([{ type: 'worker_joined', worker: 2, device: 'pc' }]);
  });

  test('its time goes on when the clock is set', () => {
    const core = recorded();
    core.newest();
    core.at += 100;
    core.at += 3_600_000;
    core.give({ type: 'set_clock', byMs: 3_600_000, at: core.at });
    core.submit('a');
    expect(core.newest()).toMatchObject([{ type: 'job', at_ms: 100 }]);
  });

  test('telemetry is the first two heartbeats of a worker, then one in ten seconds with the mean load', () => {
    const core = recorded();
    core.join('w1');
    for (let beat = 0; beat < 6; beat++) {
      core.at += 5000;
      core.heartbeat('w1', {
        measured: { ...unmeasured, cpuLoadPercent: 10 * beat, networkLatencyMs: 3 },
      });
    }
    core.newest();
    const samples: TraceRecord[] = [];
    const recorder = new TraceRecorder((record) => samples.push(record));
    const { config } = core.state;
    recorder.begin({ at: 5000, config, workers: [], jobs: [] });
    recorder.hear(core.events);
    const told = samples.flatMap((each) =>
      each.type === 'telemetry' ? [[each.at_ms, each.cpu_load_percent]] : [],
    );
    expect(told).toEqual([
      [0, null],
      [5000, 0],
      [15_000, 15],
      [25_000, 35],
    ]);
  });
});
