// The pages that are named in the navigation.

import { icons } from '../look/glyphs.tsx';

export interface NavigationItem {
  readonly path: string;
  readonly name: string;
  readonly icon: string;
  /** Second letter of its keys, after `g`. */
  readonly key: string;
}

export const mainNavigation: readonly NavigationItem[] = [
  { path: '/', name: 'Overview', icon: icons.overview, key: 'o' },
  { path: '/jobs', name: 'Jobs', icon: icons.jobs, key: 'j' },
  { path: '/workers', name: 'Workers', icon: icons.workers, key: 'w' },
  { path: '/scheduler', name: 'Scheduler', icon: icons.scheduler, key: 's' },
  { path: '/evaluation', name: 'Evaluation', icon: icons.evaluation, key: 'e' },
  { path: '/timeline', name: 'Timeline', icon: icons.timeline, key: 't' },
  { path: '/recovery', name: 'Recovery', icon: icons.recovery, key: 'r' },
];

export const submitItem: NavigationItem = {
  path: '/submit',
  name: 'Submit a job',
  icon: icons.submit,
  key: 'n',
};
export const connectItem: NavigationItem = {
  path: '/connect',
  name: 'Connect a device',
  icon: icons.connect,
  key: 'c',
};
export const settingsItem: NavigationItem = {
  path: '/settings',
  name: 'Settings',
  icon: icons.settings,
  key: ',',
};
