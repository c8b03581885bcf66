// The cases of `programs.cases.ts` in processes of this machine, with and without bubblewrap.

import { pcPlace } from '../support/pc-place.ts';
import { programsCases } from './programs.cases.ts';

programsCases(pcPlace('off'));
programsCases(pcPlace('auto'));
