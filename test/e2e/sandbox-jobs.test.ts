// The cases of `sandbox-jobs.cases.ts` in processes of this machine.

import { pcPlace } from '../support/pc-place.ts';
import { sandboxJobsCases } from './sandbox-jobs.cases.ts';

sandboxJobsCases(pcPlace());
