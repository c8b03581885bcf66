// A job that behaves: what it answers can be no violation. Its tasks end by themselves between two calls.

import type { JobStatus, TaskCounts } from '../../../src/protocol/resources.ts';
import type { JobOperation, SeenResult } from './job-register.ts';

/** Numbers from 0 to below 1. */
export type Chance = () => number;

export class TrueJob {
  readonly #chance: Chance;
  readonly #count: number;
  #tasks: ('open' | SeenResult['status'])[] | undefined;
  #isCancelled = false;
  #generation = 0;

  constructor(count: number, chance: Chance) {
    this.#count = count;
    this.#chance = chance;
  }

  /** The operation with its answer. `isLost`: nobody learns it, and it may not have arrived. */
  ask(type: JobOperation['type'], isLost: boolean): JobOperation {
    this.#progress();
    const id = `job ${this.#generation}`;
    if (type === 'submit') {
      if (isLost && this.#chance() < 0.5) return { type, answer: null };
      if (this.#tasks === undefined) this.#begin();
      return { type, answer: isLost ? null : { id: this.#id, status: this.#status } };
    }
    const isReading = type === 'read' || type === 'results';
    if (isLost && !isReading && this.#chance() < 0.5) return { type, id, answer: null };
    if (this.#tasks === undefined) return this.#missing(type, id, isLost);
    if (type === 'read') {
      return { type, id, answer: { status: this.#status, counts: this.#counts } };
    }
    if (type === 'results')
      return { type, id, answer: this.#results, isPart: this.#chance() < 0.3 };
    const answer = this.#change(type);
    return { type, id, answer: isLost ? null : answer } as JobOperation;
  }

  #missing(
    type: Exclude<JobOperation['type'], 'submit'>,
    id: string,
    isLost: boolean,
  ): JobOperation {
    if (type === 'results') return { type, id, answer: 'not_found', isPart: false };
    return { type, id, answer: isLost && type !== 'read' ? null : 'not_found' } as JobOperation;
  }

  get #id(): string {
    return `job ${this.#generation}`;
  }

  #begin(): void {
    this.#generation++;
    this.#tasks = Array.from({ length: this.#count }, () => 'open');
    this.#isCancelled = false;
  }

  #change(type: 'cancel' | 'retry' | 'delete'): string {
    const tasks = this.#tasks!;
    const isFinal = !tasks.includes('open');
    switch (type) {
      case 'cancel':
        if (isFinal) return 'job_is_final';
        this.#isCancelled = true;
        this.#tasks = tasks.map((task) => (task === 'open' ? 'cancelled' : task));
        return this.#status;
      case 'retry':
        if (!tasks.includes('failed')) return 'nothing_to_retry';
        this.#isCancelled = false;
        this.#tasks = tasks.map((task) => (task === 'completed' ? task : 'open'));
        return this.#status;
      case 'delete':
        if (!isFinal) return 'job_not_final';
        this.#tasks = undefined;
        return 'deleted';
    }
  }

  #progress(): void {
    this.#tasks = this.#tasks?.map((task) => {
      if (task !== 'open' || this.#chance() < 0.5) return task;
      return this.#chance() < 0.7 ? 'completed' : 'failed';
    });
  }

  get #status(): JobStatus {
    const tasks = this.#tasks!;
    if (this.#isCancelled) return 'cancelled';
    if (tasks.includes('open')) return this.#chance() < 0.5 ? 'pending' : 'running';
    return tasks.includes('failed') ? 'failed' : 'completed';
  }

  get #counts(): TaskCounts {
    const of = (status: string) => this.#tasks!.filter((task) => task === status).length;
    const [completed, failed, cancelled] = [of('completed'), of('failed'), of('cancelled')];
    return { pending: 0, assigned: 0, running: of('open'), completed, failed, cancelled };
  }

  get #results(): SeenResult[] {
    return this.#tasks!.flatMap((status, index) => {
      if (status === 'open') return [];
      return [
        { index, status, value: status === 'completed' ? `${this.#generation}.${index}` : null },
      ];
    });
  }
}
