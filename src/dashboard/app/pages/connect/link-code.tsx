// A link as a QR code: dark on white in any theme, as not every phone reads it the other way.

import { codePath } from './code-path.ts';

export function LinkCode({ rows }: { readonly rows: readonly string[] }) {
  const size = rows.length;
  return (
    <svg
      class="connect-code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="The link as a QR code"
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={codePath(rows)} />
    </svg>
  );
}
