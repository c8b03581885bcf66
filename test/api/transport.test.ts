// "Two transports, one meaning."

import { transports } from './support/transport.ts';
import { transportCases } from './transport.cases.ts';

for (const transport of transports) transportCases(transport);
