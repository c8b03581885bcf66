// The pages of evaluation, timeline and recovery in a real browser, beside a lab in which a device was lost: what
// they say is what the interface says.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { AttemptHistory, EvaluationMetrics } from '../../src/protocol/evaluation.ts';
import type { RecoveryEvent } from '../../src/protocol/resources.ts';
import {
  grouped,
  measured,
  percent,
  rate,
  withUnit,
} from '../../src/dashboard/app/text/numbers.ts';
import { workWords } from '../../src/dashboard/app/pages/recovery/recovery-events.ts';
import { duration } from '../../src/dashboard/app/text/times.ts';
import { counted } from '../../src/dashboard/app/text/words.ts';
import { launchBrowser } from '../support/browser.ts';
import { serveCli, type ServingCli } from '../support/cli-process.ts';
import { labDevices, type PlayedLab, playLab } from '../support/dashboard/played-lab.ts';

const devices = labDevices.filter(({ name }) => /atlas|cedar|lagoon|Noor/.test(name));
const folder = mkdtempSync(join(tmpdir(), 'muster-evaluation-'));
let serving: ServingCli;
let browser: Browser;
let lab: PlayedLab;

beforeAll(async () => {
  [serving, browser] = await Promise.all([
    serveCli(['--workers', '0'], { folder }),
    launchBrowser(),
  ]);
  lab = await playLab(serving.url, devices);
  // Some of what lagoon works on has been saved before it is taken out with its tasks.
  const { client, workers, jobs } = lab;
  const lagoon = workers.get('lagoon')!;
  await vi.waitUntil(
    async () => {
      const checkpoints = await client.checkpoints(jobs.docking);
      return checkpoints.some(({ worker_id: id }) => id === lagoon.id);
    },
    { timeout: 60_000, interval: 200 },
  );
  lagoon.die();
  await client.deregister(lagoon.id);
  // Work is counted in steps of time: what is counted until now is of the steps before.
  const worksOnDocking = async (since?: string): Promise<void> => {
    await vi.waitUntil(
      async () => {
        const time = since === undefined ? { until: new Date().toISOString() } : { since };
        const { tasks } = await client.evaluation.metrics({ jobId: jobs.docking, ...time });
        return tasks.completed > 0;
      },
      { timeout: 60_000, interval: 200 },
    );
  };
  await worksOnDocking();
  const { updated_at: since } = await client.scheduler.configure({ algorithm: 'edas' });
  await vi.waitUntil(
    async () => {
      const events = await client.recoveryEvents();
      return events.length > 0 && events.every(({ resumed_at: at }) => at !== null);
    },
    { timeout: 60_000, interval: 200 },
  );
  await worksOnDocking(since);
  // From here on the figures stand still: whoever works is gone, and what is open is over.
  await Promise.all([jobs.docking, jobs.frames, jobs.archive].map((id) => client.cancel(id)));
  lab.end();
}, 180_000);

afterAll(async () => {
  await browser.close();
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complains of, and requests to other origins. */
  readonly complaints: string[];
}

async function visit(path: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && origin !== serving.url) {
      complaints.push(`asks ${request.url()}`);
    }
  });
  await page.goto(`${serving.url}${path}`);
  await page.locator('.freshness.live').waitFor();
  return { page, context, complaints };
}

async function ask<T>(path: string): Promise<T> {
  return (await (await fetch(`${serving.url}${path}`)).json()) as T;
}

const hour = (): string => encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString());
const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).first().textContent()) ?? '';

test('the figures of an evaluation are those of the interface, each with its n', async () => {
  const { page, context, complaints } = await visit('/evaluation');
  const metrics = await ask<EvaluationMetrics>(`/api/evaluation/metrics?since=${hour()}`);
  const load = await lab.client.evaluation.loadDistribution();
  await page.locator('[data-figure="one throughput"]').waitFor();
  const figure = (id: string): Promise<string> => textOf(page, `[data-figure="one ${id}"]`);
  expect(await figure('throughput')).toBe(rate(metrics.throughput_tasks_per_second));
  expect(await figure('task-time')).toBe(duration(metrics.average_task_time_seconds));
  expect(await figure('fairness')).toContain(measured(metrics.jains_fairness_index!));
  expect(await figure('job-median')).toBe(duration(metrics.job_execution_time_seconds.median));
  expect(await figure('saved')).toBe(duration(metrics.recovery.work_saved_seconds));
  const row = page.locator('[data-row="throughput"]');
  expect(await row.textContent()).toContain(`${grouped(metrics.tasks.completed)} tasks`);
  expect(await textOf(page, 'h1')).toContain(rate(metrics.throughput_tasks_per_second));
  const loads = page.getByRole('region', { name: 'Load of each worker' });
  for (const worker of load.workers) {
    const line = loads.locator('li', { hasText: worker.name! });
    const told = `${percent(worker.share)} · ${grouped(worker.tasks_completed)}`;
    expect(await line.locator('.number').textContent()).toBe(told);
  }
  expect(complaints).toEqual([]);
  await context.close();
});

test('the throughput is drawn in the colours of the theme, and read by the keys', async () => {
  const { page, context, complaints } = await visit('/evaluation');
  const picture = page.locator('.chart canvas');
  await picture.waitFor();
  const isDrawnIn = (token: string): Promise<unknown> =>
    page.waitForFunction((name) => {
      const pixelsOf = (draw: (brush: CanvasRenderingContext2D) => void): Uint8ClampedArray => {
        const copy = document.createElement('canvas');
        copy.width = chart.width;
        copy.height = chart.height;
        const brush = copy.getContext('2d', { willReadFrequently: true })!;
        draw(brush);
        return brush.getImageData(0, 0, copy.width, copy.height).data;
      };
      const chart = document.querySelector<HTMLCanvasElement>('.chart canvas')!;
      const drawn = pixelsOf((brush) => brush.drawImage(chart, 0, 0));
      const wanted = pixelsOf((brush) => {
        brush.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
        brush.fillRect(0, 0, 1, 1);
      }).slice(0, 3);
      for (let at = 0; at < drawn.length; at += 4) {
        // A line that is thinner than a pixel lets some of what is behind it through.
        const isThere = drawn[at + 3]! > 100;
        if (isThere && wanted.every((part, place) => Math.abs(part - drawn[at + place]!) < 3)) {
          return true;
        }
      }
      return false;
    }, token);
  await isDrawnIn('--completed');
  const before = await page.evaluate(() =>
    getComputedStyle(document.documentElement).getPropertyValue('--completed'),
  );
  await page.evaluate(() => {
    document.documentElement.dataset['theme'] = 'dark';
  });
  await page.waitForFunction(
    (light) => getComputedStyle(document.documentElement).getPropertyValue('--completed') !== light,
    before,
  );
  await isDrawnIn('--completed');
  await page.locator('.chart .over').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.chart .reading').filter({ hasText: 'tasks/s' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('two subjects stand side by side, and the address keeps them', async () => {
  const { page, context, complaints } = await visit('/evaluation');
  await page.getByLabel('Evaluated').selectOption(`job-${lab.jobs.primes}`);
  await page.getByLabel('Compared with').selectOption(`job-${lab.jobs.trees}`);
  await page.locator('[data-figure="other throughput"]').waitFor();
  expect(new URL(page.url()).searchParams.get('of')).toBe(`job-${lab.jobs.primes}`);
  expect(new URL(page.url()).searchParams.get('against')).toBe(`job-${lab.jobs.trees}`);
  const [one, other] = await Promise.all(
    [lab.jobs.primes, lab.jobs.trees].map((jobId) => lab.client.evaluation.metrics({ jobId })),
  );
  const row = page.locator('[data-row="throughput"]');
  expect(await row.textContent()).toContain(rate(one!.throughput_tasks_per_second));
  expect(await row.textContent()).toContain(rate(other!.throughput_tasks_per_second));
  // Of one job nothing can be said about how long jobs take.
  expect(await page.locator('[data-row="job-median"]').textContent()).not.toMatch(/more|less/);
  expect(complaints).toEqual([]);
  await context.close();
});

test('what an algorithm did is held against what the same job did before it', async () => {
  const [at, before] = (await lab.client.scheduler.history()).map((entry) => entry.at);
  const { page, context, complaints } = await visit('/scheduler');
  await page.getByRole('link', { name: 'What it did' }).first().click();
  await page.locator('[data-figure="other throughput"]').waitFor();
  const choice = page.getByLabel('Tasks of');
  const id = await choice.inputValue();
  const rateIn = async (time: string): Promise<string> => {
    const path = `/api/evaluation/metrics?job_id=${id}&${time}`;
    return rate((await ask<EvaluationMetrics>(path)).throughput_tasks_per_second);
  };
  expect(await textOf(page, '[data-figure="one throughput"]')).toBe(await rateIn(`since=${at}`));
  expect(await textOf(page, '[data-figure="other throughput"]')).toBe(
    await rateIn(`since=${before}&until=${at}`),
  );
  // Figures, times and chart count the same work.
  const { tasks } = await ask<EvaluationMetrics>(
    `/api/evaluation/metrics?job_id=${id}&since=${before}&until=${at}`,
  );
  const times = page.locator('.panel', { hasText: 'Time of a task, by worker' }).nth(1);
  await times.getByText(counted(tasks.completed, 'attempt')).waitFor();
  const drawn = page.getByRole('img', { name: `${counted(tasks.completed, 'task')} completed` });
  await drawn.last().waitFor();
  const back = page.getByRole('link', { name: 'Back to fifo' });
  expect(await back.getAttribute('href')).toBe('/scheduler?algorithm=fifo');
  const name = await choice.locator(`option[value="${id}"]`).textContent();
  const headline = await textOf(page, 'h1');
  expect(headline).toContain(`of ${name} in the time of edas since`);
  expect(headline).toContain(`Of ${name} alone, which ran in both.`);
  expect(headline).toContain('nightly-primes');
  expect(await textOf(page, '.evaluation-others')).toContain('nightly-primes');
  await choice.selectOption('all');
  await page.locator('.evaluation-others', { hasText: 'Not the same jobs ran' }).waitFor();
  await page.locator('[data-figure="other throughput"]').waitFor();
  expect(await page.locator('[data-row="throughput"]').textContent()).not.toMatch(/better|worse/);
  expect(new URL(page.url()).searchParams.get('within')).toBe('all');
  expect(complaints).toEqual([]);
  await context.close();
});

test('two times without a job in common are not compared, and formulas unfold in place', async () => {
  const times = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'].join('_');
  const { page, context, complaints } = await visit(`/evaluation?of=1h&against=between-${times}`);
  await page.locator('h1', { hasText: 'Not comparable: no job ran in both.' }).waitFor();
  await page.locator('[data-figure="one throughput"]').waitFor();
  const row = page.locator('[data-row="throughput"]');
  expect(await row.textContent()).not.toMatch(/more|less|better|worse/);
  expect(await row.textContent()).not.toContain('time in which a job was open');
  await page.getByRole('button', { name: 'How each is counted' }).click();
  await row.getByText('time in which a job was open').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('what was read is given as a file, and a line for each worker as another', async () => {
  const { page, context } = await visit('/evaluation');
  const take = async (name: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    return readFileSync(await download.path(), 'utf8');
  };
  // The last parts that come in.
  await page.locator('.evaluation-note').waitFor();
  await page.locator('[data-figure="one saved"]').waitFor();
  const json = JSON.parse(await take('Download all that was read as JSON')) as {
    readonly metrics: EvaluationMetrics;
  };
  const metrics = await ask<EvaluationMetrics>(`/api/evaluation/metrics?since=${hour()}`);
  expect(json.metrics.tasks).toEqual(metrics.tasks);
  const lines = (await take('Download the workers as CSV')).trim().split('\r\n');
  expect(lines).toHaveLength(1 + devices.length);
  await context.close();
});

test('the timeline has every attempt of its time, and the address keeps what is seen', async () => {
  const { page, context, complaints } = await visit('/timeline?window=1h');
  const { attempts } = await lab.client.evaluation.attempts({ limit: 10_000 });
  await page.locator('.gantt canvas').waitFor();
  expect(await textOf(page, 'h1')).toContain(`${grouped(attempts.length)} attempts`);
  await expect.poll(() => page.locator('.gantt .marked').count()).toBeGreaterThan(1);
  expect(await page.locator('.gantt .marked title').last().textContent()).toBe('edas in force');
  const panel = page.getByRole('region', { name: 'Attempts by device and slot' });
  expect(await panel.textContent()).toContain('what ended is kept since');
  await panel.getByRole('button', { name: /^nightly-primes/ }).click();
  const ofPrimes = attempts.filter(({ job_id: id }) => id === lab.jobs.primes).length;
  await page.locator('h1', { hasText: `${grouped(ofPrimes)} attempts of 1 job` }).waitFor();
  expect(new URL(page.url()).searchParams.get('job')).toBe(lab.jobs.primes);
  await page.locator('.gantt [role=application]').press('+');
  await page.getByRole('button', { name: 'Go live' }).waitFor();
  expect(new URL(page.url()).searchParams.get('span')).toMatch(/^\d+-\d+$/);
  await page.getByRole('button', { name: 'Go live' }).click();
  expect(new URL(page.url()).searchParams.has('span')).toBe(false);
  expect(complaints).toEqual([]);
  await context.close();
});

test('what of a time is too much to be drawn is told and hatched, not shown as idle', async () => {
  const { page, context, complaints } = await visit('/');
  const { attempts } = await lab.client.evaluation.attempts({ limit: 10_000 });
  const shown = Math.floor(attempts.length / 2);
  await page.route('**/api/evaluation/attempts?*', async (route) => {
    const answer = await route.fetch();
    const history = (await answer.json()) as AttemptHistory;
    const newest = history.attempts.slice(0, shown);
    const left = history.attempts.length - shown;
    const json = { ...history, attempts: newest, left_out: left };
    await route.fulfill({ response: answer, json });
  });
  const ends = attempts.map(({ ended_at: end }) => Date.parse(end!));
  const begins = attempts.map(({ assigned_at: at }) => Date.parse(at));
  const span = `${Math.min(...begins)}-${Math.max(...ends) + 1}`;
  await page.goto(`${serving.url}/timeline?span=${span}`);
  await page.locator('.gantt .undrawn', { hasText: 'not drawn' }).waitFor();
  expect(await page.locator('.gantt .folded').count()).toBe(0);
  const heading = await textOf(page, 'h1');
  expect(heading).toContain(
    `${grouped(attempts.length)} attempts in the time that was chosen. Drawn are the newest ${grouped(shown)}: of`,
  );
  await page
    .getByText(`${grouped(attempts.length - shown)} older attempts are not drawn`)
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('recovery adds up what the events say, and shows each of them', async () => {
  const { page, context, complaints } = await visit('/recovery');
  const events = await ask<readonly RecoveryEvent[]>('/api/checkpoints/recovery-events');
  const sum = (of: (event: RecoveryEvent) => number): string =>
    workWords(events.reduce((all, event) => all + of(event), 0));
  await page.locator('[data-figure="saved"]').waitFor();
  expect(await textOf(page, '[data-figure="saved"]')).toBe(sum((each) => each.work_saved_seconds));
  expect(await textOf(page, '[data-figure="repeated"]')).toBe(
    sum((each) => each.time_lost_seconds),
  );
  const rows = page.locator('tr[data-row]');
  expect(await rows.count()).toBe(events.length);
  const resumed = events.find(({ outcome }) => outcome === 'resumed')!;
  const row = page.locator(`tr[data-row="${resumed.id}"]`);
  expect(await row.textContent()).toContain(
    `from ${withUnit(String(Math.round(100 * resumed.resumed_from_progress!)), '%')}`,
  );
  await page.getByRole('button', { name: /the worker was removed/ }).click();
  const removed = events.filter(({ reason }) => reason === 'deregistered').length;
  await expect.poll(() => rows.count()).toBe(removed);
  expect(new URL(page.url()).searchParams.get('reason')).toBe('deregistered');
  expect(complaints).toEqual([]);
  await context.close();
});
