// The pages that are measured, and what is done on them meanwhile.

import type { Page } from 'playwright-core';
import { pause } from './figures.ts';

export interface MeasuredPage {
  readonly name: string;
  readonly path: string;
  /** Once, before it is measured. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Again and again while it is measured. */
  readonly act?: (page: Page) => Promise<void>;
}

interface Subjects {
  readonly biggestJob: string;
  readonly worker: string;
}

const wheelPx = 300;
const wheelEveryMs = 30;

export function measuredPages({ biggestJob, worker }: Subjects): readonly MeasuredPage[] {
  return [
    { name: 'overview', path: '/' },
    { name: 'overview, pointer on the chart', path: '/', act: alongTheChart() },
    { name: 'jobs, scrolled', path: '/jobs', prepare: showAllJobs, act: scrolled() },
    { name: 'job of 4 010 tasks', path: `/jobs/${biggestJob}` },
    { name: 'the same, scrolled', path: `/jobs/${biggestJob}`, act: scrolled() },
    { name: 'task', path: `/jobs/${biggestJob}/tasks/1500` },
    { name: 'workers', path: '/workers' },
    { name: 'workers, scrolled', path: '/workers', act: scrolled() },
    { name: 'worker', path: `/workers/${worker}` },
    { name: 'scheduler', path: '/scheduler' },
    { name: 'evaluation', path: '/evaluation' },
    { name: 'timeline', path: '/timeline' },
    { name: 'timeline, scrolled', path: '/timeline', act: scrolled() },
    { name: 'recovery', path: '/recovery' },
    { name: 'submit', path: '/submit' },
    { name: 'connect', path: '/connect' },
    { name: 'settings', path: '/settings' },
  ];
}

async function showAllJobs(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'Show older jobs' });
  for (;;) {
    await more.waitFor({ timeout: 3_000 }).catch(() => {});
    if (!(await more.isVisible())) break;
    await more.click();
    await pause(500);
  }
  await page.evaluate('scrollTo(0, 0)');
}

/** Down to the end and up again, as a wheel does it. */
function scrolled(): (page: Page) => Promise<void> {
  let way = 1;
  return async (page) => {
    await page.mouse.move(720, 600);
    await page.mouse.wheel(0, way * wheelPx);
    const isAtEnd = await page.evaluate<boolean>(
      way === 1
        ? 'scrollY + innerHeight >= document.documentElement.scrollHeight - 2'
        : 'scrollY <= 0',
    );
    if (isAtEnd) way = -way;
    await pause(wheelEveryMs);
  };
}

function alongTheChart(): (page: Page) => Promise<void> {
  let x = 0;
  return async (page) => {
    x = (x + 15) % 700;
    await page.mouse.move(200 + x, 280);
    await pause(wheelEveryMs);
  };
}
