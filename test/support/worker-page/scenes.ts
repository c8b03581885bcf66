// Everything that the page of a browser worker can show, by name: what the agent says to bring it about.

import type {
  DeviceEnd,
  DeviceState,
  Done,
  FromAgent,
  KnownDevice,
  LinkSays,
  OwnerRules,
  PageSigns,
  RestReason,
  TaskView,
} from '../../../src/worker/browser/page-messages.ts';

/** Of the right form, and of nobody. */
export const joinToken = 'mst_j_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_0zp4vtx';

const minute = 60_000;
const lab = 'Lindqvist Lab';
const longLab =
  'Institut für theoretische und angewandte Molekularbiologie der Universität Lindqvist-Hohenstaufen';

export const rules: OwnerRules = {
  onlyCharging: true,
  minBatteryPercent: null,
  onlyUnmetered: true,
  hours: null,
  slots: 2,
  name: '',
};

const signs: PageSigns = {
  isVisible: true,
  isOnline: true,
  batteryPercent: 91,
  isCharging: true,
  isMetered: false,
  networkType: 'wifi',
  pressure: 'fair',
  isKeptAwake: true,
};

const done = (tasks: number, minutes: number): Done => ({
  tasks,
  failed: 0,
  helpedMs: minutes * minute,
  bytes: 61_400_000,
  energyJoules: 10_800,
});

const task = (key: string, progress: number | null, leftMs: number | null): TaskView => ({
  key,
  jobId: '0199b3a2-7c1e-7d7e-9a63-3f0c2b5a8e10',
  owner: 'Noor',
  progress,
  ranMs: 34_000,
  leftMs,
});

const twoTasks = [task('a', 0.62, 12_000), task('b', 0.27, 21_000)];

const link: LinkSays = { ok: true, coordinatorName: lab, label: null, needsApproval: false };

export function known(parts: Partial<KnownDevice> = {}): FromAgent {
  const device: KnownDevice = {
    rules,
    slotsMax: 4,
    isMember: false,
    kept: 0,
    withheld: [],
    isElsewhere: false,
    coordinatorName: null,
    link,
    ...parts,
  };
  return { type: 'known', device };
}

export function state(parts: Partial<DeviceState> = {}): FromAgent {
  const device: DeviceState = {
    phase: 'working',
    coordinatorName: lab,
    workerId: 'w1',
    isDrained: false,
    rest: null,
    tasks: twoTasks,
    today: done(48, 72),
    session: done(48, 72),
    recent: Array.from({ length: 48 }, (_, i) => (i === 20 ? 'failed' : 'done')),
    doneEver: 48,
    lastRequest: null,
    kept: 0,
    notice: null,
    signs,
    cpuLoadPercent: null,
    rules,
    ignoresBatteryUntilMs: null,
    withheld: [],
    ...parts,
  };
  return { type: 'state', state: device };
}

function resting(because: RestReason, parts: Partial<DeviceState> = {}): FromAgent {
  return state({
    phase: 'resting',
    tasks: [],
    rest: { because, isSettling: false, saved: [0.62, 0.27], untilMs: null },
    ...parts,
  });
}

function ended(end: Partial<DeviceEnd> & Pick<DeviceEnd, 'why'>): FromAgent {
  return { type: 'ended', end: { detail: '', session: done(52, 91), ...end } };
}

const unplugged: PageSigns = {
  ...signs,
  batteryPercent: 74,
  isCharging: false,
  pressure: 'nominal',
};

export interface Scene {
  /** `data-view` of the page. */
  readonly view: string;
  readonly says: FromAgent;
  readonly headline: string;
  /** What the buttons say: the main one first, or null where there is none. */
  readonly buttons: readonly [main: string | null, ...soft: string[]];
  /** The browser tells neither battery nor network, and cannot keep the screen on. */
  readonly isPoor?: boolean;
}

const leave = 'Stop and leave';

export const scenes: Readonly<Record<string, Scene>> = {
  consent: {
    view: 'consent',
    says: known(),
    headline: 'Lindqvist Lab asks this phone to help with its calculations',
    buttons: ['Start helping', 'Not now'],
  },
  'consent-approval': {
    view: 'consent',
    says: known({
      link: { ok: true, coordinatorName: longLab, label: null, needsApproval: true },
      withheld: ['storage'],
    }),
    headline: `${longLab} asks this phone to help with its calculations`,
    buttons: ['Start helping', 'Not now'],
  },
  'consent-poor': {
    view: 'consent',
    says: known(),
    headline: 'Lindqvist Lab asks this phone to help with its calculations',
    buttons: ['Start helping', 'Not now'],
    isPoor: true,
  },
  return: {
    view: 'return',
    says: known({ isMember: true, kept: 2, link: null }),
    headline: 'Let this phone help HOST again?',
    buttons: ['Start helping', 'Not now', 'Forget this device'],
  },
  'no-link': {
    view: 'no-link',
    says: known({ link: null }),
    headline: 'There is no invitation here',
    buttons: [null],
  },
  'ended-link': {
    view: 'ended-link',
    says: known({ link: { ok: false, isOver: true, detail: 'The token has expired.' } }),
    headline: 'This link has ended',
    buttons: [null],
  },
  'refused-link': {
    view: 'refused-link',
    says: known({
      link: {
        ok: false,
        isOver: false,
        detail: 'The coordinator does not answer. Try again in a moment.',
      },
    }),
    headline: 'The invitation cannot be read now',
    buttons: ['Try again'],
  },
  elsewhere: {
    view: 'elsewhere',
    says: known({ isElsewhere: true }),
    headline: 'Another tab helps already',
    buttons: [null],
  },
  connecting: {
    view: 'connecting',
    says: state({ phase: 'connecting', tasks: [], coordinatorName: lab }),
    headline: 'Looking for Lindqvist Lab',
    buttons: ['Pause', leave],
  },
  waiting: {
    view: 'waiting',
    says: state({ phase: 'waiting', tasks: [], recent: [], doneEver: 0, today: done(0, 0) }),
    headline: 'Waiting to be let in',
    buttons: [null, leave],
  },
  idle: {
    view: 'idle',
    says: state({ phase: 'idle', tasks: [], signs: { ...signs, pressure: 'nominal' } }),
    headline: 'Ready. No fitting task right now.',
    buttons: ['Pause', leave],
  },
  drained: {
    view: 'drained',
    says: state({ phase: 'idle', isDrained: true, tasks: [] }),
    headline: 'Nothing new for now',
    buttons: ['Pause', leave],
  },
  working: {
    view: 'working',
    says: state(),
    headline: 'Working on two tasks',
    buttons: ['Pause', leave],
  },
  'working-many': {
    view: 'working',
    says: state({
      tasks: [0.9, 0.71, null, 0.4, 0.3, 0.2, 0.1].map((progress, i) => ({
        ...task(`t${i}`, progress, 80_000),
        owner: i % 2 === 0 ? 'Noor' : 'Prof. Dr. Maximiliane von Lindqvist-Hohenstaufen',
      })),
      coordinatorName: longLab,
      today: done(12_480, 700),
      doneEver: 12_480,
      recent: Array.from({ length: 60 }, () => 'done' as const),
      signs: { ...signs, pressure: 'critical' },
      notice: 'A task took too much memory and was ended.',
    }),
    headline: 'Working on seven tasks',
    buttons: ['Pause', leave],
  },
  degraded: {
    view: 'working',
    says: state({
      tasks: twoTasks.slice(0, 1),
      withheld: ['storage'],
      doneEver: 168,
      signs: { ...signs, batteryPercent: null, isCharging: null, pressure: null },
    }),
    headline: 'Working, but gently',
    isPoor: true,
    buttons: ['Pause', leave],
  },
  'resting-charging': {
    view: 'resting',
    says: resting('charging', { signs: unplugged }),
    headline: 'Resting until it is plugged in',
    buttons: ['Help on battery for an hour', 'Change the rules', leave],
  },
  'resting-battery': {
    view: 'resting',
    says: resting('battery', {
      signs: { ...unplugged, batteryPercent: 34 },
      rules: { ...rules, onlyCharging: false, minBatteryPercent: 40 },
      rest: { because: 'battery', isSettling: false, saved: [0.62, null], untilMs: null },
    }),
    headline: 'Resting until the battery is at 40\u202f%',
    buttons: ['Help on battery for an hour', 'Change the rules', leave],
  },
  'resting-metered': {
    view: 'resting',
    says: resting('metered', { signs: { ...signs, isMetered: true } }),
    headline: 'Resting until there is Wi-Fi',
    buttons: ['Change the rules', leave],
  },
  'resting-hours': {
    view: 'resting',
    says: resting('hours', { rules: { ...rules, hours: { fromMinute: 1_320, toMinute: 420 } } }),
    headline: 'Resting until 22:00',
    buttons: ['Change the rules', leave],
  },
  'resting-hidden': {
    view: 'resting',
    says: resting('hidden'),
    headline: 'Resting while it is out of sight',
    buttons: ['Pause', leave],
  },
  settling: {
    view: 'paused',
    says: resting('paused', {
      tasks: twoTasks,
      rest: { because: 'paused', isSettling: true, saved: [], untilMs: null },
    }),
    headline: 'Coming to rest',
    buttons: ['Go on', leave],
  },
  paused: {
    view: 'paused',
    says: resting('paused'),
    headline: 'Paused',
    buttons: ['Go on', leave],
  },
  offline: {
    view: 'offline',
    says: state({ phase: 'offline', kept: 2, signs: { ...signs, isOnline: false } }),
    headline: 'No connection',
    buttons: ['Pause', leave],
  },
  leaving: {
    view: 'leaving',
    says: state({ phase: 'leaving' }),
    headline: 'Handing over',
    buttons: [null],
  },
  finished: {
    view: 'finished',
    says: ended({ why: 'left', detail: 'Another device goes on with the last task.' }),
    headline: 'Thank you. You helped for 1\u00a0h 31\u00a0min.',
    buttons: ['Help again', 'Forget this device'],
  },
  removed: {
    view: 'removed',
    says: ended({ why: 'removed' }),
    headline: 'Thank you. This device is no longer needed.',
    buttons: [null, 'Forget this device'],
  },
  refused: {
    view: 'refused',
    says: ended({ why: 'refused', detail: 'An operator has said no to this device.' }),
    headline: 'It was not let in',
    buttons: ['Try again', 'Forget this device'],
  },
  fault: {
    view: 'fault',
    says: ended({ why: 'fault', detail: 'The agent ended: RangeError: Invalid array length' }),
    headline: 'It has stopped here',
    buttons: ['Try again'],
  },
};
