// The database as the log of commits sees it.

import type { Statement } from '../driver/statement.ts';
import type { LogEntry } from './log-entry.ts';

/** One connection. A session on which a call has rejected is of no use any more but to be ended. */
export interface LogSession {
  /**
   * Writes the statements and the next row of the log in one transaction, behind the row before it, which must be of
   * the same term. Rejects with what `verdictOf` understands.
   */
  add(entry: LogEntry, statements: readonly Statement[]): Promise<void>;
  /** The newest row of the log, and the one of a sequence, when all transactions before are over. */
  look(sequence: number): Promise<LogLook>;
  /** Ends it at once, or when what it was given is done. Never rejects. */
  end(): Promise<void>;
}

export interface LogLook {
  readonly newest: LogPlace;
  /** Undefined when there is no row of this sequence. */
  readonly asked: LogPlace | undefined;
}

export type LogPlace = Pick<LogEntry, 'sequence' | 'term'>;

/** Makes a new connection. */
export type OpenLogSession = () => Promise<LogSession>;
