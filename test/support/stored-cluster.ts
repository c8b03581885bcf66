// What the database of a cluster says when all is over: each task accepted once, counters that equal what is counted,
// and a log of commits in which one term follows another.

import { Client } from 'pg';

/** The first row of each is what is wrong; nothing where nothing is. */
const faults: Readonly<Record<string, string>> = {
  'A job counts other tasks than it has': `
    select id, completed, failed, counted_completed, counted_failed from SCHEMA.jobs join (
      select job_key, count(*) filter (where status = 2) as counted_completed,
        count(*) filter (where status = 3) as counted_failed from SCHEMA.tasks group by job_key
    ) as counts on job_key = key where completed <> counted_completed or failed <> counted_failed`,
  'A job counts tasks, and has none': `
    select id, completed, failed from SCHEMA.jobs
    where completed + failed > 0 and key not in (select job_key from SCHEMA.tasks)`,
  'A task has not been accepted once': `
    select job_key, task_index, attempt, accepted_attempt from SCHEMA.tasks
    where (status = 2) is distinct from (result_json is not null and accepted_attempt between 1 and attempt)`,
  'The totals are not what the tasks come to': `
    select totals from (
      select totals::json as totals, (select count(*) from SCHEMA.tasks where status = 2) as completed
      from SCHEMA.commits where totals is not null order by sequence desc limit 1
    ) as newest where case when (totals->'jobsRemoved'->>'deleted')::int > 0
      then (totals->>'tasksCompleted')::int < completed
      else (totals->>'tasksCompleted')::int <> completed end`,
  'An attempt is there twice': `
    select job_key, task_index, attempt from SCHEMA.attempts
    group by job_key, task_index, attempt, token having count(*) > 1`,
  'A key has more than one job, or none': `
    select key, job_key from SCHEMA.idempotency_keys
    where job_key not in (select key from SCHEMA.jobs)`,
  'A term was interrupted by another': `
    select term, count(*) as commits, max(sequence) - min(sequence) + 1 as places from SCHEMA.commits
    group by term having count(*) <> max(sequence) - min(sequence) + 1`,
  'A commit is of no term': `
    select sequence, term from SCHEMA.commits
    where sequence > 0 and term not in (select term from SCHEMA.terms)`,
  'The log has a gap': `
    select min(sequence), max(sequence), count(*) from SCHEMA.commits
    having count(*) <> max(sequence) - min(sequence) + 1`,
  'Two terms in order have no rising epochs': `
    select epoch, before from (
      select epoch, lag(epoch) over (order by place) as before from (
        select term, min(sequence) as place from SCHEMA.commits where sequence > 0 group by term
      ) as places join SCHEMA.terms using (term)
    ) as epochs where epoch <= before`,
};

export type Row = Readonly<Record<string, unknown>>;

/** `text`: with SCHEMA where the name of the schema belongs. */
export async function askStore(url: string, schema: string, text: string): Promise<readonly Row[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text.replaceAll('SCHEMA', schema))).rows;
  } finally {
    await client.end();
  }
}

/** Sentences, one for each kind of fault. Nobody may be writing any more. */
export async function storedFaults(url: string, schema: string): Promise<string[]> {
  const found: string[] = [];
  for (const [sentence, text] of Object.entries(faults)) {
    const rows = await askStore(url, schema, text);
    if (rows.length > 0) found.push(`${sentence} (${rows.length}×): ${JSON.stringify(rows[0])}`);
  }
  return found;
}
