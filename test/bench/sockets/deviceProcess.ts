import { setTimeout as delay } from 'node:timers/promises';
import { EventLoopDelay } from '../../harness/EventLoopDelay.ts';
import { Device, type Route } from './Device.ts';

/* A child process with many devices (Fleet.ts). */

export type Order = { connect: Route; tokens: string[] } | 'report' | 'forget';

/** What a process says about its devices. */
export interface FleetReport {
  connected: number;
  /** How many devices have been welcomed, and have caught up, since the last 'forget'. */
  welcomed: number;
  caughtUp: number;
  refusedForGood: string[];
  attempts: number;
  wasted: number;
  /** The times of the latest welcomes and catch-ups, in milliseconds since 1970. */
  welcomedAt: number[];
  caughtUpAt: number[];
  /** This process's event loop delay since the last 'forget': the 99th percentile and the largest, in milliseconds. */
  delayP99: number;
  delayMax: number;
  cpuMs: number;
}

const atOnce = 25;
const devices: Device[] = [];
const loop = new EventLoopDelay();
setInterval(() => devices.forEach((device) => device.check(Date.now())), 1_000);

process.on('message', (order: Order) => {
  if (order === 'report') process.send?.(report());
  else if (order === 'forget') forget();
  else void connectAll(order.connect, order.tokens);
});
process.on('disconnect', () => process.exit());

/** Keeps a limited number of connections in the making, because the server would have to queue the others. */
async function connectAll(route: Route, tokens: string[]): Promise<void> {
  for (const token of tokens) {
    const device = new Device(route, token);
    devices.push(device);
    device.open();
    while (devices.filter(({ caughtUp }) => caughtUp === 0).length >= atOnce) await delay(5);
  }
}

function forget(): void {
  for (const device of devices) device.welcomes = device.caughtUp = device.attempts = device.wasted = 0;
  loop.reset();
}

function report(): FleetReport {
  const sum = (read: (device: Device) => number) => devices.reduce((total, each) => total + read(each), 0);
  const { user, system } = process.cpuUsage();
  return {
    connected: sum(({ isConnected }) => Number(isConnected)),
    welcomed: sum(({ welcomes }) => Math.min(welcomes, 1)),
    caughtUp: sum(({ caughtUp }) => Math.min(caughtUp, 1)),
    refusedForGood: devices.map(({ refusedForGood }) => refusedForGood).filter(Boolean),
    attempts: sum(({ attempts }) => attempts),
    wasted: sum(({ wasted }) => wasted),
    welcomedAt: devices.map(({ welcomedAt }) => welcomedAt),
    caughtUpAt: devices.map(({ caughtUpAt }) => caughtUpAt),
    delayP99: loop.percentile(99),
    delayMax: loop.max,
    cpuMs: (user + system) / 1_000,
  };
}
