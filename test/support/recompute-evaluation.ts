// What the evaluation endpoints say, computed anew from an exported table and from nothing else: its own reader of CSV,
// its own formulas, taken from docs/reference/evaluation.md. It imports nothing of the program.

export interface TableRow {
  readonly [column: string]: string;
}

/** RFC 4180. */
export function readTable(text: string): readonly TableRow[] {
  const records: string[][] = [];
  let record: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    record.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    records.push(record);
    record = [];
    if (field.lastIndex === text.length) break;
  }
  if (record.length > 0 || records.length === 0) throw new Error('the table ends in a row');
  const [head = [], ...rows] = records;
  return rows.map((cells) => {
    if (cells.length !== head.length) throw new Error(`${cells.length} cells: ${cells.join()}`);
    return Object.fromEntries(head.map((name, place) => [name, cells[place]!]));
  });
}

export interface Recomputed {
  readonly tasksCompleted: number;
  readonly retried: number;
  readonly averageTaskSeconds: number;
  readonly tasksPerSecond: number;
  readonly jain: number;
  readonly variation: number;
  readonly joules: number;
  readonly wastedSeconds: number;
  readonly workers: ReadonlyMap<string, RecomputedWorker>;
  /** By the second in which they ended, in ms. */
  readonly seconds: ReadonlyMap<number, { readonly completed: number; readonly failed: number }>;
}

export interface RecomputedWorker {
  readonly name: string;
  readonly completed: number;
  readonly failed: number;
  readonly busySeconds: number;
  readonly averageTaskSeconds: number | null;
  readonly throughput: number;
  readonly failureRate: number;
  readonly joules: number;
  readonly share: number;
}

export function recompute(rows: readonly TableRow[]): Recomputed {
  const done = rows.filter(isDone);
  const names = new Map(
    rows.map(({ worker_id = '', worker_name = '' }) => [worker_id, worker_name]),
  );
  const workers = new Map(
    [...names].map(([id, name]) => {
      const its = rows.filter(({ worker_id }) => worker_id === id);
      return [id, ofWorker(name, its, done.length)] as const;
    }),
  );
  const loads = [...workers.values()].map(({ completed }) => completed);
  const mean = done.length / loads.length;
  const squares = sum(loads.map((load) => load * load));
  return {
    tasksCompleted: done.length,
    retried: rows.filter((row) => isFailed(row) && isFollowed(row, rows)).length,
    averageTaskSeconds: secondsOf(done) / done.length,
    tasksPerSecond: done.length / coveredSeconds(rows),
    jain: done.length ** 2 / (loads.length * squares),
    variation: Math.sqrt(sum(loads.map((load) => (load - mean) ** 2)) / loads.length) / mean,
    joules: joulesOf(done),
    wastedSeconds: secondsOf(rows.filter(({ outcome }) => outcome === 'superseded')),
    workers,
    seconds: bySecond(rows),
  };
}

function ofWorker(name: string, rows: readonly TableRow[], all: number): RecomputedWorker {
  const done = rows.filter(isDone);
  const failed = rows.filter(isFailed);
  const ended = done.length + failed.length;
  const busySeconds = secondsOf([...done, ...failed]);
  const countedSeconds = Math.max(busySeconds, ended / 1000);
  return {
    name,
    completed: done.length,
    failed: failed.length,
    busySeconds,
    averageTaskSeconds: done.length === 0 ? null : secondsOf(done) / done.length,
    throughput: ended === 0 ? 0 : done.length / countedSeconds,
    failureRate: ended === 0 ? 0 : failed.length / ended,
    joules: joulesOf(done),
    share: all === 0 ? 0 : done.length / all,
  };
}

function isDone({ outcome }: TableRow): boolean {
  return outcome === 'completed';
}

function isFailed({ outcome, given_up_as }: TableRow): boolean {
  return outcome === 'failed' || outcome === 'timed_out' || given_up_as === 'timed_out';
}

/** Another attempt of the task came after it. */
function isFollowed(row: TableRow, rows: readonly TableRow[]): boolean {
  const number = Number(row['attempt']);
  return rows.some(
    (each) => each['task_id'] === row['task_id'] && Number(each['attempt']) > number,
  );
}

/** The length of the union of the intervals in which a job was open. */
function coveredSeconds(rows: readonly TableRow[]): number {
  const spans = new Map<string, { from: number; to: number }>();
  for (const { job_id = '', submitted_at = '', ended_at = '' } of rows) {
    const span = spans.get(job_id) ?? { from: Date.parse(submitted_at), to: 0 };
    span.to = Math.max(span.to, Date.parse(ended_at));
    spans.set(job_id, span);
  }
  let covered = 0;
  let end = -Infinity;
  for (const { from, to } of [...spans.values()].sort((a, b) => a.from - b.from)) {
    covered += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return covered / 1000;
}

function bySecond(rows: readonly TableRow[]): Recomputed['seconds'] {
  const seconds = new Map<number, { completed: number; failed: number }>();
  for (const row of rows) {
    if (!isDone(row) && !isFailed(row)) continue;
    const at = Math.floor(Date.parse(row['ended_at']!) / 1000) * 1000;
    const counts = seconds.get(at) ?? { completed: 0, failed: 0 };
    if (isDone(row)) counts.completed++;
    else counts.failed++;
    seconds.set(at, counts);
  }
  return seconds;
}

function secondsOf(rows: readonly TableRow[]): number {
  return sum(rows.map(({ ran_seconds }) => Number(ran_seconds)));
}

function joulesOf(rows: readonly TableRow[]): number {
  return sum(rows.map(({ energy_joules }) => Number(energy_joules)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
