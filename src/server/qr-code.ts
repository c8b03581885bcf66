// A text as a QR code: rows of modules, `1` is dark, with the margin that readers need around it.

import { encode } from 'uqr';

/** Light modules on every side. */
const margin = 4;

/** As small as it can be; if a version has room for it, with more of what mends a damaged picture. */
export function qrRows(text: string): readonly string[] {
  const { data } = encode(text, { ecc: 'L', boostEcc: true, border: margin });
  return data.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join(''));
}
