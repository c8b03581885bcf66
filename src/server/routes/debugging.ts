// What a person needs to find a mistake in a program: the program as it was submitted, and what the attempts
// of a task printed. Both are plain text, whatever is in them.

import { z } from 'zod';
import type { Program } from '../../protocol/program.ts';
import { queryInteger } from '../../protocol/schemas/fields.ts';
import { programField } from '../../protocol/schemas/programs/program.ts';
import { jobId, refused } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { Refusal, unknownJob } from '../refusal.ts';
import type { RouteContext } from './route-context.ts';
import { found, indexOf, taskParams } from './tasks.ts';

const programType = 'text/javascript';
/** Of a program of another kind. */
const definitionType = 'application/json';
const outputType = 'text/plain';
const text = (type: string, description: string) => ({
  description,
  content: { [type]: { schema: z.string() } },
});

const outputQuery = z.object({
  attempt: queryInteger(1, 1_000_000_000)
    .exactOptional()
    .describe('Which attempt; default the newest of which something is kept'),
});

export function addDebuggingRoutes(app: App, { coordinator, limits }: RouteContext): void {
  const definition: z.ZodType<Program> = programField(limits);
  app.get(
    '/api/jobs/:job_id/program',
    {
      config: { access: 'client', fromStore: true },
      schema: {
        tags: ['jobs'],
        operationId: 'getProgram',
        summary: 'The program of a job',
        description:
          'As it was submitted: the source of a program in JavaScript, and JSON for one of another kind. A program ' +
          'that the command line has bundled has a source map in its last line, with which the places in ' +
          '`error.stack` are found in the files it was made from.',
        params: jobId,
        response: {
          200: {
            description: 'The source, or the program',
            content: {
              [programType]: { schema: z.string() },
              [definitionType]: { schema: definition },
            },
          },
          ...refused(['unknown_job']),
        },
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const program = await portsOf(coordinator, request).taskReads.findProgram(id);
      if (program === undefined) throw unknownJob(id);
      if (typeof program === 'string') {
        return reply.type(`${programType}; charset=utf-8`).send(program);
      }
      return reply.type(`${definitionType}; charset=utf-8`).send(program);
    },
  );

  app.get(
    '/api/jobs/:job_id/tasks/:index/output',
    {
      config: { access: 'client', fromStore: true },
      schema: {
        tags: ['jobs'],
        operationId: 'getTaskOutput',
        summary: 'What an attempt of a task printed',
        description:
          'Its console, the beginning and the end of it. `keep_output` of the job says of which ' +
          'attempts it is kept.',
        params: taskParams,
        querystring: outputQuery,
        response: {
          200: text(outputType, 'What it printed'),
          ...refused(['unknown_job', 'unknown_task', 'no_output', 'validation_failed']),
        },
      },
    },
    async (request, reply) => {
      const { job_id: id, index } = request.params;
      const { attempt } = request.query;
      const answer = await portsOf(coordinator, request).taskReads.findOutput(
        id,
        indexOf(index),
        attempt,
      );
      if (answer === 'no_output') throw noOutput(attempt);
      return reply.type(`${outputType}; charset=utf-8`).send(found(answer, id, index).text);
    },
  );
}

function noOutput(attempt: number | undefined): Refusal {
  const what = attempt === undefined ? 'the task' : `attempt ${attempt} of the task`;
  return new Refusal(
    'no_output',
    `Nothing that ${what} printed is kept: it printed nothing, or has not ended, or the job does not ` +
      'keep it (`keep_output`).',
  );
}
