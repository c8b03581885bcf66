// The order of the test files, all rings together. Those that take longest begin first, so that at the end no core
// waits for one that began last; most of them wait most of the time, for a lease, a pause, the end of a process, and
// those that compute all the time begin beside them. The many short files that compute come last and fill what is left.
// Where nothing has run before, vitest goes by the size of the files, which says nothing of a short file that waits for
// a lease.

import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Over half a minute each, the longest first. Files of one ring that follow each other share their processes. */
const longest = [
  ...of('test/e2e', ['docs', 'cluster', 'chaos-stalls']),
  ...of('test/simulation', ['seeds']),
  ...of('test/e2e', [
    'browser-sandbox',
    'chaos',
    'cluster-gateways',
    'cli',
    'browser-worker',
    'dashboard',
    'backup',
    'schedulers',
    'worker-page',
    'package',
    'dashboard-faults',
    'bad-disk',
    'browser-walls',
    'postgres',
    'dashboard-away',
    'cli-try',
    'postgres-chaos',
    'browser-worker-away',
    'dashboard-jobs',
    'sandbox-fuzz',
    'cli-task',
    'migrate-store',
    'programs',
    'drain',
    'dashboard-roles',
    'bootstrap',
    'checkpoints',
    'dashboard-workers',
    'recovery-repeated',
    'dashboard-settings',
    'dashboard-evaluation',
    'dashboard-scheduler',
    'bad-workers',
  ]),
];

/** The rings in the order of what is left of them, by how long their files take. */
const rings = ['e2e', 'simulation', 'postgres', 'api-memory', 'api', 'unit'];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const placeOf = ({ moduleId, project }: TestSpecification): number => {
      const place = longest.indexOf(relative(root, moduleId).replaceAll(sep, '/'));
      return place === -1 ? longest.length + rings.indexOf(project.name) : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

function of(folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => `${folder}/${name}.test.ts`);
}
