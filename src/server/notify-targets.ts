// Who is to be told of the end of a job, as a submission says it: checked, for the coordinator.

import type { NotifyTarget } from '../core/notifications.ts';
import { jobEnds, type NotifyRequest } from '../protocol/job-options.ts';
import { refusedField } from './refusal.ts';
import { type AddressRules, hostName } from './webhooks/address-rules.ts';
import { secretProblem } from './webhooks/signature.ts';
import { targetProblem } from './webhooks/target.ts';

/** `rules` is null where no messages are sent. */
export function notifyTargets(
  requests: readonly NotifyRequest[],
  rules: AddressRules | null,
): readonly NotifyTarget[] {
  if (rules === null) {
    throw refusedField(
      'notify',
      'is not taken here: this coordinator sends no messages (--notify off)',
    );
  }
  return requests.map(({ url, on = jobEnds, secret = null }, index) => {
    const path = `notify[${index}]`;
    const problem = targetProblem(url, rules);
    if (problem !== undefined) throw refusedField(`${path}.url`, problem);
    const doubt = secret === null ? undefined : secretProblem(secret);
    if (doubt !== undefined) throw refusedField(`${path}.secret`, doubt);
    return { url, host: hostName(new URL(url).hostname), on: [...new Set(on)], secret };
  });
}
