// Reads of jobs as a whole.

import type { JobFilter, JobReading } from '../reading.ts';
import type { JobRow, ProgramText } from '../rows.ts';
import type { Connection } from './connection.ts';
import type { Tables } from './tables/tables.ts';

export class SqliteJobReading implements JobReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async findJob(id: string): Promise<JobRow | undefined> {
    return this.#connection.read((generation) => this.#tables.jobs.find(id, generation));
  }

  async findJobHead(id: string): Promise<JobRow | undefined> {
    return this.#connection.read((generation) => this.#tables.jobs.findHead(id, generation));
  }

  async listJobs(
    filter: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): Promise<readonly JobRow[]> {
    const { jobs } = this.#tables;
    return this.#connection.read((generation) => jobs.list(generation, filter, beforeKey, limit));
  }

  async listMeantJobs(handle: string, limit: number, owner?: string): Promise<readonly JobRow[]> {
    const { jobs } = this.#tables;
    return this.#connection.read((generation) => jobs.listMeant(generation, handle, limit, owner));
  }

  async findJobOwner(id: string): Promise<string | undefined> {
    return this.#connection.read((generation) => this.#tables.jobs.findOwner(id, generation));
  }

  async findProgram(jobKey: number): Promise<ProgramText | undefined> {
    const { jobs, programs } = this.#tables;
    return this.#connection.read((generation) => {
      const job = jobs.see(jobKey, generation);
      return job && programs.find(jobKey, job.id);
    });
  }

  async findProgramHash(jobKey: number): Promise<string | undefined> {
    const { jobs, programs } = this.#tables;
    return this.#connection.read(
      (generation) => jobs.see(jobKey, generation) && programs.findHash(jobKey),
    );
  }

  async readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    const { jobs, inputs } = this.#tables;
    return this.#connection.read((generation) => {
      const job = jobs.see(jobKey, generation);
      return job === undefined ? [] : inputs.read(jobKey, job.id, indices);
    });
  }
}
