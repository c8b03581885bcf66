// What clients and workers notice when a coordinator of three ends or stands still under load: how long no result was
// accepted, how many calls at the others failed, how many tasks were given out again. The times at which results were
// accepted are those that the database has.

import { setTimeout as wait } from 'node:timers/promises';
import { parseAddress } from '../src/store/postgres/driver/address.ts';
import { connect as openDatabase } from '../src/store/postgres/driver/session.ts';
import { inSchema, makeServer } from '../src/store/postgres/testing/server.ts';
import { type Member, Members } from './members.ts';

/** Long enough that two cores are not busy with the tasks alone. */
const source =
  'export default async (n) => { await new Promise((r) => setTimeout(r, 20)); return n; };';
const program = { kind: 'javascript', source } as const;
const slots = 4;
const callEveryMs = 50;
const callTimeoutMs = 15_000;
const steadyMs = 2_000;
const watchedMs = 12_000;
/** Terms that follow one another within this make members patient: each mishap is to be the first. */
const calmMs = 60_000;
/** A little before the mishap: the last result may have been accepted by then. */
const marginMs = 200;

interface Mishap {
  readonly name: string;
  /** Who cannot be called meanwhile; null: each at its time. */
  readonly victim: 'leader' | 'follower' | null;
  run(members: Members, victim: Member): Promise<void>;
  /** Until all are there again. */
  mend(members: Members, victim: Member): Promise<void>;
}

const again = async (_members: Members, victim: Member) => {
  victim.start();
  await victim.ready();
};
const mishaps: readonly Mishap[] = [
  { name: 'leader, kill -9', victim: 'leader', run: (_, one) => one.end('SIGKILL'), mend: again },
  {
    name: 'leader, SIGSTOP',
    victim: 'leader',
    run: async (_, one) => one.freeze(),
    mend: async (_, one) => {
      one.wake();
      await one.ready();
    },
  },
  { name: 'leader, SIGTERM', victim: 'leader', run: (_, one) => one.end('SIGTERM'), mend: again },
  {
    name: 'follower, kill -9',
    victim: 'follower',
    run: (_, one) => one.end('SIGKILL'),
    mend: again,
  },
  {
    name: 'rolling restart',
    victim: null,
    run: async (members) => {
      for (const one of [...(await members.followers()), await members.leader()]) {
        await one.end('SIGTERM');
        one.start();
        await one.ready();
      }
    },
    mend: async () => undefined,
  },
];

interface Noticed {
  readonly pauseMs: number;
  readonly calls: number;
  readonly failed: number;
  readonly slowestMs: number;
  readonly again: number;
}

export async function benchTakeover(print: (line: string) => void, rounds: number): Promise<void> {
  const server = await makeServer({ fsync: true });
  try {
    const store = inSchema(server.url, 'takeover');
    const members = await Members.open(store, 3);
    try {
      // At each, so that whoever ends takes some of them along.
      await members.addWorkers(members.all, slots);
      for (const mishap of mishaps) {
        const noticed: Noticed[] = [];
        for (let round = 0; round < rounds; round++) {
          noticed.push(await play(members, mishap, store));
        }
        print(`${mishap.name}, ${rounds} rounds: ${tell(noticed)}`);
      }
    } finally {
      await members.close();
    }
  } finally {
    await server.remove();
  }
}

async function play(members: Members, mishap: Mishap, store: string): Promise<Noticed> {
  await calm(store);
  const leader = await members.leader();
  const [follower] = await members.followers();
  const victim = mishap.victim === 'leader' ? leader : follower!;
  const inputs = { range: { start: 0, count: 1_000_000 } };
  const job = await leader.client.submit({ program, inputs });
  await wait(steadyMs);
  const others = members.all.filter((member) => mishap.victim === null || member !== victim);
  const caller = new Caller(others);
  const at = Date.now();
  await mishap.run(members, victim);
  const ranMs = Date.now() - at;
  await wait(watchedMs);
  const calls = await caller.stop();
  await mishap.mend(members, victim);
  const { times, again: repeated } = await readJob(store, job.id);
  await (await members.leader()).client.cancel(job.id);
  const until = at + ranMs + watchedMs;
  return { ...calls, again: repeated, pauseMs: longestPause(times, at - marginMs, until) };
}

/** Waits until the newest term is old. */
async function calm(store: string): Promise<void> {
  const client = await openDatabase(parseAddress(store));
  try {
    const { rows } = await client.query<{ age: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::double precision - max(since) as age from terms',
    );
    await wait(Math.max(0, calmMs - rows[0]!.age));
  } finally {
    await client.end();
  }
}

/** Between two neighbours, of which the later lies in the period. */
function longestPause(times: readonly number[], from: number, to: number): number {
  const among = times.filter((time) => time >= from && time <= to);
  const ends = [...among, to];
  return Math.max(...ends.map((time, i) => time - (ends[i - 1] ?? from)));
}

/** Submits a job of one task again and again to these in turn, once each. */
class Caller {
  readonly #calls: Promise<{ readonly ms: number; readonly isGood: boolean }>[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(members: readonly Member[]) {
    let next = 0;
    this.#timer = setInterval(() => {
      this.#calls.push(call(members[next++ % members.length]!));
    }, callEveryMs);
  }

  async stop(): Promise<Pick<Noticed, 'calls' | 'failed' | 'slowestMs'>> {
    clearInterval(this.#timer);
    const calls = await Promise.all(this.#calls);
    return {
      calls: calls.length,
      failed: calls.filter(({ isGood }) => !isGood).length,
      slowestMs: Math.max(...calls.map(({ ms }) => ms)),
    };
  }
}

async function call({ url }: Member): Promise<{ ms: number; isGood: boolean }> {
  const startedAt = performance.now();
  const isGood = await fetch(`${url}/api/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ program, inputs: [1] }),
    signal: AbortSignal.timeout(callTimeoutMs),
  }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
  return { ms: performance.now() - startedAt, isGood };
}

/** When its results were accepted, in order; and how many attempts were not the first. */
async function readJob(
  store: string,
  id: string,
): Promise<{ readonly times: readonly number[]; readonly again: number }> {
  const client = await openDatabase(parseAddress(store));
  try {
    const { rows } = await client.query<{ at: number; attempt: number }>(
      `select tasks.completed_at as at, tasks.attempt from tasks join jobs on jobs.key = tasks.job_key
        where jobs.id = $1 and tasks.status = 2 order by tasks.completed_at`,
      [id],
    );
    return {
      times: rows.map(({ at }) => at),
      again: rows.reduce((sum, { attempt }) => sum + attempt - 1, 0),
    };
  } finally {
    await client.end();
  }
}

function tell(noticed: readonly Noticed[]): string {
  const of = (name: keyof Noticed) => noticed.map((each) => each[name]).toSorted((a, b) => a - b);
  const spread = (name: keyof Noticed) => {
    const sorted = of(name);
    return `${sorted[Math.floor((sorted.length - 1) / 2)]!.toFixed(0)} (worst ${sorted.at(-1)!.toFixed(0)})`;
  };
  return (
    `no result accepted for ${spread('pauseMs')} ms, calls failed ${spread('failed')} of ` +
    `${spread('calls')}, slowest call ${spread('slowestMs')} ms, tasks run again ${spread('again')}`
  );
}
