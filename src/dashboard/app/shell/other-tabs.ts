// The tabs of a browser have one session: who logs in or out in one of them does so in all.

import { forgetKept } from './new-build.ts';

const channel = new BroadcastChannel('muster-session');

export function tellOfLogIn(): void {
  post('in');
}

/** Nothing of whoever was here stays to be seen, in any tab. */
export function leaveAllTabs(): void {
  post('out');
  leave();
}

export function followOtherTabs(onLoggedIn: () => void): void {
  channel.addEventListener('message', ({ data }) => (data === 'in' ? onLoggedIn() : leave()));
}

function post(what: 'in' | 'out'): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel, not a window
  channel.postMessage(what);
}

function leave(): void {
  forgetKept();
  location.reload();
}
