// The cases that every sandbox has to pass, in frames of a real browser.

import { afterAll, beforeAll } from 'vitest';
import { BrowserPlace } from '../support/browser-place.ts';
import { executorCases } from './executor.cases.ts';
import { payloadsCases } from './payloads.cases.ts';
import { programsCases } from './programs.cases.ts';
import { sandboxJobsCases } from './sandbox-jobs.cases.ts';
import { sandboxCases } from './sandbox.cases.ts';

const place = new BrowserPlace();
beforeAll(() => place.begin());
afterAll(() => place.end());

sandboxCases(place);
sandboxJobsCases(place);
executorCases(place);
payloadsCases(place);
programsCases(place);
