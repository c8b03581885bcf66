// The address keeps the state of the view: the path names the page, the query what of it is shown.

import { computed, signal } from '@preact/signals';

const current = signal(new URL(location.href));

export const path = computed(() => current.value.pathname);
export const query = computed(() => current.value.searchParams);

addEventListener('popstate', () => {
  current.value = new URL(location.href);
});

export function go(to: string): void {
  history.pushState(null, '', to);
  current.value = new URL(location.href);
  scrollTo(0, 0);
}

/** What is set replaces the entry in the history: going back leaves the page, not its filters. Null takes a name out. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URL(current.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  }
  if (next.href === current.value.href) return;
  history.replaceState(null, '', next);
  current.value = next;
}

/**
 * Clicks on links to pages of the dashboard do not load the document again. `onNear` is told the path of a link that
 * somebody points at or reaches by keys.
 */
export function takeLinks(onNear: (path: string) => void): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const url = linkOf(event);
    if (url === null) return;
    event.preventDefault();
    if (url.pathname === location.pathname && url.hash !== '') return follow(url.hash);
    go(url.pathname + url.search + url.hash);
  });
  for (const sign of ['pointerover', 'focusin']) {
    document.addEventListener(sign, (event) => {
      const url = linkOf(event);
      if (url !== null) onNear(url.pathname);
    });
  }
}

/** Null: it is not within a link to a page of the dashboard. */
function linkOf({ target }: Event): URL | null {
  const link = (target as Element).closest?.<HTMLAnchorElement>('a[href]') ?? null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return null;
  const url = new URL(link.href);
  return url.origin === location.origin && isOfDashboard(url.pathname) ? url : null;
}

function follow(hash: string): void {
  document.querySelector(hash)?.scrollIntoView({ block: 'start' });
}

let isOfDashboard: (path: string) => boolean = () => false;

/** Whoever knows the pages says which paths are theirs. */
export function ownPaths(isOwn: (path: string) => boolean): void {
  isOfDashboard = isOwn;
}
