// Checks programs: a device runs the program that was submitted with the job; and a device that
// gets every frame once and in order is never told to run a program that it does not have.

import type { MemoryDisk } from '../../store/memory/memory-disk.ts';
import { BrokenPromise } from '../broken-promise.ts';
import { findFolder } from './disk-view.ts';

export interface ProgramCheckerOptions {
  readonly disk: MemoryDisk;
  readonly onBug: (error: Error) => void;
}

export class ProgramChecker {
  private readonly options: ProgramCheckerOptions;

  constructor(options: ProgramCheckerOptions) {
    this.options = options;
  }

  /** Called when an attempt begins on a device. A job that was removed meanwhile is not checked. */
  ran(jobId: string, source: string | undefined): void {
    const { disk, onBug } = this.options;
    const sha256 = findFolder(disk, jobId)?.programSha256;
    if (sha256 === undefined || sha256 === null) return;
    const stored = disk.programs.get(sha256);
    const submitted = stored && (JSON.parse(stored.text.json) as { source: string }).source;
    if (submitted === source) return;
    onBug(
      new BrokenPromise(`Job ${jobId} runs "${source}" and was submitted with "${submitted}".`),
    );
  }

  /** `isWhole`: each frame of the connection has come once and in order. */
  lacked(device: string, sha256: string, isWhole: boolean): void {
    if (!isWhole) return;
    this.options.onBug(
      new BrokenPromise(`${device} was taken to have the program ${sha256}, and has forgotten it.`),
    );
  }
}
