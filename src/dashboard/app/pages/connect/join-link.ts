// The link of this page. Its secret is told once, and kept in the memory of the page alone: whoever comes back to
// it finds the same link, as long as it is good.

import { effect, signal } from '@preact/signals';
import type { JoinLinkResource } from '../../../../protocol/tokens.ts';
import { coordinatorTime } from '../../store/clock.ts';
import { change, codeOf, sentenceOf } from '../../store/endpoint.ts';
import { visit } from '../../store/session.ts';
import { whyEnded } from './join-words.ts';

export interface LinkAsked {
  readonly uses: number;
  readonly needsApproval: boolean;
  /** Another address of the coordinator; null: the one that is likeliest. */
  readonly address: string | null;
}

export interface OwnLink {
  readonly link: JoinLinkResource;
  readonly uses: number;
}

const approvalName = 'muster.askForEach';
const usualUses = 10;

export const ownLink = signal<OwnLink | null>(null);
export const isMaking = signal(true);
/** What failed, in sentences; null: nothing. */
export const linkFault = signal<string | null>(null);
export const linkAsked = signal<LinkAsked>({
  uses: usualUses,
  needsApproval: keptApproval(),
  address: null,
});

let making: Promise<void> = Promise.resolve();

effect(() => {
  // Of whoever was here before.
  if (visit.value > 0) ownLink.value = null;
});

/** For those who come to the page: the link that is good, or a new one. */
export async function haveLink(): Promise<void> {
  await making;
  const own = ownLink.value;
  const isGood = own !== null && whyEnded(own.link, coordinatorTime()) === null;
  if (!isGood) return makeLink({});
  isMaking.value = false;
}

/** Another link in place of the one that is shown, which is taken back: it is nowhere to be seen any more. */
export async function makeLink(changes: Partial<LinkAsked>): Promise<void> {
  isMaking.value = true;
  // One after the other, so that the last that was asked for is the one that stays.
  const own = making.then(() => make(changes));
  making = own;
  await own;
  if (making === own) isMaking.value = false;
}

async function make(changes: Partial<LinkAsked>): Promise<void> {
  const asked = { ...linkAsked.value, ...changes };
  linkAsked.value = asked;
  keepApproval(asked.needsApproval);
  const before = ownLink.value;
  try {
    const link = await change<JoinLinkResource>('POST', '/api/join-links', {
      uses: asked.uses,
      needs_approval: asked.needsApproval,
      ...(asked.address === null ? {} : { address: asked.address }),
    });
    ownLink.value = { link, uses: asked.uses };
    linkFault.value = null;
  } catch (error) {
    linkFault.value = `No link was made. ${sentenceOf(error)}`;
    return;
  }
  try {
    if (before !== null) await takeBack(before.link.id);
  } catch (error) {
    linkFault.value = `The link before could not be taken back, and is good until its end. ${sentenceOf(error)}`;
  }
}

/** The link is good no more; devices that have joined by it stay. */
export async function takeBackLink(): Promise<void> {
  const own = ownLink.value;
  if (own === null) return;
  await takeBack(own.link.id);
  ownLink.value = null;
}

async function takeBack(id: string): Promise<void> {
  try {
    await change('DELETE', `/api/tokens/${encodeURIComponent(id)}`);
  } catch (error) {
    // One that is unknown is as good as taken back.
    if (codeOf(error) !== 'unknown_token') throw error;
  }
}

function keptApproval(): boolean {
  try {
    return localStorage.getItem(approvalName) === 'yes';
  } catch {
    return false;
  }
}

function keepApproval(needsApproval: boolean): void {
  try {
    localStorage.setItem(approvalName, needsApproval ? 'yes' : 'no');
  } catch {
    // Asked anew the next time.
  }
}
