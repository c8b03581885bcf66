// Which workers a period is about, and what each of them did in it.

/** What was counted for a worker. */
export interface CountedWork {
  readonly workerId: string;
  /** Accepted results. */
  readonly completed: number;
  /** Attempts that ended by an error or a time-out; a task may fail on several workers. */
  readonly failed: number;
  /** Attempts in `failed` whose task was tried again. */
  readonly retried: number;
  /** Run time of the attempts in `completed`. */
  readonly completedMs: number;
  /** Run time of the attempts in `completed` and in `failed`. */
  readonly busyMs: number;
  readonly energyJoules: number;
  /** Run time of `superseded` attempts. */
  readonly wastedMs: number;
}

export interface KnownWorker {
  readonly id: string;
  /** Order of registration. */
  readonly key: number;
  readonly name: string | null;
  /** False for one that was removed. */
  readonly isRegistered: boolean;
  readonly type: string;
  readonly platform: string;
  readonly activeTasks: number;
  readonly registeredAt: number;
  /** When it was last online: now, its last sign of life, or its deregistration. */
  readonly onlineUntil: number;
}

export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface WorkerWork extends CountedWork {
  readonly name: string | null;
  readonly isRegistered: boolean;
  readonly type: string;
  readonly platform: string;
  readonly activeTasks: number;
}

/**
 * One line for every registered worker that was online at some moment of the period or did something in
 * it, and for every removed one that completed or failed something in it, in the order of registration.
 */
export function workersOf(
  period: Period,
  known: Iterable<KnownWorker>,
  counted: readonly CountedWork[],
): readonly WorkerWork[] {
  const workOf = new Map(counted.map((work) => [work.workerId, work]));
  const lines: WorkerWork[] = [];
  for (const worker of [...known].sort((a, b) => a.key - b.key)) {
    const { id, name, isRegistered, type, platform, activeTasks } = worker;
    const work = workOf.get(id);
    // A worker that was deregistered between two reads is listed twice.
    workOf.delete(id);
    const isCounted =
      hasEnded(work) || (isRegistered && (work !== undefined || wasOnline(worker, period)));
    if (!isCounted || lines.at(-1)?.workerId === id) continue;
    const device = { name, isRegistered, type, platform, activeTasks };
    lines.push({ ...(work ?? { workerId: id, ...nothing }), ...device });
  }
  for (const work of workOf.values()) {
    if (hasEnded(work)) lines.push({ ...work, ...unknownDevice });
  }
  return lines;
}

export function sumWork(works: readonly CountedWork[]): Omit<CountedWork, 'workerId'> {
  const sum = { ...nothing };
  for (const work of works) {
    sum.completed += work.completed;
    sum.failed += work.failed;
    sum.retried += work.retried;
    sum.completedMs += work.completedMs;
    sum.busyMs += work.busyMs;
    sum.energyJoules += work.energyJoules;
    sum.wastedMs += work.wastedMs;
  }
  return sum;
}

/** Null when tasks ended and no worker or estimate says what they cost. */
export function knownEnergy({
  completed,
  failed,
  energyJoules,
}: Pick<CountedWork, 'completed' | 'failed' | 'energyJoules'>): number | null {
  return energyJoules === 0 && completed + failed > 0 ? null : energyJoules;
}

/** It completed or failed something. */
function hasEnded(work: CountedWork | undefined): boolean {
  return work !== undefined && work.completed + work.failed > 0;
}

const unknownDevice = {
  name: null,
  isRegistered: false,
  type: 'unknown',
  platform: 'unknown',
  activeTasks: 0,
};

function wasOnline({ registeredAt, onlineUntil }: KnownWorker, { from, to }: Period): boolean {
  return registeredAt <= to && onlineUntil >= from;
}

const nothing = {
  completed: 0,
  failed: 0,
  retried: 0,
  completedMs: 0,
  busyMs: 0,
  energyJoules: 0,
  wastedMs: 0,
};
