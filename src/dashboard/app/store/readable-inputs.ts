/** More inputs than these are not read back into a page. */
export const mostReadBack = 100_000;
