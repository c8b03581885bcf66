// Checks the whole database for `muster doctor --deep`: its structure and every value in it. It only
// reads, and a coordinator may use the database meanwhile.

import { existsSync, realpathSync } from 'node:fs';
import { asFault } from '../../store/sqlite/file/faults.ts';
import { type CheckReport, StoreCheck } from '../../store/sqlite/check/store-check.ts';
import { structureFaults } from '../../store/sqlite/check/whole-check.ts';
import { openForReading } from '../../store/sqlite/file/inspect.ts';
import { counted } from '../text/wording.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const STRUCTURE = 'store structure';
const VALUES = 'store values';

/** No findings when there is no file. */
export function checkValues(path: string): readonly Finding[] {
  if (!existsSync(path)) return [];
  try {
    const reading = openForReading(realpathSync(path));
    try {
      const faults = structureFaults(reading.db);
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

/** One finding for all values, and one more for each damaged value. */
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
