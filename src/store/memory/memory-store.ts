// The store of the simulator and of tests: exact, atomic, and gone with the process, unless its disk is
// kept. It uses no timers: every promise that it returns is settled already.

import { joinParts } from '../parts.ts';
import type { Store } from '../store.ts';
import { MemoryAuditReading } from './audit-reading.ts';
import { MemoryBlobs } from './blobs.ts';
import { MemoryHistory } from './history.ts';
import { MemoryJobReading } from './job-reading.ts';
import { createMemoryDisk, type MemoryDisk } from './memory-disk.ts';
import { MemoryNotificationReading } from './notification-reading.ts';
import { OpenDisk } from './open-disk.ts';
import { MemorySchedulerReading } from './scheduler-reading.ts';
import { MemoryTaskReading } from './task-reading.ts';
import { MemoryTokenReading } from './token-reading.ts';
import { MemoryVisitorReading } from './visitor-reading.ts';
import { MemoryInputStaging, MemoryWriting } from './writing.ts';

/** Opening a disk shuts out the store that had it open before, as a crash does. */
export function createMemoryStore(disk: MemoryDisk = createMemoryDisk()): Store {
  return makeStore(new OpenDisk(disk));
}

/** Several have the disk open: who of them may write is said elsewhere. */
export function createSharedMemoryStore(disk: MemoryDisk): Store {
  return makeStore(new OpenDisk(disk, true));
}

function makeStore(open: OpenDisk): Store {
  const parts = joinParts(
    new MemoryJobReading(open),
    new MemoryTaskReading(open),
    new MemoryNotificationReading(open),
    new MemoryTokenReading(open),
    new MemoryAuditReading(open),
    new MemorySchedulerReading(open),
    new MemoryHistory(open),
    new MemoryInputStaging(open),
    new MemoryBlobs(open),
    new MemoryVisitorReading(open),
    new MemoryWriting(open),
  );
  return Object.assign(parts, { close: async () => open.close() });
}
