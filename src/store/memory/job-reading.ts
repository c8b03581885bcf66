// Reads of jobs as a whole.

import { isMeant } from '../../core/handle.ts';
import type { JobFilter, JobReading } from '../reading.ts';
import type { JobRow, ProgramText } from '../rows.ts';
import type { OpenDisk } from './open-disk.ts';

export class MemoryJobReading implements JobReading {
  readonly #open: OpenDisk;

  constructor(open: OpenDisk) {
    this.#open = open;
  }

  async findJob(id: string): Promise<JobRow | undefined> {
    return this.#open.see(this.#open.disk.jobKeys.get(id))?.row;
  }

  async findJobHead(id: string): Promise<JobRow | undefined> {
    const row = await this.findJob(id);
    return row && withoutPriorities(row);
  }

  async listJobs(
    filter: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): Promise<readonly JobRow[]> {
    return this.#open
      .folders(filter)
      .map((folder) => folder.row)
      .filter((row) => beforeKey === null || row.spec.key < beforeKey)
      .filter((row) => filter.statuses?.includes(row.status) ?? true)
      .filter((row) => filter.clientId === undefined || row.spec.clientId === filter.clientId)
      .sort((a, b) => b.spec.key - a.spec.key)
      .slice(0, limit)
      .map(withoutPriorities);
  }

  async findJobOwner(id: string): Promise<string | undefined> {
    return (await this.findJob(id))?.spec.owner;
  }

  async listMeantJobs(handle: string, limit: number, owner?: string): Promise<readonly JobRow[]> {
    return this.#open
      .folders({ owner })
      .map((folder) => folder.row)
      .filter(({ spec }) => isMeant(handle, spec))
      .sort((a, b) => b.spec.key - a.spec.key)
      .slice(0, limit)
      .map(withoutPriorities);
  }

  async findProgram(jobKey: number): Promise<ProgramText | undefined> {
    const sha256 = await this.findProgramHash(jobKey);
    return sha256 === undefined ? undefined : this.#open.disk.programs.get(sha256)?.text;
  }

  async findProgramHash(jobKey: number): Promise<string | undefined> {
    return this.#open.see(jobKey)?.programSha256 ?? undefined;
  }

  async readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    const folder = this.#open.see(jobKey);
    if (folder === undefined) return [];
    return indices.map((index) => {
      const input = folder.inputs[index];
      if (input === undefined) throw new Error(`job ${jobKey} has no input ${index}`);
      return input;
    });
  }
}

function withoutPriorities(row: JobRow): JobRow {
  return { ...row, spec: { ...row.spec, taskPriorities: null } };
}
