// What every store must do. Called once for each of them: `storeCases('sqlite', async () => …)`.

import { afterEach, beforeEach, describe } from 'vitest';
import { auditCases } from './audit.cases.ts';
import { blobCases } from './blob.cases.ts';
import { checkpointCases } from './checkpoint.cases.ts';
import { dispatchCases } from './dispatch.cases.ts';
import { expiringCases } from './expiring.cases.ts';
import { handleCases } from './handle.cases.ts';
import { hidingCases } from './hiding.cases.ts';
import { historyCases } from './history.cases.ts';
import { listCases } from './list.cases.ts';
import { notificationCases } from './notification.cases.ts';
import { ownerCases } from './owner.cases.ts';
import { programCases } from './program.cases.ts';
import { rowCases } from './row.cases.ts';
import { schedulerCases } from './scheduler.cases.ts';
import type { StoreBench, StorePlace } from './store-bench.ts';
import { tokenCases } from './token.cases.ts';
import { visitorCases } from './visitor.cases.ts';
import type { Store } from '../store.ts';

export function storeCases(name: string, makePlace: () => Promise<StorePlace>): void {
  describe(`${name} store`, () => {
    let place: StorePlace;
    let store: Store;

    beforeEach(async () => {
      place = await makePlace();
      store = await place.open();
    });

    afterEach(async () => {
      await store.close();
      await place.remove();
    });

    const bench: StoreBench = {
      get store() {
        return store;
      },
      async reopen() {
        await store.close();
        store = await place.open();
        return store;
      },
      programs: () => place.programs(),
    };

    rowCases(bench);
    dispatchCases(bench);
    listCases(bench);
    handleCases(bench);
    hidingCases(bench);
    historyCases(bench);
    checkpointCases(bench);
    programCases(bench);
    blobCases(bench);
    visitorCases(bench);
    expiringCases(bench);
    notificationCases(bench);
    ownerCases(bench);
    tokenCases(bench);
    auditCases(bench);
    schedulerCases(bench);
  });
}
