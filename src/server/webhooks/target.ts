// An address to which messages are to be sent, as a submission names it: what can be said of it before a
// name is resolved. It is checked again at every attempt (`webhook-sender.ts`).

import { isIP } from 'node:net';
import { type AddressRules, hostName, isLocalName } from './address-rules.ts';

const leastOrdinaryPort = 1024;

/** Undefined when it may be used; else what is wrong, as a sentence goes on after the name of the field. */
export function targetProblem(text: string, rules: AddressRules): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'must be an address that begins with http:// or https://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must have no name or password in it; a secret that signs the message goes into `secret`';
  }
  const host = hostName(url.hostname);
  if (rules.isNamed(host)) return undefined;
  const addresses = isIP(host) !== 0 ? [host] : isLocalName(host) ? localAddresses : [];
  if (addresses.some(rules.isChosen)) return undefined;
  if (addresses.length > 0 && !addresses.some(rules.allows)) {
    return (
      'leads to an address that is not public. The operator of the coordinator can allow it ' +
      `(--notify-allow ${host})`
    );
  }
  if (!isOrdinaryPort(url)) {
    return `must have no port below ${leastOrdinaryPort} but 80 and 443`;
  }
  return undefined;
}

const localAddresses = ['127.0.0.1', '::1'];

/** Other programs than web servers listen below, and might understand what they are sent. */
export function isOrdinaryPort({ port }: URL): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= leastOrdinaryPort;
}
