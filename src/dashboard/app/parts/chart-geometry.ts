// Where the plot lies in a chart: what is drawn over it has to know.

/** Pixels around the plot: marks above it, the axes at its left and below. */
export const margins = { top: 26, right: 10, bottom: 26, left: 44 } as const;

/** Below the 0 of the lines, for what failed. */
export const sticksHeight = 34;
