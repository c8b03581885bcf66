// Everything that can be set by a flag, by the environment or in `muster.config.json`. A flag wins over
// the environment, the environment over the file, the file over the default.

import { availableParallelism } from 'node:os';
import { Option } from 'commander';
import { algorithmIds } from '../../core/snapshot.ts';
import { longestDrainSeconds } from '../../protocol/leaving.ts';
import {
  algorithm,
  allowances,
  coordinatorName,
  decimalNumber,
  labels,
  limits,
  networks,
  oneOf,
  origins,
  pin,
  memberAddress,
  storeAddress,
  timeSpan,
  wholeNumber,
} from './flag-values.ts';

export interface Setting {
  /** Name in the configuration file. */
  readonly key: string;
  /** Name in the environment. */
  readonly variable: string;
  /** The flag on the command line, with its argument. */
  readonly flag: string;
  readonly description: string;
  readonly defaultValue?: string | number;
  /** Describes a default that is known only at run time. */
  readonly defaultWords?: string;
  readonly parse?: (text: string, previous: unknown) => unknown;
}

const PORT_MAX = 65_535;
const SLOTS_MAX = 1_024;
const SECONDS_MAX = 3_600;
const DECISION_LOG_MB_MAX = 4_096;
const DISK_FLOOR_MB_MAX = 10_000_000;
/** A trace that is larger is not read. */
const RECORD_MB_MAX = 1_000;
const MINUTES_MAX = 60 * 24 * 366;
const KEEP_DAYS_MIN = 0.01;
const KEEP_DAYS_MAX = 36_500;
const KEEP_JOBS_MAX = 100_000_000;

export const settings = {
  url: {
    key: 'url',
    variable: 'MUSTER_URL',
    flag: '--url <address>',
    description: 'address of the coordinator; without one, that of the data folder here is asked',
    defaultValue: 'http://127.0.0.1:8000',
  },
  pin: {
    key: 'pin',
    variable: 'MUSTER_PIN',
    flag: '--pin <pin>',
    description:
      "pin of the coordinator's certificate, as `muster serve --tls self-signed` prints it",
    defaultWords: 'what this machine trusts',
    parse: pin,
  },
  token: {
    key: 'token',
    variable: 'MUSTER_TOKEN',
    flag: '--token <token>',
    description:
      'what is shown to a coordinator that asks for a token; other people of this machine can read flags, so better name a file',
    defaultWords: 'the admin token in the data folder of a coordinator on this machine',
  },
  tokenFile: {
    key: 'tokenFile',
    variable: 'MUSTER_TOKEN_FILE',
    flag: '--token-file <file>',
    description: 'a file that holds the token',
  },
  host: {
    key: 'host',
    variable: 'MUSTER_HOST',
    flag: '--host <address>',
    description: 'address to listen on',
    defaultValue: '127.0.0.1',
  },
  port: {
    key: 'port',
    variable: 'MUSTER_PORT',
    flag: '--port <number>',
    description: 'port to listen on; 0 takes a free one',
    defaultValue: 8000,
    parse: wholeNumber('a port', 0, PORT_MAX),
  },
  coordinatorName: {
    key: 'coordinatorName',
    variable: 'MUSTER_COORDINATOR_NAME',
    flag: '--coordinator-name <name>',
    description:
      'what the coordinator is called where a device is asked to join and where it works, from 1 to 60 characters',
    defaultWords: 'its address',
    parse: coordinatorName,
  },
  allowOrigins: {
    key: 'allowOrigins',
    variable: 'MUSTER_ALLOW_ORIGINS',
    flag: '--allow-origin <origin>',
    description:
      'web pages of elsewhere that are served, like https://example.org; may be repeated, or separated by commas',
    defaultWords: 'only pages of the coordinator itself',
    parse: origins,
  },
  tls: {
    key: 'tls',
    variable: 'MUSTER_TLS',
    flag: '--tls <kind>',
    description:
      'self-signed: HTTPS with a certificate that is made once and kept in the data folder; off: plain HTTP',
    defaultValue: 'off',
    parse: oneOf('a kind of TLS', ['self-signed', 'off']),
  },
  tlsCert: {
    key: 'tlsCert',
    variable: 'MUSTER_TLS_CERT',
    flag: '--tls-cert <file>',
    description: 'HTTPS with this certificate (PEM, with those of who signed it); needs --tls-key',
  },
  tlsKey: {
    key: 'tlsKey',
    variable: 'MUSTER_TLS_KEY',
    flag: '--tls-key <file>',
    description: 'the private key of the certificate (PEM); both are read again when they change',
  },
  behindProxy: {
    key: 'behindProxy',
    variable: 'MUSTER_BEHIND_PROXY',
    flag: '--behind-proxy <network>',
    description:
      'a proxy, or a network of them like 10.1.0.0/16, whose X-Forwarded headers are believed; may be repeated, or separated by commas',
    defaultWords: 'none',
    parse: networks,
  },
  dataDir: {
    key: 'dataDir',
    variable: 'MUSTER_DATA_DIR',
    flag: '--data-dir <folder>',
    description: 'where the database and the local workers keep what they must not forget',
    defaultValue: '.muster',
  },
  store: {
    key: 'store',
    variable: 'MUSTER_STORE',
    flag: '--store <place>',
    description: 'sqlite:PATH, or postgres://USER@HOST/DATABASE; sqlite::memory: keeps nothing',
    defaultWords: 'sqlite:muster.db in the data folder',
    parse: storeAddress,
  },
  advertise: {
    key: 'advertise',
    variable: 'MUSTER_ADVERTISE',
    flag: '--advertise <url>',
    description:
      'several coordinators share a database of PostgreSQL: where the others reach this one, like http://10.0.0.5:8000',
    defaultWords: 'it works alone',
    parse: memberAddress,
  },
  lead: {
    key: 'lead',
    variable: 'MUSTER_LEAD',
    flag: '--lead <when>',
    description: 'whether it becomes the one that decides when no other does: auto or never',
    defaultValue: 'auto',
    parse: oneOf('a choice', ['auto', 'never']),
  },
  algorithm: {
    key: 'algorithm',
    variable: 'MUSTER_ALGORITHM',
    flag: '--algorithm <id>',
    description: `scheduling algorithm to switch to: ${algorithmIds.join(', ')}`,
    defaultWords: 'the one that was in force, at first fifo',
    parse: algorithm,
  },
  heartbeatSeconds: {
    key: 'heartbeatSeconds',
    variable: 'MUSTER_HEARTBEAT_SECONDS',
    flag: '--heartbeat-seconds <number>',
    description: 'how often workers report; one that is silent for three times as long is lost',
    defaultValue: 5,
    parse: wholeNumber('a number of seconds', 1, SECONDS_MAX),
  },
  graceSeconds: {
    key: 'graceSeconds',
    variable: 'MUSTER_GRACE_SECONDS',
    flag: '--grace-seconds <number>',
    description: 'how long a worker whose connection closed may take to come back with its tasks',
    defaultValue: 10,
    parse: wholeNumber('a number of seconds', 1, SECONDS_MAX),
  },
  decisionLogMb: {
    key: 'decisionLogMb',
    variable: 'MUSTER_DECISION_LOG_MB',
    flag: '--decision-log-mb <number>',
    description:
      'memory for past decisions of the scheduler, so that `muster explain` can tell them',
    defaultValue: 4,
    parse: wholeNumber('a number of MB', 0, DECISION_LOG_MB_MAX),
  },
  blobKeepMinutes: {
    key: 'blobKeepMinutes',
    variable: 'MUSTER_BLOB_KEEP_MINUTES',
    flag: '--blob-keep-minutes <number>',
    description: 'how long a blob is kept that nothing refers to',
    defaultValue: 60,
    parse: wholeNumber('a number of minutes', 1, MINUTES_MAX),
  },
  keepDays: {
    key: 'keepDays',
    variable: 'MUSTER_KEEP_DAYS',
    flag: '--keep-days <number>',
    description:
      'how long a job and its results are kept after its end, when the job does not say so itself',
    defaultWords: 'for good',
    parse: decimalNumber('a number of days', KEEP_DAYS_MIN, KEEP_DAYS_MAX),
  },
  keepJobs: {
    key: 'keepJobs',
    variable: 'MUSTER_KEEP_JOBS',
    flag: '--keep-jobs <number>',
    description: 'so many jobs are kept after their end; those that ended first go first',
    defaultWords: 'all',
    parse: wholeNumber('a number of jobs', 1, KEEP_JOBS_MAX),
  },
  keepWorkersDays: {
    key: 'keepWorkersDays',
    variable: 'MUSTER_KEEP_WORKERS_DAYS',
    flag: '--keep-workers-days <number>',
    description:
      'a worker that is away for so long is removed; it registers anew when it comes back',
    defaultValue: 30,
    parse: decimalNumber('a number of days', KEEP_DAYS_MIN, KEEP_DAYS_MAX),
  },
  keepPagesDays: {
    key: 'keepPagesDays',
    variable: 'MUSTER_KEEP_PAGES_DAYS',
    flag: '--keep-pages-days <number>',
    description: 'the same for workers in a page of a browser (type browser)',
    defaultValue: 1,
    parse: decimalNumber('a number of days', KEEP_DAYS_MIN, KEEP_DAYS_MAX),
  },
  notifyAllow: {
    key: 'notifyAllow',
    variable: 'MUSTER_NOTIFY_ALLOW',
    flag: '--notify-allow <place>',
    description:
      'a host, an address or a network like 10.1.0.0/16 that may be told of the ends of jobs though it is not public; may be repeated, or separated by commas',
    defaultWords: 'public addresses alone',
    parse: allowances,
  },
  notify: {
    key: 'notify',
    variable: 'MUSTER_NOTIFY',
    flag: '--notify <use>',
    description: 'whether others are told of the ends of jobs that ask for it: on or off',
    defaultValue: 'on',
    parse: oneOf('a value of notify', ['on', 'off']),
  },
  audit: {
    key: 'audit',
    variable: 'MUSTER_AUDIT',
    flag: '--audit <use>',
    description:
      'who has done what is written down: on, off, or auto (where tokens are needed, and with --open; else only tokens made and revoked, starts and stops)',
    defaultValue: 'auto',
    parse: oneOf('a value of audit', ['on', 'off', 'auto']),
  },
  auditKeepDays: {
    key: 'auditKeepDays',
    variable: 'MUSTER_AUDIT_KEEP_DAYS',
    flag: '--audit-keep-days <number>',
    description: 'how long entries of the audit log are kept in the database',
    defaultValue: 1_095,
    parse: decimalNumber('a number of days', KEEP_DAYS_MIN, KEEP_DAYS_MAX),
  },
  auditKeepEntries: {
    key: 'auditKeepEntries',
    variable: 'MUSTER_AUDIT_KEEP_ENTRIES',
    flag: '--audit-keep-entries <number>',
    description:
      'so many entries of what was done are kept in the database, and a quarter as many refusals',
    defaultValue: 1_000_000,
    parse: wholeNumber('a number of entries', 1, KEEP_JOBS_MAX),
  },
  pressureDelayMs: {
    key: 'pressureDelayMs',
    variable: 'MUSTER_PRESSURE_DELAY_MS',
    flag: '--pressure-delay-ms <number>',
    description:
      'new work is refused with 503 while everything waits for so long on average; 0 for never',
    defaultValue: 500,
    parse: wholeNumber('a number of milliseconds', 0, SECONDS_MAX),
  },
  pressureHeapPercent: {
    key: 'pressureHeapPercent',
    variable: 'MUSTER_PRESSURE_HEAP_PERCENT',
    flag: '--pressure-heap-percent <number>',
    description:
      'new work is refused with 503 while more of the JavaScript heap is in use; 0 for never',
    defaultValue: 90,
    parse: wholeNumber('a percentage', 0, 100),
  },
  workers: {
    key: 'workers',
    variable: 'MUSTER_WORKERS',
    flag: '--workers <number>',
    description: 'worker processes to start on this machine',
    defaultValue: 0,
    parse: wholeNumber('a number of workers', 0, SLOTS_MAX),
  },
  isolation: {
    key: 'isolation',
    variable: 'MUSTER_ISOLATION',
    flag: '--isolation <use>',
    description:
      'bubblewrap around the sandbox of tasks: auto (where it works), require (no worker without) or off',
    defaultValue: 'auto',
    parse: oneOf('a value of isolation', ['auto', 'require', 'off']),
  },
  logLevel: {
    key: 'logLevel',
    variable: 'MUSTER_LOG_LEVEL',
    flag: '--log-level <level>',
    description: 'what is logged to stderr: debug, info, warn, error or silent',
    defaultWords: 'info; where the log is text, warn',
    parse: oneOf('a log level', ['debug', 'info', 'warn', 'error', 'silent']),
  },
  logFormat: {
    key: 'logFormat',
    variable: 'MUSTER_LOG_FORMAT',
    flag: '--log-format <format>',
    description: 'how it is logged: text, or json (a line of JSON each)',
    defaultWords: 'text on a terminal, else json; of `worker` and `start` text',
    parse: oneOf('a format of logs', ['text', 'json']),
  },
  diskFloorMb: {
    key: 'diskFloorMb',
    variable: 'MUSTER_DISK_FLOOR_MB',
    flag: '--disk-floor-mb <number>',
    description: 'the log warns while fewer MB are free for the database; 0 for never',
    defaultValue: 1000,
    parse: wholeNumber('a number of MB', 0, DISK_FLOOR_MB_MAX),
  },
  minFreeDiskMb: {
    key: 'minFreeDiskMb',
    variable: 'MUSTER_MIN_FREE_DISK_MB',
    flag: '--min-free-disk-mb <number>',
    description:
      'new jobs, blobs and checkpoints are refused while fewer MB are free for the database; 0 for never',
    defaultValue: 256,
    parse: wholeNumber('a number of MB', 0, DISK_FLOOR_MB_MAX),
  },
  record: {
    key: 'record',
    variable: 'MUSTER_RECORD',
    flag: '--record <file>',
    description:
      'write what happens as a trace, without names and data, for muster simulate and muster compare; the file must not exist',
    defaultWords: 'nothing is recorded',
  },
  recordMb: {
    key: 'recordMb',
    variable: 'MUSTER_RECORD_MB',
    flag: '--record-mb <number>',
    description: 'the trace ends when it is so large; the coordinator goes on',
    defaultValue: 256,
    parse: wholeNumber('a number of MB', 1, RECORD_MB_MAX),
  },
  workerName: {
    key: 'workerName',
    variable: 'MUSTER_WORKER_NAME',
    flag: '--name <text>',
    description: 'what the worker is called in lists',
    defaultWords: 'the name of this machine',
  },
  leaveDeadline: {
    key: 'leaveDeadline',
    variable: 'MUSTER_LEAVE_DEADLINE',
    flag: '--deadline <time>',
    description:
      'when the worker is told to end: how long running tasks may take to save their state or to finish, like 90s, 30m or 2h',
    defaultValue: 20,
    parse: timeSpan(0, longestDrainSeconds),
  },
  slots: {
    key: 'slots',
    variable: 'MUSTER_SLOTS',
    flag: '--slots <number>',
    description: 'tasks that run at the same time',
    defaultWords: 'one less than there are cores',
    parse: wholeNumber('a number of slots', 1, SLOTS_MAX),
  },
  stateDir: {
    key: 'stateDir',
    variable: 'MUSTER_STATE_DIR',
    flag: '--state-dir <folder>',
    description: 'where the worker keeps who it is',
    defaultWords: '~/.muster/worker; for a second one ~/.muster/worker-2, and so on',
  },
  labels: {
    key: 'labels',
    variable: 'MUSTER_LABELS',
    flag: '--label <key=value>',
    description: 'what jobs can require of this worker; may be repeated, or separated by commas',
    parse: labels,
  },
  limits: {
    key: 'limits',
    variable: 'MUSTER_LIMITS',
    flag: '--limit <name=number>',
    description:
      'of the interface, like result_bytes=4194304; may be repeated, or separated by commas',
    defaultWords:
      'see the table of limits; connections: 50000, or what the limit of open files allows',
    parse: limits,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingId = keyof typeof settings;

/** The flag of a setting. Its value may come from the environment. */
export function settingOption(id: SettingId): Option {
  const setting: Setting = settings[id];
  const option = new Option(setting.flag, setting.description).env(setting.variable);
  if (setting.defaultValue !== undefined) option.default(setting.defaultValue);
  if (setting.defaultWords !== undefined) option.default(undefined, setting.defaultWords);
  if (setting.parse !== undefined) option.argParser(setting.parse);
  return option;
}

export function defaultSlots(): number {
  return Math.max(1, availableParallelism() - 1);
}
