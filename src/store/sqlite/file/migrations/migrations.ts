// The history of the schema. A migration that was released is never changed; a new one is added at
// the end and takes a file from the version before it to its own, which is its place in this list.

import { firstLight } from './0001-first-light.ts';
import { history } from './0002-history.ts';
import { checkpoints } from './0003-checkpoints.ts';
import { programs } from './0004-programs.ts';
import { valueHashes } from './0005-value-hashes.ts';
import { leases } from './0006-leases.ts';
import { runBefore } from './0007-run-before.ts';
import { workerVersions } from './0008-worker-versions.ts';
import { untakenAttempts } from './0009-untaken-attempts.ts';
import { retention } from './0010-retention.ts';
import { traces } from './0011-traces.ts';
import { workSums } from './0012-work-sums.ts';
import { removals } from './0013-removals.ts';
import { handles } from './0014-handles.ts';
import { drainsAndHolds } from './0015-drains-and-holds.ts';
import { taskMemory } from './0016-task-memory.ts';
import { notifications } from './0017-notifications.ts';
import { notificationHosts } from './0018-notification-hosts.ts';
import { owners } from './0019-owners.ts';
import { tokens } from './0020-tokens.ts';
import { audit } from './0021-audit.ts';
import { joinedWorkers } from './0022-joined-workers.ts';
import { quotas } from './0023-quotas.ts';
import { leasesForNow } from './0024-leases-for-now.ts';
import { schedulerChanges } from './0025-scheduler-changes.ts';
import { cancelledTasks } from './0026-cancelled-tasks.ts';
import { attemptAccounts } from './0027-attempt-accounts.ts';
import { dispatches } from './0028-dispatches.ts';
import { runtimes } from './0029-runtimes.ts';

export const migrations: readonly string[] = [
  firstLight,
  history,
  checkpoints,
  programs,
  valueHashes,
  leases,
  runBefore,
  workerVersions,
  untakenAttempts,
  retention,
  traces,
  workSums,
  removals,
  handles,
  drainsAndHolds,
  taskMemory,
  notifications,
  notificationHosts,
  owners,
  tokens,
  audit,
  joinedWorkers,
  quotas,
  leasesForNow,
  schedulerChanges,
  cancelledTasks,
  attemptAccounts,
  dispatches,
  runtimes,
];
