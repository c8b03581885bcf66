// The dashboard: everything begins here.

import { render } from 'preact';
import { ownPaths, takeLinks } from './shell/address.ts';
import { App } from './app.tsx';
import { listenToKeys } from './shell/keys.ts';
import { followPreferences } from './shell/preferences.ts';
import { routeOf } from './routes.ts';
import { freshness } from './store/freshness.ts';
import { startStream } from './store/stream.ts';

followPreferences();
ownPaths((path) => routeOf(path) !== null);
takeLinks(loadEarly);
listenToKeys();
startStream();
render(<App />, document.getElementById('app')!);

/** Who comes near a link is likely to follow it. */
function loadEarly(path: string): void {
  // A browser may remember that a part did not come: without a connection none is tried.
  if (freshness.value !== 'live') return;
  routeOf(path)
    ?.route.load()
    .catch(() => {});
}
// Without it the page works all the same.
import('./shell/touch-hint.ts').then(
  ({ listenToTouch }) => listenToTouch(),
  () => {},
);
