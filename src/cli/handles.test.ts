import { describe, expect, test } from 'vitest';
import type { JobHead, JobsFilter, JobSummary, WorkerResource } from '../client/index.ts';
import { CommandFailure } from './command-failure.ts';
import { jobIdOf, withJob, workerIdOf } from './handles.ts';

const ids = [
  '01a2f0aa-1111-7000-8000-00000000aaaa',
  '01a2f0aa-2222-7000-8000-00000000bbbb',
  '01a2f0aa-3333-7000-8000-00000000cccc',
] as const;

function job(id: string, name: string | null): JobSummary {
  return {
    id,
    name,
    status: 'completed',
    task_count: 1,
    created_at: new Date(Date.now() - 60_000).toISOString(),
    completed_at: null,
    client_id: 'me',
    held_since: null,
  };
}

/** Answers everything to a question with a handle, as a coordinator of before does. */
function clientOf(all: readonly JobSummary[]) {
  const asked: JobsFilter[] = [];
  const jobs = async (filter: JobsFilter = {}) => {
    asked.push(filter);
    return all.slice(0, filter.limit ?? all.length) as JobHead[];
  };
  return { client: { jobs }, asked };
}

const some = [job(ids[2], 'pi'), job(ids[1], 'pi'), job(ids[0], 'last')];

describe('the handle of a job', () => {
  test.each([
    [ids[0], ids[0]],
    ['aaaa', ids[0]],
    ['BBBB', ids[1]],
    ['00000000cccc', ids[2]],
    ['01a2f0aa-2', ids[1]],
    ['last', ids[2]],
    // Nobody: the coordinator says so.
    ['aaa', 'aaa'],
    ['nobody', 'nobody'],
    ['', ''],
  ])('%j is the job %j', async (handle, id) => {
    expect(await jobIdOf(clientOf(some).client, handle)).toBe(id);
  });

  test('is not asked about when it is a whole id, and never for a long list', async () => {
    const { client, asked } = clientOf(some);
    await jobIdOf(client, ids[1]);
    expect(asked).toEqual([]);
    await jobIdOf(client, 'bbbb');
    await jobIdOf(client, 'last');
    expect(asked).toEqual([{ handle: 'bbbb', limit: 9 }, { limit: 1 }]);
  });

  test('that may mean several is refused with the candidates', async () => {
    const { client } = clientOf(some);
    const failure = await jobIdOf(client, 'pi').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CommandFailure);
    expect(failure).toMatchObject({
      exit: 'usage',
      message: '2 jobs may be meant by "pi":',
      advice: [
        `  ${ids[2]}  pi  completed  1 min ago`,
        `  ${ids[1]}  pi  completed  1 min ago`,
        'Say more of the id; the ends differ most.',
      ],
    });
  });

  test('that may mean many shows some of them', async () => {
    const many = Array.from({ length: 12 }, (_, i) => job(`01a2f0aa-${i}`, null));
    const failure = await jobIdOf(clientOf(many).client, '01a2').catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'More than 8 jobs may be meant by "01a2":' });
    expect((failure as CommandFailure).advice).toHaveLength(10);
  });

  test('last is nobody while there is no job', async () => {
    await expect(jobIdOf(clientOf([]).client, 'last')).rejects.toMatchObject({ exit: 'refused' });
  });
});

test('a worker is meant by its name', async () => {
  const workers = [ids[0], ids[1]].map((id, i) => ({ id, name: `vm-${i}` }) as WorkerResource);
  const client = { workers: async () => workers };
  expect(await workerIdOf(client, 'vm-1')).toBe(ids[1]);
  expect(await workerIdOf(client, 'aaaa')).toBe(ids[0]);
  expect(await workerIdOf(client, 'last')).toBe('last');
});

test('who is nobody is told the most similar, a name too', async () => {
  const refusal = Object.assign(new Error('No job has the id "colatz".'), { code: 'unknown_job' });
  const { client } = clientOf([job(ids[0], 'collatz')]);
  const call = () => Promise.reject(refusal);
  await expect(withJob(client, 'colatz', call)).rejects.toMatchObject({
    exit: 'refused',
    message: 'No job has the id "colatz".',
    advice: ['Did you mean "collatz"?', '`muster jobs` lists those that there are.'],
  });
});
