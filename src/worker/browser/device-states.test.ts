import { describe, expect, test } from 'vitest';
import { DeviceStates, phaseOf, type PhaseSigns } from './device-states.ts';
import type { DevicePhase, DeviceState } from './page-messages.ts';

const idle: PhaseSigns = {
  isLeaving: false,
  isResting: false,
  isConnected: true,
  hasBeenConnected: true,
  isWaiting: false,
  running: 0,
};

test.each<[DevicePhase, Partial<PhaseSigns>]>([
  ['idle', {}],
  ['working', { running: 1 }],
  ['waiting', { isWaiting: true }],
  ['offline', { isConnected: false, running: 1 }],
  ['connecting', { isConnected: false, hasBeenConnected: false }],
  ['resting', { isResting: true, isConnected: false, running: 1 }],
  ['leaving', { isLeaving: true, isResting: true }],
])('a device is %s when %j', (phase, signs) => {
  expect(phaseOf({ ...idle, ...signs })).toBe(phase);
});

describe('the page', () => {
  function shown() {
    const told: string[] = [];
    const now = { ms: 0, phase: 'idle' as DevicePhase, kept: 0 };
    const states = new DeviceStates(
      () => ({ phase: now.phase, kept: now.kept }) as DeviceState,
      ({ phase, kept }) => told.push(`${now.ms} ${phase} ${kept}`),
      () => now.ms,
    );
    const look = (ms: number, phase: DevicePhase, kept = 0) => {
      Object.assign(now, { ms, phase, kept });
      states.look(phase);
    };
    return { told, look };
  }

  test('is shown what changes twice a second, and another phase at once', () => {
    const { told, look } = shown();
    look(0, 'connecting');
    look(10, 'idle');
    look(20, 'idle', 1);
    look(510, 'idle', 2);
    look(520, 'offline', 2);
    expect(told).toEqual(['0 connecting 0', '10 idle 0', '510 idle 2', '520 offline 2']);
  });

  test('is not shown a flicker between short tasks', () => {
    const { told, look } = shown();
    look(0, 'idle');
    for (let ms = 1; ms < 1_000; ms++) look(ms, ms % 2 === 0 ? 'idle' : 'working');
    expect(told).toEqual(['0 idle 0', '501 working 0']);
  });

  test('is told nothing twice', () => {
    const { told, look } = shown();
    for (let ms = 0; ms < 5_000; ms += 500) look(ms, 'idle');
    expect(told).toEqual(['0 idle 0']);
  });
});
