// Finds out whether a request, or a connection, failed because of the certificate, and says so in a sentence.

import { findNodeModules } from './node-modules.ts';
import { meetPin } from './pinned-connection.ts';
import { notTrusted, type UntrustedCertificate } from './untrusted.ts';

/**
 * To be called where `canPin`: browsers do not tell. Undefined when the certificate was not the reason. The platform does not tell the pin of what it refused: it
 * is met anew, and nothing is sent.
 */
export async function explainUntrusted(
  url: string,
  error: unknown,
): Promise<UntrustedCertificate | undefined> {
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each.name === 'UntrustedCertificate') return each as UntrustedCertificate;
    const { code } = each as { readonly code?: unknown };
    if (!isOfCertificate(code)) continue;
    return notTrusted(url, code, await meetPin(findNodeModules()!, url));
  }
  return undefined;
}

/** Whether the code of an error says that the platform refused a certificate. */
function isOfCertificate(code: unknown): code is string {
  return typeof code === 'string' && ofCertificate.test(code);
}

const ofCertificate =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERR_TLS_CERT_ALTNAME_INVALID|CERT_\w+|UNABLE_TO_\w+)$/;
