// Checks a database of PostgreSQL: whether it can be reached, can keep what it is given, and is in use. Nothing is
// created, migrated or repaired.

import { withoutPin } from '../../protocol/cluster.ts';
import { type ClusterGlance, inspectDatabase } from '../../store/postgres/inspect.ts';
import { counted } from '../text/wording.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const check = 'store';

export async function checkDatabase(address: string): Promise<readonly Finding[]> {
  try {
    const look = await inspectDatabase(address);
    const { shown, serverVersion, schemaVersion, newestSchema, isInUse, bytes, durability } = look;
    const cluster = look.cluster === null ? [] : clusterFindings(look.cluster);
    const where = `${shown} is PostgreSQL ${serverVersion}`;
    if (schemaVersion > newestSchema) {
      return [
        problem(
          check,
          `${shown} was written by a newer version of Muster (schema ${schemaVersion})`,
          'Start the newer version, or choose another schema.',
        ),
      ];
    }
    const state =
      schemaVersion === 0
        ? 'the first start will make its tables'
        : `${isInUse ? 'a coordinator works on it' : 'nobody works on it'} (${Math.ceil(bytes / 1e6)} MB)`;
    const found = [ok(check, `${where}; ${state}`), ...cluster];
    if (durability !== 'unsafe') {
      const survives = durability === 'standby' ? 'a synchronous standby' : 'its own disk only';
      return [...found, ok('durability', `what is acknowledged is on ${survives}`)];
    }
    return [
      ...found,
      warning(
        'durability',
        'the server may lose what it has acknowledged (fsync or full_page_writes is off)',
        'Good for tests; turn them on for everything else.',
      ),
    ];
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    const advice =
      code === 'store_half_moved'
        ? 'Run that command; no coordinator starts before.'
        : 'Mend the address (--store), the password (PGPASSWORD, ~/.pgpass) or the server.';
    return [problem(check, message, advice)];
  }
}

/** More changes of the leader in an hour than updates explain. */
const manyTerms = 10;

export function clusterFindings(cluster: ClusterGlance): readonly Finding[] {
  const { alive, silent, leader, versions, mayLead, termsOfLastHour } = cluster;
  const part = 'cluster';
  if (alive.length === 0) {
    const gone = counted(silent.length, 'coordinator');
    return [
      warning(part, `${gone} worked on it, and none was heard of for five seconds`, startOne),
    ];
  }
  const shownLeader = alive.find((url) => url === leader);
  const who = alive.map(withoutPin).join(', ');
  const found: Finding[] = [
    shownLeader === undefined
      ? warning(part, `nobody leads at the moment; there are ${who}`, 'Look again in some seconds.')
      : ok(part, `${withoutPin(shownLeader)} leads; there are ${who}`),
  ];
  if (mayLead < 2) {
    found.push(warning(part, 'nobody could take over from the leader', startOne));
  }
  if (versions.length > 1) {
    found.push(
      warning(
        part,
        `they are of different versions: ${versions.join(', ')}`,
        'Bring all of them up to date.',
      ),
    );
  }
  if (silent.length > 0) {
    const names = silent.map(withoutPin).join(', ');
    found.push(
      warning(
        part,
        `not heard of for five seconds: ${names}`,
        'Start them again, or wait: they are forgotten after an hour.',
      ),
    );
  }
  if (termsOfLastHour >= manyTerms) {
    found.push(
      warning(
        part,
        `the leader has changed ${termsOfLastHour} times within an hour`,
        'Their logs say why: look for "leads no more".',
      ),
    );
  }
  return found;
}

const startOne = 'Start another coordinator with this --store and --advertise.';
