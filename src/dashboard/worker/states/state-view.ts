// The view of what the agent says.

import type { DeviceState } from '../../../worker/browser/page-messages.ts';
import type { View } from '../view.ts';
import { connecting, offline, waiting } from './connection.ts';
import { leaving } from './farewell.ts';
import type { Place } from './place.ts';
import { resting } from './rest.ts';
import { idle, working } from './work.ts';

export function stateView(state: DeviceState, place: Place): View {
  switch (state.phase) {
    case 'connecting':
      return connecting(state, place);
    case 'waiting':
      return waiting(state, place);
    case 'idle':
      return idle(state, place);
    case 'working':
      return working(state, place);
    case 'offline':
      return offline(state, place);
    case 'leaving':
      return leaving(state, place);
    case 'resting':
      return resting(state, state.rest ?? unexplained, place);
  }
}

const unexplained = { because: 'paused', isSettling: false, saved: [], untilMs: null } as const;
