// The service worker of the page: when the page cannot be fetched, it shows one that says so. It keeps that page
// alone. Programs are never kept: the next visit gets those of the coordinator, whatever their version.

/** The compiler's description of a page has none of these. */
interface LastingEvent extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface ServiceWorkerScope {
  addEventListener(type: 'install' | 'activate', run: (event: LastingEvent) => void): void;
  addEventListener(type: 'fetch', run: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
}

const scope = globalThis as unknown as ServiceWorkerScope;
const cacheName = 'muster-worker-1';
const offlinePage = '/worker/offline';

/** A scope is the beginning of a path: that of this page is the beginning of others, too (`/workers`). */
function isOfPage({ pathname }: URL): boolean {
  return pathname === '/worker' || pathname.startsWith('/worker/');
}

scope.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(cacheName)
      .then((cache) => cache.add(new Request(offlinePage, { cache: 'reload' })))
      .then(() => scope.skipWaiting()),
  );
});

scope.addEventListener('activate', (event) => {
  const old = (name: string) => name.startsWith('muster-worker-') && name !== cacheName;
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter(old).map((name) => caches.delete(name)))),
  );
});

scope.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate' || !isOfPage(new URL(event.request.url))) return;
  event.respondWith(
    fetch(event.request).catch(async (error: unknown) => {
      const kept = await caches.match(offlinePage);
      if (kept === undefined) throw error;
      return kept;
    }),
  );
});
