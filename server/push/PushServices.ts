import type { PushTarget } from '../../sdk/protocol/notifications.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Push, PushOutcome, PushSender } from '../../signaling/notifications/PushSender.ts';
import { deliveryMetrics } from '../../platform/metrics/metrics.ts';
import type { PushDriver } from './PushDriver.ts';

/** The drivers of the configured services. */
export type PushDrivers = { [Service in PushTarget['service']]?: PushDriver<Service> };

/** Sends each push with the driver of its device's service. */
export class PushServices implements PushSender {
  readonly publicKey: string | null;
  readonly #drivers: PushDrivers;

  constructor(drivers: PushDrivers, publicKey: string | null) {
    this.#drivers = drivers;
    this.publicKey = publicKey;
  }

  check(target: PushTarget): void {
    const driver = this.#driverOf(target);
    if (driver) return driver.check?.(target);
    throw new ParleyError(
      'SERVICE_UNAVAILABLE',
      `This server does not support ${names[target.service]}. Ask the operator to configure it.`,
    );
  }

  async send(target: PushTarget, push: Push): Promise<PushOutcome> {
    const driver = this.#driverOf(target);
    if (!driver) return { state: 'failed', why: 'not configured' };
    const startedAt = performance.now();
    const outcome = await driver.send(target, push);
    const { service } = target;
    const seconds = (performance.now() - startedAt) / 1_000;
    deliveryMetrics.pushes.observe({ service, outcome: outcome.state }, seconds);
    return outcome;
  }

  close(): void {
    for (const driver of Object.values(this.#drivers)) driver.close?.();
  }

  /** TypeScript cannot infer that a target and its driver belong to the same service. */
  #driverOf({ service }: PushTarget): AnyDriver | undefined {
    return this.#drivers[service];
  }
}

interface AnyDriver {
  check?(target: PushTarget): void;
  send(target: PushTarget, push: Push): Promise<PushOutcome>;
}

const names = { web: 'Web Push', fcm: 'FCM', apns: 'APNs' };
