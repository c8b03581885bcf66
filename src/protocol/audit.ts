// What the audit log tells of: the one table of actions. Every route that may change something names its own.

interface Told {
  readonly means: string;
  /** Only refusals are told: what is done by it is no change, or too much to be told. */
  readonly isOfRefusals?: true;
  /** Told even where nobody needs a token: what decides who may. */
  readonly isOfAccess?: true;
}

export const auditActions = {
  'job.submit': { means: 'A job was submitted.' },
  'job.cancel': { means: 'A job was cancelled.' },
  'job.retry': { means: 'The failed tasks of a job were requeued.' },
  'job.hold': { means: 'A job was held.' },
  'job.release': { means: 'A held job was released.' },
  'job.delete': { means: 'A job that had ended was removed.' },
  'blob.put': { means: 'A blob was sent, but for those of workers.' },
  'worker.register': { means: 'A worker registered.' },
  'worker.approve': { means: 'A worker that waited was let in.' },
  'worker.refuse': { means: 'A worker that waited was not let in, and removed.' },
  'worker.rename': { means: 'A worker was named.' },
  'worker.drain': { means: 'A worker was told to take nothing new.' },
  'worker.resume': { means: 'A draining worker was told to go on.' },
  'worker.deregister': { means: 'A worker was removed, and its token revoked.' },
  'worker.connect': {
    means: 'The socket of a worker, or its hello, was refused.',
    isOfRefusals: true,
  },
  'worker.call': {
    means: 'A heartbeat, a claim, a report or a release over HTTP was refused.',
    isOfRefusals: true,
  },
  'scheduler.configure': { means: 'The scheduler was configured.' },
  'scheduler.activate': { means: 'Another algorithm was activated.' },
  'scheduler.preview': { means: 'A preview of the scheduler was refused.', isOfRefusals: true },
  'database.clear': { means: 'Everything was removed.' },
  'token.create': { means: 'A token was made.', isOfAccess: true },
  'token.change': { means: 'The quotas of a token were changed.', isOfAccess: true },
  'token.revoke': { means: 'A token was revoked.', isOfAccess: true },
  'session.begin': { means: 'A browser logged in.' },
  'session.end': { means: 'A browser logged out.' },
  'session.ticket': { means: 'A ticket for a socket was refused.', isOfRefusals: true },
  'certificate.change': {
    means: 'Another certificate is shown than before, or the first one; the object is its pin.',
    isOfAccess: true,
  },
  'coordinator.start': {
    means: 'The coordinator serves; the object says who may: `open_here`, `tokens` or `open`.',
    isOfAccess: true,
  },
  'coordinator.stop': { means: 'The coordinator stops.', isOfAccess: true },
  read: { means: 'Something was not shown; the object is its address.', isOfRefusals: true },
  others: {
    means: 'Refusals of so many different askers that they are only counted.',
    isOfRefusals: true,
  },
} as const satisfies Readonly<Record<string, Told>>;

export type AuditAction = keyof typeof auditActions;

export const auditOutcomes = ['done', 'refused', 'failed'] as const;

export function toldOf(action: AuditAction): Told {
  return auditActions[action];
}

export interface AuditResource {
  /** Rises from entry to entry. */
  readonly id: number;
  readonly at: string;
  readonly action: string;
  /** What it was done to: an id. */
  readonly object: string | null;
  readonly outcome: (typeof auditOutcomes)[number];
  /** Why not; null for what was done. */
  readonly code: string | null;
  /** How often, in some seconds from `at` on. */
  readonly count: number;
  readonly token_id: string | null;
  readonly role: string | null;
  readonly owner: string | null;
  readonly address: string | null;
}
