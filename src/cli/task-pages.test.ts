import { describe, expect, test } from 'vitest';
import type { ResultLine, TaskListing, TasksFilter } from '../client/index.ts';
import { payloadText } from '../protocol/codec.ts';
import { failedResults, tasksOf, withFailedInputs } from './task-pages.ts';

/** JavaScript would make other inputs of it. */
const exact = '{"2":123456789012345678901234567890,"1":[1.0,-0],"b":1,"b":2}';

/** Every second of ten tasks has failed. With inputs a page has three of them, whatever is asked for. */
function coordinator() {
  const asked: TasksFilter[] = [];
  const all = Array.from({ length: 10 }, (_, index) => ({
    index,
    id: `j.${index}`,
    status: index % 2 === 0 ? 'failed' : 'completed',
    error: index % 2 === 0 ? { type: 'E', message: 'no' } : null,
  }));
  const tasks = async (_job: string, filter: TasksFilter = {}) => {
    asked.push(filter);
    if (filter.after === -1) throw new Error('after must be an integer from 0');
    const { status, after = -1, limit = 100, inputs = false } = filter;
    return all
      .filter((task) => task.index > after && (status === undefined || task.status === status))
      .slice(0, inputs ? 3 : limit)
      .map((task) => (inputs ? { ...task, input: task.index * 10 } : task)) as TaskListing[];
  };
  const exactTasks = async (job: string, filter?: TasksFilter) => {
    const value = await tasks(job, filter);
    return { text: JSON.stringify(value).replaceAll('"input":0', `"input":${exact}`), value };
  };
  return { asked, client: { tasks, exactTasks } };
}

async function* lines(): AsyncGenerator<ResultLine, void, void> {
  for (let index = 0; index < 10; index++) {
    const result = { index, task_id: `j.${index}`, status: index % 2 ? 'completed' : 'failed' };
    yield { text: JSON.stringify(result), result, replaces: false } as ResultLine;
  }
}

describe('the inputs of failed tasks', () => {
  test('come page by page, though a page is short', async () => {
    const { client } = coordinator();
    const found = await Array.fromAsync(tasksOf(client, 'j', { status: 'failed', inputs: true }));
    const texts = found.map(({ input }) => payloadText(input));
    expect(texts).toEqual([exact, '20', '40', '60', '80']);
  });

  test('stand in the lines of failed results', async () => {
    const { client } = coordinator();
    const [first] = await Array.fromAsync(failedResults(client, 'j'));
    expect(first!.text).toBe(
      '{"index":0,"task_id":"j.0","status":"failed","error":{"type":"E","message":"no"},' +
        `"input":${exact}}`,
    );
  });

  test('are added to those results that failed, and to no others', async () => {
    const { client } = coordinator();
    const all = await Array.fromAsync(withFailedInputs(client, 'j', lines()));
    const inputs = all.map(({ text }) => text.split('"input":')[1]);
    const none = undefined;
    expect(inputs).toEqual([`${exact}}`, none, '20}', none, '40}', none, '60}', none, '80}', none]);
  });

  test('are not asked for where nothing failed', async () => {
    const { client, asked } = coordinator();
    async function* fine() {
      for await (const line of lines()) if (line.result.status === 'completed') yield line;
    }
    expect(await Array.fromAsync(withFailedInputs(client, 'j', fine()))).toHaveLength(5);
    expect(asked).toEqual([]);
  });
});
