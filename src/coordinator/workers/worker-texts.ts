// Workers as JSON text, made once for each change of a worker and not for each answer. What a text was made of is
// kept beside it and compared: nobody has to say that a worker has changed, and so nobody can forget to. The score
// is put in at the end, for every decision may change those of all.

import type { WorkerRecord } from '../../core/records.ts';
import { afterScore, beforeScore, type ShownWorker } from './worker-resource.ts';

/** Characters of texts that are kept at most: those of twenty thousand workers and more. */
const mostKept = 16 * 1024 * 1024;

/** For whom: who sees all, or an owner, to whom nothing is told of what workers measure and refuse. */
export type Audience = 'all' | 'owners';

export class WorkerTexts {
  /** Texts that were made since the start. */
  made = 0;
  readonly #audience: Audience;
  #kept = new WeakMap<object, WorkerText>();
  #keptChars = 0;

  constructor(audience: Audience) {
    this.#audience = audience;
  }

  /** Of a resource as `workerResource` makes it; owners are told no score. */
  textOf(worker: WorkerRecord, leaseMs: number, score: number | null): string {
    let text = this.#kept.get(worker);
    if (text?.isOf(worker, leaseMs) !== true) {
      const before = text;
      text = new WorkerText(worker, leaseMs, this.#audience);
      this.made++;
      this.#keep(worker, text, before);
    }
    return text.with(this.#audience === 'all' ? score : null);
  }

  #keep(worker: WorkerRecord, text: WorkerText, before: WorkerText | undefined): void {
    const chars = this.#keptChars + text.chars - (before?.chars ?? 0);
    if (chars <= mostKept) {
      this.#kept.set(worker, text);
      this.#keptChars = chars;
      return;
    }
    // Nobody has told of the workers that are gone: it begins anew with those that are there.
    this.#kept = new WeakMap();
    this.#keptChars = 0;
  }
}

/** A field of `ShownWorker` that may change, and is missing here, does not compile. */
type Compared = {
  readonly [F in keyof Omit<ShownWorker, 'id' | 'registeredAt' | 'joined'>]: ShownWorker[F];
};

class WorkerText implements Compared {
  readonly name;
  readonly type;
  readonly platform;
  readonly slots;
  readonly kinds;
  readonly runtimes;
  readonly labels;
  readonly isolation;
  readonly version;
  readonly connection;
  readonly waitsUntil;
  readonly draining;
  readonly leaving;
  readonly rest;
  readonly quarantine;
  readonly unwilling;
  readonly lastHeartbeatAt;
  readonly telemetryJson;
  readonly activeTasks;
  readonly totalCompleted;
  readonly totalFailed;
  readonly #leaseMs: number;
  readonly #before: string;
  readonly #after: string;

  constructor(worker: ShownWorker, leaseMs: number, audience: Audience) {
    this.name = worker.name;
    this.type = worker.type;
    this.platform = worker.platform;
    this.slots = worker.slots;
    this.kinds = worker.kinds;
    this.runtimes = worker.runtimes;
    this.labels = worker.labels;
    this.isolation = worker.isolation;
    this.version = worker.version;
    this.connection = worker.connection;
    this.waitsUntil = worker.waitsUntil;
    this.draining = worker.draining;
    this.leaving = worker.leaving;
    this.rest = worker.rest;
    this.quarantine = worker.quarantine;
    this.unwilling = worker.unwilling;
    this.lastHeartbeatAt = worker.lastHeartbeatAt;
    this.telemetryJson = worker.telemetryJson;
    this.activeTasks = worker.activeTasks;
    this.totalCompleted = worker.totalCompleted;
    this.totalFailed = worker.totalFailed;
    this.#leaseMs = leaseMs;
    const view = views[audience];
    this.#before = `${JSON.stringify(view.before(worker, leaseMs)).slice(0, -1)},"score":`;
    const after = JSON.stringify(view.after(worker)).slice(1);
    this.#after = after === '}' ? after : `,${after}`;
  }

  get chars(): number {
    return this.#before.length + this.#after.length;
  }

  with(score: number | null): string {
    return this.#before + (score === null ? 'null' : JSON.stringify(score)) + this.#after;
  }

  isOf(worker: WorkerRecord, leaseMs: number): boolean {
    return (
      this.lastHeartbeatAt === worker.lastHeartbeatAt &&
      this.activeTasks === worker.activeTasks &&
      this.totalCompleted === worker.totalCompleted &&
      this.totalFailed === worker.totalFailed &&
      this.telemetryJson === worker.telemetryJson &&
      this.connection === worker.connection &&
      this.name === worker.name &&
      this.type === worker.type &&
      this.platform === worker.platform &&
      this.slots === worker.slots &&
      this.kinds === worker.kinds &&
      this.runtimes === worker.runtimes &&
      this.labels === worker.labels &&
      this.isolation === worker.isolation &&
      this.version === worker.version &&
      this.waitsUntil === worker.waitsUntil &&
      this.draining === worker.draining &&
      this.leaving === worker.leaving &&
      this.rest === worker.rest &&
      this.quarantine === worker.quarantine &&
      this.unwilling === worker.unwilling &&
      this.#leaseMs === leaseMs
    );
  }
}

interface View {
  readonly before: (worker: ShownWorker, leaseMs: number) => object;
  readonly after: (worker: ShownWorker) => object;
}

const views: Readonly<Record<Audience, View>> = {
  all: { before: beforeScore, after: afterScore },
  owners: {
    before: (worker, leaseMs) => withoutTelemetry(beforeScore(worker, leaseMs)),
    after: (worker) => withoutReasons(afterScore(worker)),
  },
};

export function withoutTelemetry<W extends object>(worker: W): W {
  return { ...worker, telemetry: {} };
}

/** Its reason to refuse is what somebody's task was told, and its token has a label of the admin's. */
export function withoutReasons<W extends object>(worker: W): W {
  const { refusing: _, joined_by: _label, ...rest } = worker as { refusing?: 0; joined_by?: 0 };
  return rest as W;
}
