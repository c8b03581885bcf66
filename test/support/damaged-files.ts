// Database files of a known content, closed and then damaged as disks do it; and what is served from them
// afterwards, against what was served before. Everything follows from the seed.

import { copyFile, mkdtemp, open, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createCoordinator } from '../../src/coordinator/index.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import {
  attemptRow,
  batch,
  blobOf,
  completedRow,
  failedRow,
  jobRow,
  programRow,
  startAt,
} from '../../src/store/conformance/rows.ts';

export const damages = ['one byte', '16 bytes', 'page elsewhere', 'truncation'] as const;
export type Damage = (typeof damages)[number];

/** `wrong value`: as 200, what was never stored. `wrong fact`: the same of a worker, a time, a name. */
export type Outcome = 'refused' | 'wrong value' | 'wrong fact' | 'told' | 'no effect';

export interface Trial {
  readonly damage: Damage;
  readonly outcome: Outcome;
  /** The first thing that was wrong; empty if nothing was. */
  readonly wrong: string;
}

export interface TrialOptions {
  readonly seed: number;
  readonly files: number;
  /** Tasks of the large job; a thousand take 2 MB, of short texts 0.5 MB. */
  readonly tasks: number;
  /** Long ones leave little room in the file for anything else; very long ones are eight times as long. */
  readonly texts: keyof typeof scales;
}

const scales = { short: 0, long: 1, 'very long': 8 } as const;
const pageBytes = 4096;
const blob = blobOf(300_000);

export async function tryDamages({
  seed,
  files,
  tasks,
  texts,
}: TrialOptions): Promise<readonly Trial[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-damaged-'));
  try {
    const whole = join(folder, 'whole.db');
    await makeFile(whole, tasks, scales[texts]);
    const random = randomFrom(seed);
    const truth = await readAll(whole, tasks);
    if (truth === 'refused') throw new Error('the file without damage was refused');
    const trials: Trial[] = [];
    for (let i = 0; i < files; i++) {
      const damage = damages[i % damages.length]!;
      const path = join(folder, `${i}.db`);
      await copyFile(whole, path);
      await inflict(damage, path, random);
      const seen = await readAll(path, tasks);
      trials.push({ damage, ...(seen === 'refused' ? refused : compare(truth, seen)) });
      for (const suffix of ['', '-wal', '-shm', '.lock']) await rm(path + suffix, { force: true });
    }
    return trials;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const refused = { outcome: 'refused', wrong: '' } as const;

/** A job with long texts as results, one with errors, one that waits, and a blob. */
async function makeFile(path: string, tasks: number, scale: number): Promise<void> {
  const store = openSqliteStore(path);
  const done = { completedAt: startAt + 99, startedAt: startAt } as const;
  const failures = Math.ceil(tasks / 20);
  const waiting = Math.ceil(tasks / 4);
  await store.commit(
    batch({
      jobs: [
        jobRow(1, { taskCount: tasks }, { ...done, status: 'completed', completed: tasks }),
        jobRow(2, { taskCount: failures }, { ...done, status: 'failed', failed: failures }),
        jobRow(3, { taskCount: waiting }),
      ],
      tasks: Array.from({ length: failures }, (_, index) => failedRow(2, index)),
      attempts: Array.from({ length: failures }, (_, index) => attemptRow(2, index, 1)),
      payloads: [3].map((jobKey) => ({
        jobKey,
        program: programRow(JSON.stringify({ kind: 'javascript', source: text('program', 3_000) })),
        inputs: Array.from({ length: waiting }, (_, index) =>
          quoted(`input ${index}`, scale * 800),
        ),
      })),
    }),
    startAt,
  );
  for (let from = 0, sequence = 2; from < tasks; from += 500, sequence++) {
    const count = Math.min(500, tasks - from);
    const rows = Array.from({ length: count }, (_, i) =>
      // Some are longer than a page of the file.
      completedRow(1, from + i, quoted(`result ${from + i}`, scale * (i % 10 === 0 ? 9_000 : 700))),
    );
    await store.commit(batch({ sequence, tasks: rows }), startAt);
  }
  await store.putBlob(blob.sha256, blob.bytes, startAt);
  await store.close();
}

function quoted(what: string, length: number): string {
  return JSON.stringify(text(what, length));
}

function text(what: string, length: number): string {
  return `${what} `.repeat(1 + Math.ceil(length / (what.length + 1)));
}

/** Somewhere in the file, each byte as likely as the next. */
async function inflict(damage: Damage, path: string, random: () => number): Promise<void> {
  const { size } = await stat(path);
  const at = Math.floor(random() * (size - 16));
  if (damage === 'truncation') return truncate(path, at);
  const file = await open(path, 'r+');
  if (damage === 'page elsewhere') {
    const page = Buffer.alloc(pageBytes);
    const from = Math.floor(random() * (size / pageBytes)) * pageBytes;
    await file.read(page, 0, pageBytes, from);
    await file.write(page, 0, pageBytes, Math.floor(at / pageBytes) * pageBytes);
  } else {
    const bytes = Buffer.alloc(damage === 'one byte' ? 1 : 16);
    await file.read(bytes, 0, bytes.length, at);
    // Never the same as before.
    for (let i = 0; i < bytes.length; i++) bytes[i]! ^= 1 + Math.floor(random() * 255);
    await file.write(bytes, 0, bytes.length, at);
  }
  await file.close();
}

/** Answers by what was asked for: a text, or that it was refused. */
type Answers = ReadonlyMap<string, Answer>;
type Answer = { readonly status: number; readonly text: string };

const notTold: Answer = { status: 500, text: '' };

/** What a coordinator on this file serves. */
async function readAll(path: string, tasks: number): Promise<Answers | 'refused'> {
  const started = await start(path);
  if (started === undefined) return 'refused';
  const { store, coordinator, server } = started;
  const answers = new Map<string, Answer>();
  const get = async (url: string) => {
    answers.set(
      url,
      await server.app.inject({ url, headers: { host: 'localhost' } }).then(
        ({ statusCode, rawPayload }) => ({
          status: statusCode,
          text: rawPayload.toString('latin1'),
        }),
        // The connection was cut.
        () => notTold,
      ),
    );
  };
  for (const job of ['job-1', 'job-2']) {
    await get(`/api/jobs/${job}/results`);
    await get(`/api/jobs/${job}`);
    for (let part = 0; part < 10; part++) {
      await get(
        `/api/jobs/${job}/tasks/${Math.floor(((job === 'job-1' ? tasks : 50) * part) / 10)}`,
      );
    }
  }
  await get('/api/jobs');
  await get(`/api/blobs/${blob.sha256}`);
  const ask = async (name: string, read: () => Promise<unknown>) => {
    answers.set(
      name,
      await read().then(
        (value) => ({ status: 200, text: JSON.stringify(value) ?? '' }),
        () => notTold,
      ),
    );
  };
  await ask('program', () => store.findProgram(3));
  for (let index = 0; index < Math.ceil(tasks / 4); index++) {
    await ask(`input ${index}`, () => store.readInputs(3, [index]));
  }
  await server.close();
  await coordinator.stop();
  await store.close().catch(() => undefined);
  return answers;
}

async function start(path: string) {
  let store: ReturnType<typeof openSqliteStore> | undefined;
  try {
    store = openSqliteStore(path);
    const coordinator = await createCoordinator({ store, runtime: createRealRuntime() });
    const log = pino({ level: 'silent' });
    const server = createServer({ coordinator, limits: defaultLimits, log });
    await server.app.ready();
    return { store, coordinator, server };
  } catch {
    await store?.close();
    return undefined;
  }
}

interface ResultLine {
  readonly index: number;
  readonly error?: { readonly type: string };
}

function compare(truth: Answers, seen: Answers): Pick<Trial, 'outcome' | 'wrong'> {
  let told = false;
  let fact = '';
  for (const [name, expected] of truth) {
    const found = seen.get(name)!;
    if (found.status === 500) {
      told = true;
    } else if (name.endsWith('/results')) {
      const lines = linesOf(found.text);
      const wanted = JSON.parse(expected.text) as readonly ResultLine[];
      const hasAll = lines.length === wanted.length;
      const differing = wanted.findIndex((line, place) => {
        const other = lines[place];
        if (other?.index === line.index && other.error?.type === 'store_damaged') {
          told = true;
          return false;
        }
        return JSON.stringify(other) !== JSON.stringify(line);
      });
      if (!hasAll || differing >= 0)
        return { outcome: 'wrong value', wrong: `${name} ${differing}` };
    } else if (found.status !== expected.status || found.text !== expected.text) {
      const isFact = name.startsWith('/api/jobs') && sameValue(found, expected);
      if (!isFact) return { outcome: 'wrong value', wrong: name };
      fact = name;
    }
  }
  if (fact !== '') return { outcome: 'wrong fact', wrong: fact };
  return { outcome: told ? 'told' : 'no effect', wrong: '' };
}

/** None, if it is not even JSON. */
function linesOf(body: string): readonly ResultLine[] {
  try {
    return JSON.parse(body) as readonly ResultLine[];
  } catch {
    return [];
  }
}

/** Of a task: its result and error. A job has neither. */
function sameValue(found: Answer, expected: Answer): boolean {
  if (found.status !== expected.status) return false;
  const of = ({ text: body }: Answer) => {
    const { result, error } = JSON.parse(body) as { result?: unknown; error?: unknown };
    return JSON.stringify([result, error]);
  };
  try {
    return of(found) === of(expected);
  } catch {
    return false;
  }
}

/** https://en.wikipedia.org/wiki/Linear_congruential_generator, the constants of Numerical Recipes. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
