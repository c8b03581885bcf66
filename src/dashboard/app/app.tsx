// The frame of all pages.

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Bones, Empty } from './parts/panel.tsx';
import { Button, ButtonLink } from './parts/button.tsx';
import { MiddleCut } from './parts/middle-cut.tsx';
import { swapTable } from './parts/table-behind.tsx';
import { forgetCluster } from './store/cluster.ts';
import { read } from './store/endpoint.ts';
import {
  noteLogin,
  noteSession,
  type Session,
  session,
  tokenAsked,
  visit,
} from './store/session.ts';
import { generation } from './store/stream.ts';
import { go, path } from './shell/address.ts';
import { Asking } from './shell/asking.tsx';
import { StaleLine, togglePause } from './shell/freshness-mark.tsx';
import { Help, showHelp } from './shell/help.tsx';
import { useKeys } from './shell/keys.ts';
import { LogIn } from './shell/log-in.tsx';
import { beginAnew, lookForNewBuild, takeNewBuild } from './shell/new-build.ts';
import { followOtherTabs, tellOfLogIn } from './shell/other-tabs.ts';
import { crumb, crumbOfJob } from './shell/page-title.ts';
import { Rail, Tabs } from './shell/rail.tsx';
import { connectItem, mainNavigation, settingsItem, submitItem } from './shell/navigation.ts';
import { type PageProps, type Route, routeOf } from './routes.ts';
import { TopBar } from './shell/top-bar.tsx';

const goKeys = Object.fromEntries(
  [...mainNavigation, submitItem, connectItem, settingsItem].map(({ key, path: to }) => [
    `g ${key}`,
    () => go(to),
  ]),
);

export function App() {
  useKeys({ '?': showHelp, p: togglePause, t: swapTable, ...goKeys });
  useEffect(() => {
    void readSession();
    void lookForNewBuild();
  }, [generation.value]);
  useEffect(() => followOtherTabs(() => void takeSession()), []);
  const found = routeOf(path.value);
  if (tokenAsked.value !== null && session.value === null) {
    return (
      <main id="main" class="alone">
        <LogIn onLoggedIn={loggedIn} />
      </main>
    );
  }
  const active = found === null ? '' : (found.route.within ?? found.route.pattern);
  const title = crumb.value ?? found?.route.name ?? 'Not found';
  return (
    <div class="app">
      <a class="skip" href="#main">
        To the page
      </a>
      <Rail active={active} />
      <div class="column">
        <StaleLine />
        <TopBar>
          {found?.route.within === undefined ? null : (
            <>
              <a class="reach" href={found.route.within}>
                {routeOf(found.route.within)?.route.name}
              </a>
              <span class="mute"> / </span>
            </>
          )}
          {crumbOfJob.value === null ? null : (
            <>
              <a class="reach cut wide-only" href={crumbOfJob.value.href}>
                {crumbOfJob.value.name}
              </a>
              <span class="mute wide-only"> / </span>
            </>
          )}
          <MiddleCut text={title} />
        </TopBar>
        <main id="main" tabIndex={-1}>
          {tokenAsked.value === null ? null : <LogIn onLoggedIn={loggedIn} />}
          {found === null ? (
            <NoSuchPage />
          ) : (
            <Loaded key={`${visit.value} ${path.value}`} route={found.route} props={found.props} />
          )}
        </main>
      </div>
      <Tabs active={active} />
      <Help />
      <Asking />
    </div>
  );
}

async function loggedIn(): Promise<void> {
  await takeSession();
  tellOfLogIn();
}

async function takeSession(): Promise<void> {
  noteLogin();
  // Before anything else is asked: it may be somebody else than before.
  await readSession();
  tokenAsked.value = null;
  generation.value++;
}

async function readSession(): Promise<void> {
  try {
    // What was shown to somebody else is not for whoever is here now.
    if (noteSession(await read<Session>('/api/session'))) forgetCluster();
  } catch {
    // Asked again when the stream is there again; a token that is asked for has its own form.
  }
}

function Loaded({ route, props }: { readonly route: Route; readonly props: PageProps }) {
  const [Page, setPage] = useState<{ readonly component: ComponentType<PageProps> } | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const isFirst = useRef(isFirstPage);
  useEffect(() => {
    isFirstPage = false;
    crumb.value = null;
    document.title = `${route.name} · Muster`;
    // Whoever came by a link of the page goes on reading at its beginning.
    if (!isFirst.current) document.getElementById('main')?.focus({ preventScroll: true });
    let isGone = false;
    route.load().then(
      ({ Page: component }) => isGone || setPage({ component }),
      async () => isGone || (await takeNewBuild()) || isGone || setFailed(true),
    );
    return () => {
      isGone = true;
    };
  }, [route]);
  if (hasFailed) {
    return (
      <Empty actions={<Button onPress={beginAnew}>Load the page again</Button>}>
        This page was not loaded: the coordinator does not answer, or has been updated meanwhile.
      </Empty>
    );
  }
  return Page === null ? <Bones lines={6} /> : <Page.component {...props} />;
}

let isFirstPage = true;

function NoSuchPage() {
  return (
    <Empty actions={<ButtonLink href="/">To the overview</ButtonLink>}>
      There is no page at this address.
    </Empty>
  );
}
