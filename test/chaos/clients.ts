// Clients that submit small jobs and ask for whatever may be asked of them, several of the same job at once, each
// time through another member.

import { randomUUID } from 'node:crypto';
import type { JobSubmission } from '../../src/client/index.ts';
import type { JobCall, JobCalls } from './job-calls.ts';

export const tasksPerJob = 6;
const mostCallsPerJob = 24;

/** Every second job has a task that fails at first. Values differ between attempts: one is accepted of each. */
function smallJob(): JobSubmission {
  const failing = Math.random() < 0.5 ? -1 : Math.floor(Math.random() * tasksPerJob);
  return {
    program: {
      kind: 'javascript',
      source: `export default async (n, { attempt }) => {
        await new Promise((resolve) => setTimeout(resolve, ${20 + Math.floor(Math.random() * 200)}));
        if (n === ${failing} && attempt === 1) throw new Error('not at first');
        return { n, attempt };
      }`,
    },
    inputs: { range: { start: 0, count: tasksPerJob } },
    name: 'small',
    max_attempts: 1,
    max_lost_attempts: 100,
    priority: 10,
  };
}

/** How often each is asked, of a hundred. */
const shares: readonly (readonly [JobCall, number])[] = [
  ['read', 40],
  ['results', 20],
  ['follow', 12],
  ['retry', 12],
  ['cancel', 10],
  ['delete', 6],
];

interface Known {
  readonly key: string;
  readonly job: JobSubmission;
  /** Of the newest answer: a key that is used again after a removal makes another job. */
  id: string;
  calls: number;
}

export class Clients {
  readonly #calls: JobCalls;
  readonly #members: readonly { readonly url: string }[];
  readonly #end: AbortSignal;
  readonly #open: Known[] = [];
  readonly #all: Known[] = [];

  constructor(calls: JobCalls, members: readonly { readonly url: string }[], end: AbortSignal) {
    this.#calls = calls;
    this.#members = members;
    this.#end = end;
  }

  get jobs(): number {
    return this.#all.length;
  }

  /** One client, until the end. */
  async live(): Promise<void> {
    while (!this.#end.aborted) {
      const known = this.#open.length < 4 ? await this.#submit() : drawn(this.#open);
      if (known !== undefined) await this.#ask(known);
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 150));
    }
  }

  /** What is there in the end, of every job and at every member. */
  async readAll(calls: JobCalls): Promise<void> {
    for (const { key, id } of this.#all) {
      for (const { url } of this.#members) await calls.make(url, key, id, 'read');
      await calls.make(drawn(this.#members).url, key, id, 'results');
    }
  }

  async #submit(): Promise<Known | undefined> {
    const [key, job] = [randomUUID(), smallJob()];
    while (!this.#end.aborted) {
      const id = await this.#calls.submit(drawn(this.#members).url, key, job);
      if (id !== undefined) {
        const known = { key, job, id, calls: 0 };
        this.#open.push(known);
        this.#all.push(known);
        return known;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return undefined;
  }

  async #ask(known: Known): Promise<void> {
    if (++known.calls > mostCallsPerJob) {
      const at = this.#open.indexOf(known);
      if (at !== -1) this.#open.splice(at, 1);
      return;
    }
    const { url } = drawn(this.#members);
    if (Math.random() < 0.06) {
      known.id = (await this.#calls.submit(url, known.key, known.job)) ?? known.id;
    } else await this.#calls.make(url, known.key, known.id, drawnCall());
  }
}

function drawnCall(): JobCall {
  let left = Math.random() * shares.reduce((sum, [, share]) => sum + share, 0);
  for (const [call, share] of shares) {
    left -= share;
    if (left < 0) return call;
  }
  return 'read';
}

function drawn<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)]!;
}
