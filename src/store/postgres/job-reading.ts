// Reads of jobs as a whole.

import type { JobFilter, JobReading } from '../reading.ts';
import type { JobRow, ProgramText } from '../rows.ts';
import type { Reader } from './driver/reader.ts';
import { readInputs } from './tables/input-table.ts';
import {
  findJobHead,
  findJobOwner,
  findJobs,
  listJobs,
  listMeantJobs,
} from './tables/job-lists.ts';
import { findProgram, findProgramHash } from './tables/program-table.ts';

export class PostgresJobReading implements JobReading {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  async findJob(id: string): Promise<JobRow | undefined> {
    return (await findJobs(this.#reader.query, [id]))[0];
  }

  findJobHead(id: string): Promise<JobRow | undefined> {
    return findJobHead(this.#reader.query, id);
  }

  listJobs(filter: JobFilter, beforeKey: number | null, limit: number): Promise<readonly JobRow[]> {
    return listJobs(this.#reader.query, filter, beforeKey, limit);
  }

  listMeantJobs(handle: string, limit: number, owner?: string): Promise<readonly JobRow[]> {
    return listMeantJobs(this.#reader.query, handle, limit, owner);
  }

  findJobOwner(id: string): Promise<string | undefined> {
    return findJobOwner(this.#reader.query, id);
  }

  findProgram(jobKey: number): Promise<ProgramText | undefined> {
    return findProgram(this.#reader.query, jobKey);
  }

  findProgramHash(jobKey: number): Promise<string | undefined> {
    return findProgramHash(this.#reader.query, jobKey);
  }

  readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    return readInputs(this.#reader.query, jobKey, indices);
  }
}
