// What a server does as a member of a cluster: it passes on what another member decides, and ends trunks.

import type { IncomingMessage } from 'node:http';
import type { App } from '../app.ts';
import { Gateway, type GatewayOptions } from './gateway.ts';
import { TrunkRoute, type TrunkOptions } from './trunk-route.ts';
import { upgradesOf } from './upgrading.ts';

export type JoinOptions = Omit<GatewayOptions, 'upgrading'> & Omit<TrunkOptions, 'upgrading'>;

export interface Membership {
  /** Sockets of workers that are passed on as they are. */
  readonly workerSockets: number;
  /** Ids of the members whose trunks are open here. */
  readonly trunks: readonly string[];
  /** Whether the request becomes a socket that ends here, and is carried to the leader by the trunk. */
  carries(message: IncomingMessage): boolean;
}

/** Call behind the gate, before the hook that decides who may ask, and before sockets are served. */
export function joinCluster(app: App, options: JoinOptions): Membership {
  const upgrading = upgradesOf(app);
  const trunk = new TrunkRoute({ ...options, upgrading });
  const gateway = new Gateway({ ...options, upgrading });
  trunk.attach(app);
  gateway.attach(app);
  return {
    get workerSockets() {
      return gateway.workerSockets;
    },
    get trunks() {
      return trunk.members;
    },
    carries: (message) => gateway.carries(message),
  };
}
