import { Sight } from './sight.ts';

const awayMs = 60_000;

/** Of this page. */
export const sight = new Sight(() => document.hidden, awayMs);

document.addEventListener('visibilitychange', () => sight.note());
