// The dashboard: everything begins here.

import { render } from 'preact';
import { ownPaths, takeLinks } from './shell/address.ts';
import { App } from './app.tsx';
import { listenToKeys } from './shell/keys.ts';
import { followPreferences } from './shell/preferences.ts';
import { routeOf } from './routes.ts';
import { startStream } from './store/stream.ts';

followPreferences();
ownPaths((path) => routeOf(path) !== null);
takeLinks();
listenToKeys();
startStream();
render(<App />, document.getElementById('app')!);
// Without it the page works all the same.
import('./shell/touch-hint.ts').then(
  ({ listenToTouch }) => listenToTouch(),
  () => {},
);
