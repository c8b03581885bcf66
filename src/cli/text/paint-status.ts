// The colour of each status, the same in every list.

import type { Colors } from './colors.ts';

const COLOR_OF: Readonly<Record<string, 'green' | 'red' | 'yellow' | 'cyan' | 'dim'>> = {
  completed: 'green',
  online: 'green',
  running: 'cyan',
  busy: 'cyan',
  assigned: 'cyan',
  failed: 'red',
  quarantined: 'red',
  cancelled: 'yellow',
  draining: 'yellow',
  waiting: 'yellow',
  held: 'yellow',
  offline: 'dim',
  pending: 'dim',
};

export function paintStatus(status: string, colors: Colors): string {
  const color = COLOR_OF[status];
  return color === undefined ? status : colors[color](status);
}
