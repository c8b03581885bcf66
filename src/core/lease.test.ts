// A lease for now: a device that may fall asleep is waited for, and goes on with the same attempts.

import { describe, expect, test } from 'vitest';
import { graceOf, heartbeatMsOf, leaseOf } from './lease.ts';
import { defaultCoreSettings } from './settings.ts';
import { type Held, ScriptedCore } from './testing/scripted-core.ts';

const lost = 'j.0 #1 lost (worker_lost), charged: loss';
const cutOff = 'j.0 #1 lost (connection_lost), charged: loss';

function stage(): { core: ScriptedCore; held: Held } {
  const core = new ScriptedCore();
  core.submit('j');
  core.join('w');
  const held = core.run('j', 0, 'w');
  return { core, held };
}

describe('a worker with a lease for now', () => {
  test('may be silent for so long, and no longer', () => {
    const { core } = stage();
    expect(core.heartbeat('w', { leaseMs: 300_000 })).toEqual([
      'worker w observed',
      'worker w has a lease of 300000',
    ]);
    expect(core.wait(299_999)).not.toContain(lost);
    expect(core.wait(1)).toContain(lost);
  });

  test('has its old lease from the first heartbeat without one', () => {
    const { core } = stage();
    core.heartbeat('w', { leaseMs: 300_000 });
    core.wait(1000);
    expect(core.heartbeat('w')).toEqual(['worker w observed', 'worker w has a lease of old']);
    expect(core.wait(14_999)).toEqual([]);
    expect(core.wait(1)).toContain(lost);
  });

  test('has as long to come back after its connection closed, with the same attempt', () => {
    const { core, held } = stage();
    core.heartbeat('w', { leaseMs: 300_000, rest: 'hidden' });
    core.close('w');
    expect(core.wait(299_999)).toEqual([]);
    expect(core.hello('w', [{ ...held, state: 'running' }], { rest: 'hidden' })).toEqual([
      'worker w connected',
      'j.0 #1 named',
    ]);
    expect(core.complete(held)).toContain('j.0 #1 completed');
  });

  test('is given up when that time is over', () => {
    const { core } = stage();
    core.heartbeat('w', { leaseMs: 300_000 });
    core.close('w');
    core.wait(299_999);
    expect(core.wait(1)).toContain(cutOff);
  });

  test('keeps it over a hello that says that it rests on, and loses it with one that does not', () => {
    const { core, held } = stage();
    const claims = [{ ...held, state: 'running' as const }];
    core.heartbeat('w', { leaseMs: 300_000, rest: 'hidden' });
    core.hello('w', claims, { rest: 'hidden' });
    expect(core.worker('w').leaseNowMs).toBe(300_000);
    expect(core.wait(299_999)).not.toContain(lost);
    expect(core.hello('w', claims)).toEqual([
      'worker w connected',
      'worker w works',
      'worker w has a lease of old',
      'j.0 #1 named',
    ]);
    expect(core.wait(15_000)).toContain(lost);
  });

  test('over plain HTTP has as long to name what it was given', () => {
    const core = new ScriptedCore();
    core.submit('j');
    core.join('w');
    const call = { workerId: 'w', connectionId: -1, asksForWork: true };
    core.give({ type: 'attach_worker', ...call, at: core.at });
    core.assign('j', 0, 'w');
    const [attempt] = core.worker('w').attempts;
    core.give({ type: 'deliver_attempt', attempt: attempt!, sequence: 1, at: core.at });
    core.wait(10_000);
    core.heartbeat('w', { leaseMs: 300_000 });
    expect(core.wait(299_999).filter((line) => line.includes('lost'))).toEqual([]);
    expect(core.wait(1)).toContain('j.0 #1 lost (connection_lost)');
  });
});

describe('the lease', () => {
  const state = { settings: { ...defaultCoreSettings, longestLeaseMs: 600_000 }, mostWorkers: 1 };

  test.each([
    [null, null, 15_000],
    [60_000, null, 60_000],
    [60_000, 300_000, 300_000],
    [300_000, 60_000, 60_000],
    [60_000, 5_000, 15_000],
    [null, 86_400_000, 600_000],
  ])('of a hello with %j and a heartbeat with %j is %j ms', (leaseMs, leaseNowMs, given) => {
    expect(leaseOf(state, { leaseMs, leaseNowMs })).toBe(given);
  });

  test('is the grace only where it is one for now, and never shorter than that of all', () => {
    const { graceMs } = defaultCoreSettings;
    expect(graceOf(state, { leaseMs: 60_000, leaseNowMs: null })).toBe(graceMs);
    expect(graceOf(state, { leaseMs: null, leaseNowMs: 300_000 })).toBe(300_000);
    const long = { ...state, settings: { ...state.settings, graceMs: 60_000 } };
    expect(graceOf(long, { leaseMs: null, leaseNowMs: 20_000 })).toBe(60_000);
  });
});

describe('with more workers than may speak within an interval', () => {
  function crowd(settings: object = {}): ScriptedCore {
    const core = new ScriptedCore({ heartbeatsPerSecond: 0.2, ...settings });
    for (const name of ['u', 'v', 'w']) core.join(name);
    return core;
  }

  test.each([
    [0, 5000, 15_000],
    [20_000, 5000, 15_000],
    [20_001, 5001, 15_003],
    [100_000, 25_000, 75_000],
  ])('of %i each speaks every %i ms and may be silent for %i', (mostWorkers, everyMs, leaseMs) => {
    const state = { settings: defaultCoreSettings, mostWorkers };
    expect(heartbeatMsOf(state)).toBe(everyMs);
    expect(leaseOf(state, { leaseMs: null })).toBe(leaseMs);
  });

  test('one is waited for as much longer', () => {
    const core = crowd();
    core.submit('j');
    core.run('j', 0, 'w');
    core.heartbeat('w');
    expect(core.wait(44_999)).not.toContain(lost);
    expect(core.wait(1)).toContain(lost);
  });

  test('is not expected to speak more often when some have gone: it has not been told', () => {
    const core = crowd();
    core.give({ type: 'deregister_worker', workerId: 'u', at: core.at });
    core.give({ type: 'deregister_worker', workerId: 'v', at: core.at });
    expect(heartbeatMsOf(core.state)).toBe(15_000);
    expect(leaseOf(core.state, { leaseMs: null })).toBe(45_000);
  });

  test('an interval that was set is kept to', () => {
    const { state } = crowd({ heartbeatsPerSecond: null });
    expect(heartbeatMsOf(state)).toBe(5000);
    expect(leaseOf(state, { leaseMs: null })).toBe(15_000);
  });
});
