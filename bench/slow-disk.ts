// Loaded into a coordinator that is measured (`--import`): as on a slow disk, every commit takes
// MUSTER_BENCH_COMMIT_MS milliseconds longer and blocks the event loop meanwhile.

import { DatabaseSync, StatementSync } from 'node:sqlite';

const commitMs = Number(process.env['MUSTER_BENCH_COMMIT_MS'] ?? 0);
const never = new Int32Array(new SharedArrayBuffer(4));
const commits = new WeakSet<StatementSync>();

replace(DatabaseSync.prototype, 'prepare', (prepare) => (db, [sql, ...rest]) => {
  const statement = Reflect.apply(prepare, db, [sql, ...rest]) as StatementSync;
  if (sql === 'commit') commits.add(statement);
  return statement;
});

replace(StatementSync.prototype, 'run', (run) => (statement, values) => {
  if (commits.has(statement as StatementSync)) Atomics.wait(never, 0, 0, commitMs);
  return Reflect.apply(run, statement, values) as unknown;
});

type Method = (self: object, given: readonly unknown[]) => unknown;

function replace(prototype: object, name: string, make: (before: () => unknown) => Method): void {
  const method = make(Reflect.get(prototype, name) as () => unknown);
  Reflect.set(prototype, name, function (this: object, ...given: unknown[]) {
    return method(this, given);
  });
}
