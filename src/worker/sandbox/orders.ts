// What the agent tells a child, done by its driver: the same on every platform.

import type { Driver } from './driver.ts';
import type { ToChild } from './messages.ts';

/**
 * Obeys them in their order. What one of them throws is taken by the driver, and those behind it are obeyed all
 * the same. `tellAlive` answers a `ping`.
 */
export function obeyAll(driver: Driver, orders: readonly ToChild[], tellAlive: () => void): void {
  for (const order of orders) {
    try {
      obey(driver, order, tellAlive);
    } catch (error) {
      driver.threw(error);
    }
  }
}

function obey(driver: Driver, order: ToChild, tellAlive: () => void): void {
  switch (order[0]) {
    case 'run':
      return driver.run(order[1], order[2]);
    case 'program':
      return driver.programs.add(
        order[1],
        order[2],
        order[3],
        order[4],
        order[5],
        order[6],
        order[7],
      );
    case 'stop':
      return driver.stop(order[1], order[2]);
    case 'checkpoint':
      return driver.orderCheckpoint(order[1]);
    case 'packed':
      return driver.notePacked(order[1], order[2], order[3]);
    case 'forget':
      return driver.programs.forget(order[1]);
    case 'ping':
      return tellAlive();
  }
}
