import { describe, expect, test } from 'vitest';
import { scenes } from '../../../../test/support/worker-page/scenes.ts';
import type { DeviceState, Withheld } from '../../../worker/browser/page-messages.ts';
import { plain } from '../view.ts';
import type { Place } from './place.ts';
import { stateView } from './state-view.ts';

const nowMs = new Date(2026, 5, 1, 20, 0).getTime();
const place: Place = {
  noun: 'phone',
  isHandheld: true,
  host: 'muster.lab.example',
  withheld: [],
  nowMs,
};

function stateOf(name: string): DeviceState {
  const { says } = scenes[name]!;
  if (says.type !== 'state') throw new Error(`${name} is no state`);
  return says.state;
}

const said = (state: DeviceState, where = place) =>
  plain(stateView(state, where).say).replaceAll(/\s/g, ' ');
const withholding = (...withheld: Withheld[]): Place => ({ ...place, withheld });
const notes = (where: Place, state = stateOf('working')) =>
  stateView(state, where).notes.map(({ title }) => title);

test('idle, it does not say that nothing waits', () => {
  const view = stateView(stateOf('idle'), place);
  expect(plain(view.headline)).toBe('Ready. No fitting task right now.');
  expect(said(stateOf('idle'))).toMatch(/^The next that fits starts by itself\./);
});

test('what warms it before its first task is not from here', () => {
  const warm = { ...stateOf('idle').signs, pressure: 'fair' };
  const none = { tasks: 0, failed: 0, helpedMs: 0, bytes: 0, energyJoules: null };
  const felt = (state: DeviceState) => stateView(state, place).facts.at(-1)?.value;
  expect(felt({ ...stateOf('idle'), signs: warm, session: none })).toBe(
    'a bit warm, not from here',
  );
  expect(felt({ ...stateOf('idle'), signs: warm, session: { ...none, helpedMs: 900 } })).toBe(
    'a bit warm',
  );
});

test('drained, it does not say that the next task is on its way', () => {
  const state = { ...stateOf('idle'), isDrained: true };
  const { headline, name } = stateView(state, place);
  expect([name, plain(headline)]).toEqual(['drained', 'Nothing new for now']);
  expect(said(state)).toMatch(/^Whoever runs .+ gives it no new tasks\. You can leave/);
});

describe('at rest', () => {
  test('it is not said to rest while tasks run', () => {
    for (const because of [
      'paused',
      'charging',
      'battery',
      'metered',
      'hours',
      'hidden',
    ] as const) {
      const view = stateView(
        {
          ...stateOf('working'),
          phase: 'resting',
          rest: { because, isSettling: true, saved: [], untilMs: null },
        },
        place,
      );
      expect(plain(view.headline), because).toBe('Coming to rest');
      expect(plain(view.say), because).toContain('Two tasks stop at the next safe point');
      expect(view.ring?.arcs, because).toEqual([0.62, 0.27]);
    }
  });

  test('it says why, and what became of the tasks', () => {
    expect(said(stateOf('resting-charging'))).toBe(
      'You asked it to help only while charging. Nothing is lost. Two tasks are saved at 62 % and 27 %.',
    );
  });

  test('it says until when, of the moment that is known, else of the rule', () => {
    const state = stateOf('resting-hours');
    expect(plain(stateView(state, place).headline)).toBe('Resting until 22:00');
    const untilMs = new Date(2026, 5, 2, 6, 15).getTime();
    const later = { ...state, rest: { ...state.rest!, untilMs } };
    expect(plain(stateView(later, place).headline)).toBe('Resting until tomorrow, 06:15');
  });

  test('the screen may go dark', () => {
    expect(stateView(stateOf('paused'), place).isHelping).toBe(false);
    expect(stateView(stateOf('idle'), place).isHelping).toBe(true);
  });
});

describe('at work', () => {
  test('it says for whom, unless everything belongs to the one who asks', () => {
    const state = stateOf('working');
    const by = (...owners: string[]) => ({
      ...state,
      tasks: owners.map((owner, i) => ({ ...state.tasks[0]!, key: `${i}`, owner, leftMs: null })),
    });
    expect([
      said(by('local', 'local')),
      said(by('Noor', 'Noor')),
      said(by('Noor', 'Ana')),
      said(by('Noor', 'Ana', 'Li')),
    ]).toEqual(['', 'For Noor. ', 'For Noor and Ana. ', 'For three people. ']);
  });

  test('it says how long it may use the battery', () => {
    const state = { ...stateOf('idle'), ignoresBatteryUntilMs: nowMs + 3_600_000 };
    expect(said(state)).toMatch(/On battery until 21:00, as you allowed\.$/);
    expect(said({ ...state, ignoresBatteryUntilMs: nowMs - 1 })).not.toContain('battery');
  });

  test('news are read out by kind, not by number', () => {
    const view = stateView(stateOf('working'), place);
    expect([plain(view.headline), view.announcement]).toEqual(['Working on two tasks', 'Working']);
  });
});

describe('what is withheld', () => {
  test('is told where it matters, and makes the ring amber', () => {
    expect(notes(withholding('wake_lock', 'storage', 'battery', 'metered'))).toEqual([
      'Keep this page in front.',
      'Nothing can be kept here.',
      'Battery and network not known.',
    ]);
    expect(stateView(stateOf('working'), withholding('storage')).tone).toBe('care');
  });

  test('is not told of what nobody asked for, or where it does no harm', () => {
    const lenient = { ...stateOf('working').rules, onlyCharging: false, onlyUnmetered: false };
    const state = { ...stateOf('working'), rules: lenient };
    const withheld = withholding('battery', 'metered', 'pressure', 'offline_page');
    expect(notes(withheld, state)).toEqual([]);
    expect(notes({ ...withholding('wake_lock'), isHandheld: false, noun: 'computer' })).toEqual([]);
    expect(stateView(state, withheld).tone).toBe('go');
  });

  test('has one reason where the address is not secure', () => {
    expect(notes(withholding('secure_context', 'battery', 'wake_lock', 'metered'))).toEqual([
      'This address is not secure.',
    ]);
  });

  test('makes no promise about results that cannot be kept', () => {
    expect(said(stateOf('offline'), withholding('storage'))).toMatch(/Leave this page open/);
    expect(said(stateOf('offline'))).not.toMatch(/Leave this page open/);
  });
});
