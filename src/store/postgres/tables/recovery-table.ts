// Recovery events.

import type { RecoveryReason } from '../../../core/records.ts';
import type { JobsAsked, PeriodFilter } from '../../reading.ts';
import type { RecoveryRow, RecoverySum } from '../../rows.ts';
import type { Query, Row, Statement } from '../driver/statement.ts';
import { openJobCodes } from '../../enumerations.ts';
import { newestOf, ofPeriod } from './jobs-asked.ts';
import { integer, real, small, text } from './kinds.ts';
import { inLayers, RowShape } from './row-shape.ts';
import { joinVisible } from './visible.ts';

/** The id of the job is in the table of jobs. */
type RecoveryCells = Omit<RecoveryRow, 'jobId'>;

const shape = new RowShape<RecoveryCells>({
  id: integer,
  jobKey: integer,
  index: small,
  fromWorkerId: text(),
  toWorkerId: text(),
  reason: text<RecoveryReason>(),
  attempt: small,
  nextAttempt: small,
  checkpointId: text(),
  resumedFromProgress: real,
  lostAt: real,
  resumedAt: real,
  workSavedSeconds: real,
  timeLostSeconds: real,
  outcome: text<RecoveryRow['outcome']>(),
});
const ids = text();

const upsertText = `insert into recoveries (${shape.columns()}, owner)
  select r.*, jobs.owner from ${shape.unnest('r')} ${joinVisible('r')}
  on conflict (id) do update set ${shape.replaced(['id'])}, owner = excluded.owner`;

/** Those of jobs that can be seen are written. */
export function recoveryStatements(rows: readonly RecoveryRow[]): Statement[] {
  return inLayers(
    rows,
    ({ id }) => id,
    (some) => ({ text: upsertText, values: shape.arrays(some) }),
  );
}

const cells = `${shape.columns('recoveries')}, jobs.id as job_id`;
const select = `select ${cells} from recoveries ${joinVisible('recoveries')}`;

/** Those with an id below `beforeId`, newest first. */
export async function listRecoveries(
  query: Query,
  beforeId: number,
  limit: number,
  asked: JobsAsked,
): Promise<readonly RecoveryRow[]> {
  const { where, order, values } = newestOf('recoveries', '$1', asked, 3);
  const listText =
    asked.jobKey === undefined
      ? `${select} where ${where} order by ${order} limit $2`
      : `select ${cells}
          from (select * from recoveries where ${where} order by ${order} limit $2) as recoveries
            ${joinVisible('recoveries')}
          order by recoveries.id desc`;
  return (await query(listText, [beforeId, limit, ...values])).map(toRecovery);
}

/** As `isUnfinished` says, and as the index of the table has it. */
const unfinishedText = `${select}
  where jobs.status in (${openJobCodes}) and (recoveries.outcome = 'requeued'
    or recoveries.resumed_at is null and recoveries.outcome in ('resumed', 'restarted'))
  order by recoveries.id`;

/** Events of open jobs with fields that are not filled in yet, by id. */
export async function listUnfinishedRecoveries(query: Query): Promise<readonly RecoveryRow[]> {
  return (await query(unfinishedText)).map(toRecovery);
}

/** Over events of the period, newest first: fractions are added in this order. */
export async function sumRecoveries(query: Query, filter: PeriodFilter): Promise<RecoverySum> {
  const { where, values } = ofPeriod('recoveries', 'lost_at', filter);
  const [row] = await query(
    `select count(*), count(*) filter (where outcome not in ('requeued', 'failed')), count(resumed_at),
        coalesce(sum(resumed_at - lost_at order by recoveries.id desc), 0),
        coalesce(sum(work_saved_seconds order by recoveries.id desc), 0)
      from recoveries ${joinVisible('recoveries')} where ${where}`,
    values,
  );
  const [events, recovered, resumed, msToResume, workSavedSeconds] = row as readonly number[];
  return {
    events: events!,
    recovered: recovered!,
    resumed: resumed!,
    msToResume: msToResume!,
    workSavedSeconds: workSavedSeconds!,
  };
}

function toRecovery(row: Row): RecoveryRow {
  return { ...shape.decode(row), jobId: ids.decode(row[shape.fields.length]!) };
}
