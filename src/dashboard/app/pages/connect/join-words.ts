// What is said of a link, and of a coordinator that nobody needs one for.

import type { JoinLinkResource } from '../../../../protocol/tokens.ts';
import { grouped } from '../../text/numbers.ts';
import { wholeDuration } from '../../text/times.ts';

/** How a device joins here: with a link, or without one as this machine alone, or as everybody. */
export type Door = 'link' | 'here' | 'open';

export function doorOf({
  open,
  needs_token: needsToken,
}: {
  readonly open: boolean;
  readonly needs_token: boolean;
}): Door {
  if (needsToken) return 'link';
  return open ? 'open' : 'here';
}

/** `42 min`, or that it has ended. */
export function endsIn(link: Pick<JoinLinkResource, 'expires_at'>, nowMs: number): string {
  if (link.expires_at === null) return 'never';
  const seconds = (Date.parse(link.expires_at) - nowMs) / 1000;
  return seconds <= 0 ? 'it has ended' : wholeDuration(seconds);
}

/** `usesLeft`: as it is told now. */
export function usedBy(uses: number, usesLeft: number | null): string {
  if (usesLeft === null) return 'any number of devices';
  return `${grouped(Math.max(0, uses - usesLeft))} of ${grouped(uses)} ${uses === 1 ? 'device' : 'devices'}`;
}

export interface LinkState {
  readonly expires_at: string | null;
  readonly uses_left: number | null;
  readonly status: string;
}

interface NamedLink extends LinkState {
  readonly id: string;
}

/** Why nobody joins by it any more; null: it is good. */
export function whyEnded(link: LinkState, nowMs: number): string | null {
  if (link.status === 'revoked') return 'It was taken back.';
  if (link.uses_left === 0 || link.status === 'used_up') {
    return 'As many devices as it was for have joined by it.';
  }
  const hasEnded = link.expires_at !== null && Date.parse(link.expires_at) <= nowMs;
  return hasEnded || link.status === 'expired' ? 'Its time is over.' : null;
}

/** What the tokens tell of a link, when they were read. One of another database is known to none of them. */
export function toldOf(link: NamedLink, tokens: readonly NamedLink[] | null): LinkState {
  if (tokens === null) return link;
  return tokens.find(({ id }) => id === link.id) ?? { ...link, status: 'revoked' };
}

/** What stands in the way of a phone that opens this address; each is a sentence. */
export function hindrances({
  address,
  onlyHere,
  isPinned,
}: {
  readonly address: string;
  readonly onlyHere: boolean;
  /** Nobody but the coordinator itself vouches for its certificate. */
  readonly isPinned: boolean;
}): readonly string[] {
  const isPlain = address.startsWith('http:');
  return [
    ...(onlyHere
      ? ['Only this machine reaches that address: nothing else can join by it. What changes it:']
      : []),
    ...(isPlain && !onlyHere
      ? [
          'Over plain HTTP a phone keeps back its battery, does not keep its screen on, and cannot be installed; whoever is between reads along. Serve it with HTTPS (--tls self-signed, or a certificate of your own).',
        ]
      : []),
    ...(isPinned && !onlyHere
      ? [
          'A browser warns of the certificate, which this coordinator made itself: go on past the warning. PCs that run the command know it by the link.',
        ]
      : []),
  ];
}

/** `k=` behind the `#`: the pin of a certificate for which nobody else vouches. */
export function hasPin(link: string): boolean {
  return /[.&#]k=/.test(new URL(link).hash);
}

export const commandOf = (link: string): string => `muster worker '${link}'`;

const usualPort = '8000';

/** What lets others join where only this machine can. `port`: the present one, empty for that of the scheme. */
export function openingCommands(port: string): readonly [token: string, serve: string] {
  const own = port === '' || port === usualPort ? '' : ` --port ${port}`;
  return [
    'muster token create --kind admin',
    `muster serve --host 0.0.0.0${own} --tls self-signed`,
  ];
}

/** To the page that works in a browser, at the address at which this page is. */
export function pageOfWorker(link: string | null): string {
  return `/worker${link === null ? '' : new URL(link).hash}`;
}
