// The cases of `programs.cases.ts` in processes of this machine, without bubblewrap, and with it where it works: elsewhere
// both would be the same.

import { chooseConfinement } from '../../src/worker/node/confinement.ts';
import { pcPlace } from '../support/pc-place.ts';
import { programsCases } from './programs.cases.ts';

const isolationWith = (bubblewrap: 'off' | 'auto') =>
  chooseConfinement(process.execPath, bubblewrap).isolation;

programsCases(pcPlace('off'));
if (isolationWith('auto') !== isolationWith('off')) programsCases(pcPlace('auto'));
