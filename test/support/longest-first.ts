// The order of the test files: those that take longest begin first, so that at the end no core waits for one that
// began last. Where nothing has run before, vitest goes by the size of the files, which says nothing of a short
// file that waits for a lease.

import { relative, sep } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Over half a minute each, the longest first. */
const longest = [
  'docs',
  'chaos-stalls',
  'chaos',
  'browser-worker',
  'browser-sandbox',
  'cli',
  'bad-disk',
  'schedulers',
  'dashboard',
  'backup',
  'migrate-store',
  'worker-page',
  'package',
  'dashboard-faults',
  'cli-task',
  'cli-insight',
  'browser-worker-away',
  'checkpoints',
  'dashboard-away',
  'dashboard-evaluation',
  'programs',
  'dashboard-jobs',
  'machine',
  'drain',
  'dashboard-scheduler',
  'recovery-repeated',
  'schedulers-real-workers',
].map((name) => `test/e2e/${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { root } = this.ctx.config;
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = longest.indexOf(relative(root, moduleId).replaceAll(sep, '/'));
      return place === -1 ? longest.length : place;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
