import { expect, test } from 'vitest';
import type { JobHead, MusterClient, TasksFilter } from '../../client/index.ts';
import { payloadText } from '../../protocol/codec.ts';
import { failedWork } from './failed-inputs.ts';

const id = '01a2b3c4-0000-7000-8000-000000000001';

/** A job with so many tasks of each status; their inputs are 1.0, 2.0 …, those that failed first. */
function coordinator(counts: { failed: number; cancelled: number }, hasThem = true) {
  const job = { id, name: 'ridge', counts };
  const exactTasks = async (_job: string, { status, after = -1 }: TasksFilter = {}) => {
    const from = status === 'failed' ? 0 : counts.failed;
    const count = status === 'failed' ? counts.failed : counts.cancelled;
    const tasks = Array.from({ length: hasThem ? count : 0 }, (_, each) => from + each)
      .filter((index) => index > after)
      .map((index) => `{"index":${index},"input":${index + 1}.0}`);
    const text = `[${tasks.join(',')}]`;
    return { text, value: JSON.parse(text) as never };
  };
  const client = { jobHead: async () => job as unknown as JobHead, exactTasks };
  return client as unknown as MusterClient;
}

async function inputsOf(client: MusterClient, areCancelledIn: boolean) {
  const { inputs } = await failedWork(client, id, areCancelledIn);
  return inputs.type === 'list' ? (await Array.fromAsync(inputs.values)).map(payloadText) : [];
}

test('are those of failed tasks, and where it is wanted of cancelled ones, too', async () => {
  const client = coordinator({ failed: 1, cancelled: 2 });
  expect(await inputsOf(client, false)).toEqual(['1.0']);
  expect(await inputsOf(client, true)).toEqual(['1.0', '2.0', '3.0']);
  expect(await inputsOf(coordinator({ failed: 0, cancelled: 2 }), true)).toEqual(['1.0', '2.0']);
});

test('a job that has none is refused, with the flag that would find some', async () => {
  const none = inputsOf(coordinator({ failed: 0, cancelled: 0 }), true);
  await expect(none).rejects.toThrow('No task of');
  await expect(inputsOf(coordinator({ failed: 0, cancelled: 2 }), false)).rejects.toMatchObject({
    message: `No task of ${id} (ridge) has failed.`,
    advice: [`2 were cancelled; to take those:  --failed-of ${id} --and-cancelled`],
  });
});

test('a job whose tasks run again before they are read is said to have changed', async () => {
  const client = coordinator({ failed: 2, cancelled: 0 }, false);
  await expect(inputsOf(client, false)).rejects.toThrow(
    `${id} (ridge) has changed meanwhile: none of its tasks is failed any more.`,
  );
});
