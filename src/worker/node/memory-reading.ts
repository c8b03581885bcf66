// Reads how much memory a sandbox child holds. The heap limit of V8 does not count array buffers.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

const pageBytes = 4096;
const bytesPerMb = 1024 * 1024;

/** Resident memory of a process in MB; null when it has ended, and where there is no `/proc`. */
export function readResidentMb(pid: number): number | null {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return Number.isFinite(pages) ? (pages * pageBytes) / bytesPerMb : null;
  } catch {
    return null;
  }
}

/** The same for a system that has `ps` and no `/proc`. */
export function askResidentMb(pid: number, answer: (mb: number | null) => void): void {
  if (process.platform === 'win32') return;
  execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) => {
    const kilobytes = Number.parseInt(stdout, 10);
    answer(error !== null || Number.isNaN(kilobytes) ? null : kilobytes / 1024);
  });
}

/**
 * The process at the end of a chain of wrappers of which each starts the next. Only on Linux; elsewhere
 * `pid` itself.
 */
export function innermostPid(pid: number): number {
  for (let inner = pid; ; ) {
    const child = onlyChild(inner);
    if (child === null) return inner;
    inner = child;
  }
}

function onlyChild(pid: number): number | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? null : Number(children.split(' ')[0]);
  } catch {
    return null;
  }
}
