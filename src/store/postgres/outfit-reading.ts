// Reads what attempts need to be sent, at a member that does not lead.

import type { CheckpointState } from '../../core/commands.ts';
import type { OutfitReading } from '../reading.ts';
import type { ProgramText } from '../rows.ts';
import { PostgresBlobs } from './blobs.ts';
import type { Reader } from './driver/reader.ts';
import { readState } from './tables/checkpoint-table.ts';
import { readInputs } from './tables/input-table.ts';
import { findProgram, findProgramHash } from './tables/program-table.ts';

export class PostgresOutfitReading implements OutfitReading {
  readonly #reader: Reader;
  readonly #blobs: PostgresBlobs;

  constructor(reader: Reader) {
    this.#reader = reader;
    // It writes none, so nothing bears its id.
    this.#blobs = new PostgresBlobs(reader, '');
  }

  readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    return readInputs(this.#reader.query, jobKey, indices);
  }

  findProgram(jobKey: number): Promise<ProgramText | undefined> {
    return findProgram(this.#reader.query, jobKey);
  }

  findProgramHash(jobKey: number): Promise<string | undefined> {
    return findProgramHash(this.#reader.query, jobKey);
  }

  readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    return readState(this.#reader.query, id);
  }

  readBlob(sha256: string): Promise<Uint8Array | undefined> {
    return this.#blobs.readBlob(sha256);
  }
}
