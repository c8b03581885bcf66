// Translates errors of the server and of the connection to it into faults of the store. An error that is no
// fault of the server (a wrong statement, a broken constraint) is a bug and passes through.

import { DatabaseError } from 'pg';
import { missingInputs } from '../../missing-inputs.ts';
import { StoreFault } from '../../store.ts';

/** Codes, https://www.postgresql.org/docs/current/errcodes-appendix.html */
const diskFull = '53100';
const readOnly = '25006';
/** A statement that was prepared is not there, or is there already: another session answers than the one of before. */
const ofAnotherSession = new Set(['26000', '42P05']);
const corrupted = new Set(['XX001', 'XX002']);
/** Somebody has taken away the rights of the role, a table, or the whole schema. */
const takenAway = new Set(['42501', '42P01', '3F000']);
const refusedToConnect = new Set(['28000', '28P01', '3D000', '42501', '53300']);
/** Classes of what ends a connection or is no fault of the statement: connection, resources, operator, system. */
const ofServer = new Set(['08', '53', '57', '58']);

/** `shown` is the address for people, `action` what was being done. */
export function asFault(error: unknown, shown: string, action: 'read' | 'write'): unknown {
  if (error instanceof StoreFault || !(error instanceof Error)) return error;
  if (!(error instanceof DatabaseError))
    return isOfConnection(error) ? failed(error, shown, action) : error;
  const code = error.code ?? '';
  if (code === diskFull) {
    const sentence = `The disk of the database ${shown} is full (${error.message}).`;
    return new StoreFault('store_full', sentence, error);
  }
  if (code === readOnly) return unwritable(shown, error);
  if (ofAnotherSession.has(code)) return failed(pooled(error), shown, action);
  if (takenAway.has(code)) {
    const sentence = `The database ${shown} is not as it was made, or its role may not use it any more (${error.message}).`;
    return new StoreFault('store_unwritable', sentence, error);
  }
  if (corrupted.has(code)) {
    const sentence = `What the database ${shown} has stored is damaged (${error.message}). Restore a backup of it.`;
    return new StoreFault(action === 'read' ? 'value_damaged' : 'store_damaged', sentence, error);
  }
  if (isLackingInputs(error)) return missingInputs();
  return ofServer.has(code.slice(0, 2)) ? failed(error, shown, action) : error;
}

/** While it is opened: everything that the server says is a reason. */
export function asOpeningFault(error: unknown, shown: string): unknown {
  if (error instanceof StoreFault || !(error instanceof Error)) return error;
  // As the driver says it, or a server that takes the password as it is.
  if (/client password must be a|empty password returned/.test(error.message)) {
    return unwritable(
      shown,
      new Error('it asks for a password: set PGPASSWORD, or put it into ~/.pgpass'),
    );
  }
  const code = error instanceof DatabaseError ? (error.code ?? '') : '';
  if (code === '' || refusedToConnect.has(code) || ofServer.has(code.slice(0, 2))) {
    return unwritable(shown, error);
  }
  if (ofAnotherSession.has(code)) return unwritable(shown, pooled(error));
  return asFault(error, shown, 'write');
}

function pooled(error: Error): Error {
  const sentence = `a pooler on the way changes sessions: it must be in session mode; ${error.message}`;
  return new Error(sentence, { cause: error });
}

export function closed(): StoreFault {
  return new StoreFault('store_closed', 'The store is closed.');
}

/** A row of the log could not be added: its sequence is taken, or its predecessor is not there. */
export function isFenced(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const isTaken = error.code === '23505' && error.constraint === 'commits_pkey';
  return isTaken || (error.code === '23502' && error.table === 'commits');
}

/** Inputs that were staged are not there (`revealStaged`). */
function isLackingInputs({ code, table }: DatabaseError): boolean {
  return code === '23502' && table === 'staged';
}

/** Whether an error says for certain that nothing of its transaction was written, nor would be the next time. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || isCutOff(error)) return false;
  // A deadlock, or somebody who cancels a statement, says nothing about the next time.
  return !/^(40|57014)/.test(error.code ?? '');
}

/** Whether the connection is gone, or could not be made. */
export function isCutOff(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return error instanceof Error && isOfConnection(error);
  // A server that ends says so in the middle of anything.
  const isOver = error.severity === 'FATAL' || error.severity === 'PANIC';
  return isOver || /^(08|57P)/.test(error.code ?? '');
}

/** Somebody else has a lock for longer than was waited. */
export function isLocked(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03';
}

function unwritable(shown: string, cause: Error): StoreFault {
  const sentence = `The database ${shown} cannot be opened for writing (${reasonOf(cause)}).`;
  return new StoreFault('store_unwritable', sentence, cause);
}

function failed(error: Error, shown: string, action: 'read' | 'write'): StoreFault {
  const readCode = isCutOff(error) ? 'store_unreachable' : 'store_read_failed';
  return new StoreFault(
    action === 'read' ? readCode : 'store_write_failed',
    `The database ${shown} could not be ${action === 'read' ? 'read' : 'written'} (${reasonOf(error)}).`,
    error,
  );
}

/** An attempt at several addresses of a host has only an empty message of its own. */
function reasonOf(error: Error): string {
  if (error.message !== '') return error.message;
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : undefined;
  return first instanceof Error ? first.message : error.name;
}

/** The driver throws plain errors for them. */
function isOfConnection(error: Error): boolean {
  return (
    'syscall' in error || /connection|Connection|timeout|Client was closed/.test(error.message)
  );
}
