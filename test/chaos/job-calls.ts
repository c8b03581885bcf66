// Calls about jobs as a client makes them that asks once and repeats nothing: each goes into the history with what was
// answered, or with nobody knowing what became of it.

import type { JobSubmission } from '../../src/client/index.ts';
import type { JobStatus, TaskCounts } from '../../src/protocol/resources.ts';
import type { History, Outcome } from '../support/history/history.ts';
import type {
  JobOperation,
  Refused,
  SeenResult,
  Settled,
} from '../support/history/job-register.ts';

const callMs = 15_000;

interface Asked {
  readonly status: number;
  readonly text: string;
}

interface Line {
  readonly index: number;
  readonly status: Settled;
  readonly value?: unknown;
}

const refusals: readonly Refused[] = ['job_is_final', 'job_not_final', 'nothing_to_retry'];
/** Refused before anything was done. */
const harmless = new Set(['shutting_down', 'busy', 'overloaded']);

export type JobCall = 'read' | 'results' | 'follow' | 'cancel' | 'retry' | 'delete';

export class JobCalls {
  readonly #history: History<JobOperation>;
  readonly #end: AbortSignal;
  /** Answers that no sound member gives. */
  readonly faults: string[] = [];

  constructor(history: History<JobOperation>, end: AbortSignal) {
    this.#history = history;
    this.#end = end;
  }

  /** The id, when it was answered. */
  async submit(url: string, key: string, job: JobSubmission): Promise<string | undefined> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const outcome = await this.#history.record(key, async () => {
      const asked = await this.#ask(`${url}/api/jobs`, 'POST', {
        headers,
        body: JSON.stringify(job),
      });
      return this.#changed(asked, { type: 'submit', answer: null }, ({ id, status }) => ({
        type: 'submit',
        answer: { id, status },
      }));
    });
    if (outcome.type !== 'answered' || outcome.operation.type !== 'submit') return undefined;
    return outcome.operation.answer?.id;
  }

  async make(url: string, key: string, id: string, call: JobCall): Promise<Outcome<JobOperation>> {
    const job = `${url}/api/jobs/${id}`;
    return this.#history.record(key, async (): Promise<Outcome<JobOperation>> => {
      switch (call) {
        case 'read':
          return this.#read(await this.#ask(`${job}?tasks=false`), id);
        case 'results':
          return this.#results(await this.#ask(`${job}/results`), id);
        case 'follow':
          return this.#followed(await this.#ask(`${job}/results?follow=true`), id);
        case 'delete':
          return this.#changed(
            await this.#ask(job, 'DELETE'),
            { type: 'delete', id, answer: null },
            () => ({ type: 'delete', id, answer: 'deleted' }),
          );
        case 'cancel':
        case 'retry':
          return this.#changed(
            await this.#ask(`${job}/${call}`, 'POST'),
            { type: call, id, answer: null },
            ({ status }) => ({ type: call, id, answer: status }),
          );
      }
    });
  }

  #read(asked: Asked | undefined, id: string): Outcome<JobOperation> {
    if (asked?.status === 404) {
      return { type: 'answered', operation: { type: 'read', id, answer: 'not_found' } };
    }
    if (asked?.status !== 200) return this.#nothing(asked);
    const { status, counts } = JSON.parse(asked.text) as { status: JobStatus; counts: TaskCounts };
    return { type: 'answered', operation: { type: 'read', id, answer: { status, counts } } };
  }

  #results(asked: Asked | undefined, id: string): Outcome<JobOperation> {
    const operation = { type: 'results', id, isPart: false } as const;
    if (asked?.status === 404) {
      return { type: 'answered', operation: { ...operation, answer: 'not_found' } };
    }
    if (asked?.status !== 200) return this.#nothing(asked);
    const answer = (JSON.parse(asked.text) as Line[]).map(seen);
    return { type: 'answered', operation: { ...operation, answer } };
  }

  #followed(asked: Asked | undefined, id: string): Outcome<JobOperation> {
    const operation = { type: 'results', id, isPart: true } as const;
    if (asked?.status === 404) {
      return { type: 'answered', operation: { ...operation, answer: 'not_found' } };
    }
    if (asked?.status !== 200) return this.#nothing(asked);
    // What is behind the last line end was cut off.
    const lines = asked.text.split('\n').slice(0, -1);
    const answer = lines
      .filter((line) => line !== '')
      .map((line) => seen(JSON.parse(line) as Line));
    return { type: 'answered', operation: { ...operation, answer } };
  }

  #changed(
    asked: Asked | undefined,
    unknown: JobOperation,
    taken: (body: { readonly id: string; readonly status: JobStatus }) => JobOperation,
  ): Outcome<JobOperation> {
    if (asked === undefined) return { type: 'unknown', operation: unknown };
    if (asked.status < 300) {
      const body = JSON.parse(asked.text) as { readonly id: string; readonly status: JobStatus };
      return { type: 'answered', operation: taken(body) };
    }
    const code = codeOf(asked);
    if (code !== undefined && harmless.has(code)) return { type: 'none' };
    const refused = asked.status === 404 ? 'not_found' : refusals.find((each) => each === code);
    if (refused !== undefined && unknown.type !== 'submit' && unknown.type !== 'read') {
      return { type: 'answered', operation: { ...unknown, answer: refused } as JobOperation };
    }
    if (asked.status < 500) this.faults.push(`${unknown.type}: ${asked.status} ${asked.text}`);
    return { type: 'unknown', operation: unknown };
  }

  #nothing(asked: Asked | undefined): Outcome<JobOperation> {
    if (asked !== undefined && asked.status < 500 && asked.status !== 429) {
      this.faults.push(`a read: ${asked.status} ${asked.text}`);
    }
    return { type: 'none' };
  }

  /** Undefined: no answer, or not to its end, but that of a stream, of which what came is told. */
  async #ask(url: string, method = 'GET', options: RequestInit = {}): Promise<Asked | undefined> {
    const signal = AbortSignal.any([this.#end, AbortSignal.timeout(callMs)]);
    let text = '';
    try {
      const response = await fetch(url, { method, signal, ...options });
      const isStream = url.endsWith('follow=true');
      try {
        const decoder = new TextDecoder();
        for await (const bytes of response.body ?? [])
          text += decoder.decode(bytes, { stream: true });
      } catch (error) {
        if (!isStream) throw error;
      }
      return { status: response.status, text };
    } catch {
      return undefined;
    }
  }
}

function seen({ index, status, value }: Line): SeenResult {
  return { index, status, value: status === 'completed' ? JSON.stringify(value) : null };
}

function codeOf({ text }: Asked): string | undefined {
  try {
    return (JSON.parse(text) as { readonly code?: string }).code;
  } catch {
    return undefined;
  }
}
