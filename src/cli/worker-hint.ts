// What a person whose coordinator has no worker is told to do about it.

import { pinnedAddress, withPin } from '../transport/index.ts';
import type { ClientFlags } from './context.ts';

/** `asked`: as the coordinator was asked. One that is shown a token wants one of a worker as well. */
export async function workerHint(asked: Omit<ClientFlags, 'json'>): Promise<string> {
  if (asked.token !== undefined) return `let one join with  ${workerCommand(asked.url, null)}`;
  const { url, pin } = pinnedAddress(asked.url, asked.pin);
  const { addressToShow } = await import('../server/join-address.ts');
  // Every address of a machine means another machine on each.
  const shown = addressToShow(url.replace(/\/+$/, ''));
  return `start one with  ${workerCommand(shown, { pin })}`;
}

/** The same as a sentence of its own. */
export async function workerAdvice(asked: Omit<ClientFlags, 'json'>): Promise<string> {
  const [first = '', ...rest] = await workerHint(asked);
  return [first.toUpperCase(), ...rest].join('');
}

/** `free`: no token is needed. Where one is, it is in a link; the pin is in it, too. */
export function workerCommand(
  url: string,
  free: { readonly pin: string | undefined } | null,
): string {
  if (free === null) return 'muster join';
  return `muster worker ${free.pin === undefined ? url : `'${withPin(url, free.pin)}'`}`;
}
