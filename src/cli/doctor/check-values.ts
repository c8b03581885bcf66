// The whole database, as `muster doctor --deep` looks at it: its structure and every value in it. Reads
// only; beside a coordinator that uses it as well.

import { existsSync, realpathSync } from 'node:fs';
import { asFault } from '../../store/sqlite/file/faults.ts';
import { type CheckReport, StoreCheck } from '../../store/sqlite/check/store-check.ts';
import { openForReading } from '../../store/sqlite/file/inspect.ts';
import { counted } from '../text/wording.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const STRUCTURE = 'store structure';
const VALUES = 'store values';
const MOST_FAULTS = 100;

/** Nothing when there is no file. */
export function checkValues(path: string): readonly Finding[] {
  if (!existsSync(path)) return [];
  try {
    const reading = openForReading(realpathSync(path));
    try {
      const faults = reading.db
        .prepare(`pragma integrity_check(${MOST_FAULTS})`)
        .all()
        .map((row) => String(Object.values(row)[0]))
        .filter((text) => text !== 'ok');
      const check = new StoreCheck(reading.db);
      while (check.step());
      return [...judgeStructure(faults), ...judgeValues(check.report)];
    } finally {
      reading.close();
    }
  } catch (error) {
    return [problem(STRUCTURE, (asFault(error, path, 'read') as Error).message, RESTORE)];
  }
}

const RESTORE = 'Copy the file away, then restore a backup (docs/guides/recover.md).';

export function judgeStructure(faults: readonly string[]): readonly Finding[] {
  if (faults.length === 0) return [ok(STRUCTURE, "SQLite's integrity_check found nothing")];
  return faults.map((fault) => problem(STRUCTURE, fault, RESTORE));
}

/** A finding for all of them, and one for each that is damaged. */
export function judgeValues(report: CheckReport): readonly Finding[] {
  const { values, unverified, damaged, sentences } = report;
  const looked = `${counted(values, 'value')} looked at`;
  if (damaged > 0) {
    const found = `${looked}, ${damaged} damaged`;
    return [
      problem(VALUES, found, RESTORE),
      ...sentences.map((sentence) => problem('store value', sentence, null)),
    ];
  }
  if (unverified === 0) return [ok(VALUES, `${looked}, none is damaged`)];
  return [
    warning(
      VALUES,
      `${looked}, none is damaged as far as can be seen: ${unverified} of them have no hash`,
      'They were stored by a version before there were hashes. New ones have one.',
    ),
  ];
}
