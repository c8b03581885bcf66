// The tabs of a browser have one session: who logs in or out in one of them does so in all.

import { forgetKept } from './new-build.ts';

const channel = new BroadcastChannel('muster-session');

export function tellOfLogIn(): void {
  channel.postMessage('in');
}

/** Nothing of whoever was here stays to be seen, in any tab. */
export function leaveAllTabs(): void {
  channel.postMessage('out');
  leave();
}

export function followOtherTabs(onLoggedIn: () => void): void {
  channel.addEventListener('message', ({ data }) => (data === 'in' ? onLoggedIn() : leave()));
}

function leave(): void {
  forgetKept();
  location.reload();
}
