// Which roles may call what: the one table. Every route declares its class as `config.access`; one that does
// not keeps the server from starting. Whose jobs a role sees is the coordinator's to decide.

import type { Role } from '../../coordinator/port/principal.ts';

export type AccessClass =
  /** Pages, documents, signs of life. */
  | 'anybody'
  /** Lists and counts. */
  | 'viewer'
  /** What tells of everybody's work at once, or of single devices. */
  | 'watcher'
  /** Jobs with what is in them. */
  | 'client'
  | 'blobs'
  /** What a worker calls with its own token; nobody speaks for it. */
  | 'worker'
  /** A registration, or the socket of a worker. */
  | 'join'
  /** What a join token says of itself. */
  | 'joining'
  | 'admin';

const rolesOf: Readonly<Record<Exclude<AccessClass, 'anybody'>, readonly Role[]>> = {
  viewer: ['admin', 'client', 'viewer'],
  watcher: ['admin', 'viewer'],
  client: ['admin', 'client'],
  blobs: ['admin', 'client', 'worker'],
  worker: ['worker'],
  // A worker registers anew with its token when it was cleared away.
  join: ['admin', 'join', 'worker'],
  joining: ['join'],
  admin: ['admin'],
};

/** Null: it may. Otherwise a sentence that names the roles that may. */
export function whyNot(access: Exclude<AccessClass, 'anybody'>, role: Role): string | null {
  const roles = rolesOf[access];
  if (roles.includes(role)) return null;
  return `This needs a token of the kind ${roles.join(' or ')}; the one that was sent is of the kind ${role}.`;
}
