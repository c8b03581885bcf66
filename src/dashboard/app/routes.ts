// The pages, by their paths. Each is loaded when it is first opened.

import type { ComponentType } from 'preact';
import { matchPath } from './shell/route-match.ts';

export type PageProps = Readonly<Record<string, string>>;

export interface Route {
  readonly pattern: string;
  /** In the navigation and the title. */
  readonly name: string;
  /** The page of the navigation that it belongs to. */
  readonly within?: string;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
}

export const routes: readonly Route[] = [
  { pattern: '/', name: 'Overview', load: () => import('./pages/overview/overview-page.tsx') },
  { pattern: '/jobs', name: 'Jobs', load: () => import('./pages/jobs/jobs-page.tsx') },
  {
    pattern: '/jobs/:job',
    name: 'Job',
    within: '/jobs',
    load: () => import('./pages/job/job-page.tsx'),
  },
  {
    pattern: '/jobs/:job/tasks/:index',
    name: 'Task',
    within: '/jobs',
    load: () => import('./pages/task/task-page.tsx'),
  },
  { pattern: '/workers', name: 'Workers', load: () => import('./pages/workers/workers-page.tsx') },
  {
    pattern: '/workers/:worker',
    name: 'Worker',
    within: '/workers',
    load: () => import('./pages/worker/worker-page.tsx'),
  },
  {
    pattern: '/scheduler',
    name: 'Scheduler',
    load: () => import('./pages/scheduler/scheduler-page.tsx'),
  },
  {
    pattern: '/evaluation',
    name: 'Evaluation',
    load: () => import('./pages/evaluation/evaluation-page.tsx'),
  },
  {
    pattern: '/timeline',
    name: 'Timeline',
    load: () => import('./pages/timeline/timeline-page.tsx'),
  },
  {
    pattern: '/recovery',
    name: 'Recovery',
    load: () => import('./pages/recovery/recovery-page.tsx'),
  },
  {
    pattern: '/submit',
    name: 'Submit a job',
    load: () => import('./pages/submit/submit-page.tsx'),
  },
  {
    pattern: '/connect',
    name: 'Connect a device',
    load: () => import('./pages/connect/connect-page.tsx'),
  },
  {
    pattern: '/settings',
    name: 'Settings',
    load: () => import('./pages/settings/settings-page.tsx'),
  },
];

export function routeOf(path: string): { readonly route: Route; readonly props: PageProps } | null {
  for (const route of routes) {
    const props = matchPath(route.pattern, path);
    if (props !== null) return { route, props };
  }
  return null;
}
