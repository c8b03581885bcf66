import type { FromAgent, ToAgent } from '../../../src/worker/browser/page-messages.ts';

/** The channel between a test, which runs something in the page, and what stands in for the agent. */
export const stageName = 'stage';

export type StageMessage =
  /** The agent falls over. */
  | { readonly kind: 'crash' }
  | { readonly kind: 'say'; readonly message: FromAgent }
  /** `agent` tells one stand-in from another: that of the page before a reload may still say its farewell. */
  | { readonly kind: 'heard'; readonly agent: string; readonly message: ToAgent };
