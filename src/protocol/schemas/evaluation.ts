// Schemas of the four evaluation answers. Nothing in them is ever NaN: what cannot be told is null.

import { z } from 'zod';
import { endedAttemptStatuses } from '../evaluation.ts';
import { amount, count, exampleIds, exampleTime, share, timestamp } from './fields.ts';

const fairness = () =>
  share(
    "Jain's index (Σx)² / (n · Σx²) over the tasks that each worker completed; " +
      'null when nothing was completed',
  ).nullable();

const energyMeaning =
  'As workers report it, else estimated by the class of the device; null when tasks have ended and ' +
  'neither is known';

const workerFields = {
  name: z.string().nullable(),
  registered: z.boolean().describe('False: it was removed, and is listed for what it did'),
};

export const evaluationMetricsSchema = z
  .object({
    jobs: z.object({
      total: count(),
      completed: count(),
      failed: count(),
      cancelled: count(),
      running: count(),
    }),
    tasks: z.object({
      total: count(),
      completed: count(),
      failed: count(),
      retried: count('Attempts that failed and were followed by another'),
      recovered: count('Lost attempts whose task went on'),
    }),
    job_execution_time_seconds: z
      .object({
        mean: amount().nullable(),
        median: amount().nullable(),
        p95: amount().nullable(),
        max: amount().nullable(),
      })
      .describe('From submission to the end of the job; nulls before the first has ended'),
    average_task_time_seconds: amount('From start to the accepted report').nullable(),
    throughput_tasks_per_second: amount(
      'Completed tasks divided by the time in which any job was under way',
    ),
    jains_fairness_index: fairness(),
    energy_joules: amount(energyMeaning).nullable(),
    checkpoints: z.object({ count: count(), bytes: count() }),
    recovery: z.object({
      events: count(),
      mean_seconds_to_resume: amount().nullable(),
      work_saved_seconds: amount(),
      wasted_seconds: amount().describe('Run time of attempts that another one overtook'),
    }),
    scheduler: z.object({
      algorithm: z.string(),
      decisions: count(),
      decisions_by_algorithm: z
        .record(z.string(), count())
        .describe('Those of each algorithm that has made any'),
      mean_decision_microseconds: amount().nullable(),
    }),
  })
  .meta({
    examples: [
      {
        jobs: { total: 12, completed: 10, failed: 1, cancelled: 0, running: 1 },
        tasks: { total: 1500, completed: 1204, failed: 3, retried: 9, recovered: 2 },
        job_execution_time_seconds: { mean: 14.2, median: 11.9, p95: 31.4, max: 33 },
        average_task_time_seconds: 0.412,
        throughput_tasks_per_second: 18.3,
        jains_fairness_index: 0.94,
        energy_joules: 812.5,
        checkpoints: { count: 37, bytes: 91_204 },
        recovery: {
          events: 2,
          mean_seconds_to_resume: 1.1,
          work_saved_seconds: 24.8,
          wasted_seconds: 0,
        },
        scheduler: {
          algorithm: 'edas',
          decisions: 1290,
          decisions_by_algorithm: { fifo: 90, edas: 1200 },
          mean_decision_microseconds: 14.1,
        },
      },
    ],
  });

export const loadDistributionSchema = z
  .object({
    jains_fairness_index: fairness(),
    coefficient_of_variation: amount('Standard deviation divided by mean').nullable(),
    workers: z.array(
      z.object({
        worker_id: z.string(),
        ...workerFields,
        type: z.string(),
        tasks_completed: count(),
        tasks_failed: count(),
        active_tasks: count(),
        busy_seconds: amount(),
        share: share('Of all tasks that were completed'),
      }),
    ),
  })
  .meta({
    examples: [
      {
        jains_fairness_index: 0.94,
        coefficient_of_variation: 0.25,
        workers: [
          {
            worker_id: exampleIds.worker,
            name: 'desk-1',
            registered: true,
            type: 'pc',
            tasks_completed: 310,
            tasks_failed: 2,
            active_tasks: 1,
            busy_seconds: 128.4,
            share: 0.257,
          },
        ],
      },
    ],
  });

const attemptOfHistorySchema = z.object({
  job_id: z.string(),
  task_id: z.string(),
  index: count(),
  attempt: count('Counts from 1'),
  worker_id: z.string(),
  slot: count(
    'The smallest number from 0 that nothing else had which ran on the worker when it began; null: it did ' +
      'not begin, or began before the coordinator was started',
  ).nullable(),
  status: z.enum(['assigned', 'running', ...endedAttemptStatuses]),
  assigned_at: timestamp(),
  started_at: timestamp().nullable(),
  ended_at: timestamp('Null: it is live').nullable(),
  progress: share('As last reported; 1 when it has completed'),
  resumed_from_progress: share('Of the checkpoint that it went on from').nullable(),
  resumed_from_attempt: count('The attempt of the task that saved this checkpoint').nullable(),
  checkpoints: count('How many it has saved'),
  error_type: z.string().nullable().describe('Of one that is over and has not completed'),
});

export const attemptHistorySchema = z
  .object({
    kept_since: timestamp('What ended then or later is here, but for what did not fit'),
    left_out: count('Attempts that did not fit: ask for more, or for a shorter time'),
    attempts: z.array(attemptOfHistorySchema).describe('Live ones first, then newest end first'),
  })
  .meta({
    examples: [
      {
        kept_since: exampleTime,
        left_out: 0,
        attempts: [
          {
            job_id: exampleIds.job,
            task_id: exampleIds.task,
            index: 7,
            attempt: 2,
            worker_id: exampleIds.worker,
            slot: 0,
            status: 'completed',
            assigned_at: exampleTime,
            started_at: exampleTime,
            ended_at: exampleTime,
            progress: 1,
            resumed_from_progress: 0.62,
            resumed_from_attempt: 1,
            checkpoints: 3,
            error_type: null,
          },
        ],
      },
    ],
  });

/** A line of the export; in CSV the names of the fields are those of the columns. */
export const exportedAttemptSchema = z
  .object({
    job_id: z.string(),
    job_name: z.string().nullable(),
    task_id: z.string(),
    index: count(),
    attempt: count('Counts the attempts of the task, from 1'),
    count: count('More than 1: so many in a row that the worker did not take'),
    worker_id: z.string(),
    worker_name: z.string().nullable(),
    algorithm: z
      .string()
      .nullable()
      .describe('In force when it was assigned; null when that is not known any more'),
    submitted_at: timestamp('Of its job'),
    assigned_at: timestamp(),
    started_at: timestamp('Null: it never began').nullable(),
    ended_at: timestamp(),
    waited_seconds: amount(
      'From the submission, or from the end of the attempt before, to its start; null: it never began, or is a copy',
    ).nullable(),
    ran_seconds: amount(
      'As its worker says, or between its times; null: it never began',
    ).nullable(),
    outcome: z.enum(endedAttemptStatuses),
    given_up_as: z
      .enum(['lost', 'timed_out', 'released'])
      .nullable()
      .describe('As what it had been given up, when its result was accepted nevertheless'),
    error_type: z.string().nullable(),
    checkpoints: count('How many it saved; null: not known').nullable(),
    resumed_from_attempt: count().nullable(),
    resumed_from_progress: share('Of the checkpoint that it went on from').nullable(),
    energy_joules: amount(
      'Of a completed one, as its worker says, or estimated; null: not known',
    ).nullable(),
  })
  .meta({
    examples: [
      {
        job_id: exampleIds.job,
        job_name: 'render',
        task_id: `${exampleIds.job}.7`,
        index: 7,
        attempt: 2,
        count: 1,
        worker_id: exampleIds.worker,
        worker_name: 'desk-1',
        algorithm: 'edas',
        submitted_at: exampleTime,
        assigned_at: exampleTime,
        started_at: exampleTime,
        ended_at: exampleTime,
        waited_seconds: 0.021,
        ran_seconds: 1.25,
        outcome: 'completed',
        given_up_as: null,
        error_type: null,
        checkpoints: 3,
        resumed_from_attempt: 1,
        resumed_from_progress: 0.62,
        energy_joules: 12.5,
      },
    ],
  });

export const throughputHistorySchema = z
  .object({
    bucket_seconds: amount('May be longer than asked for: there are at most 2000 points'),
    points: z
      .array(
        z.object({
          at: timestamp('Begin of the bucket'),
          tasks_completed: count(),
          tasks_failed: count(),
          throughput: amount('Completed tasks per second'),
        }),
      )
      .describe('Oldest first, empty buckets as 0, the current one included'),
  })
  .meta({
    examples: [
      {
        bucket_seconds: 10,
        points: [{ at: exampleTime, tasks_completed: 183, tasks_failed: 0, throughput: 18.3 }],
      },
    ],
  });

export const workerPerformanceSchema = z
  .object({
    worker_id: z.string(),
    ...workerFields,
    type: z.string(),
    platform: z.string(),
    tasks_completed: count(),
    tasks_failed: count(),
    average_task_time_seconds: amount().nullable(),
    throughput: amount(
      'Completed tasks per busy second, of which each task counts a millisecond at least',
    ),
    energy_joules: amount(energyMeaning).nullable(),
    energy_joules_per_task: amount().nullable(),
    failure_rate: share('Failed divided by completed and failed; 0 when there is neither'),
  })
  .meta({
    examples: [
      {
        worker_id: exampleIds.worker,
        name: 'desk-1',
        registered: true,
        type: 'pc',
        platform: 'linux',
        tasks_completed: 310,
        tasks_failed: 2,
        average_task_time_seconds: 0.414,
        throughput: 2.41,
        energy_joules: 640.2,
        energy_joules_per_task: 2.07,
        failure_rate: 0.0064,
      },
    ],
  });
