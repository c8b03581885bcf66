// Who looks at the page, and so what it offers: what a role may not do is absent.

import { computed, signal } from '@preact/signals';

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

export function noteRefusedToken(why: string): void {
  tokenAsked.value = why;
}

/** Operates: workers, scheduler, tokens, everything. */
export const isAdmin = computed(() => session.value?.kind === 'admin');
/** Submits jobs, and changes those it sees. */
export const maySubmit = computed(() => isAdmin.value || session.value?.kind === 'client');
/** Inputs, results and what tasks print are not for those who only look on. */
export const mayReadPayloads = computed(() => maySubmit.value);
export const isViewer = computed(() => session.value?.kind === 'viewer');
