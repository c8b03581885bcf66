// The dark modules of a QR code as one path: each run of a row is a box.

/** `rows`: with the margin that readers need; `1` is dark. */
export function codePath(rows: readonly string[]): string {
  return rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join('');
}
