// Who looks at the page, and so what it offers: what a role may not do is absent.

import { batch, computed, signal } from '@preact/signals';

export interface Session {
  readonly kind: 'admin' | 'client' | 'viewer' | 'join' | 'worker';
  readonly owner: string | null;
  readonly label: string | null;
  /** Nobody is asked for a token though others can reach the coordinator. */
  readonly open: boolean;
  readonly needs_token: boolean;
}

/** Null until it was asked. */
export const session = signal<Session | null>(null);
/** The coordinator asks for a token: why, in its own words; null: it does not. */
export const tokenAsked = signal<string | null>(null);

/** Grows when somebody else logs in: nothing that was shown to whoever was there before is shown to them. */
export const visit = signal(0);

let logins = 0;
let lastVisitor: string | null = null;

/** What is asked from now on is asked by whoever has just logged in. */
export function noteLogin(): void {
  logins++;
}

/** Call it when something is asked; what it returns, when that was refused for want of a token. */
export function refusalOfToken(): (why: string) => void {
  const asked = logins;
  // Of a session that was replaced meanwhile it tells nothing.
  return (why) => {
    if (asked === logins) tokenAsked.value = why;
  };
}

/** Done as soon as no token is asked for. */
export function tokenShown(): Promise<void> {
  return new Promise((resolve) => {
    const end = tokenAsked.subscribe((why) => {
      if (why !== null) return;
      resolve();
      queueMicrotask(() => end());
    });
  });
}

/** Returns whether it is somebody else than before. */
export function noteSession(told: Session): boolean {
  const visitor = JSON.stringify([told.kind, told.owner, told.needs_token]);
  const isOther = lastVisitor !== null && lastVisitor !== visitor;
  lastVisitor = visitor;
  batch(() => {
    session.value = told;
    if (isOther) visit.value++;
  });
  return isOther;
}

/** Where no token is asked for nobody is somebody else. */
export function isSomebodyElse(one: Session, other: Session): boolean {
  const areKnown = one.needs_token && other.needs_token;
  return areKnown && (one.kind !== other.kind || one.owner !== other.owner);
}

/** Operates: workers, scheduler, tokens, everything. */
export const isAdmin = computed(() => session.value?.kind === 'admin');
/** Submits jobs, and changes those it sees. */
export const maySubmit = computed(() => isAdmin.value || session.value?.kind === 'client');
/** Inputs, results and what tasks print are not for those who only look on. */
export const mayReadPayloads = computed(() => maySubmit.value);
export const isViewer = computed(() => session.value?.kind === 'viewer');
/** What devices measure, run and fail is not for clients: owners share them. */
export const mayInspectWorkers = computed(() => isAdmin.value || isViewer.value);
