import { afterAll, beforeAll } from 'vitest';
import type { WirePayment } from '../../../sdk/protocol/account.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { stripeKey, StripeServer, webhookSecret } from '../../harness/services/StripeServer.ts';
import { api, newCustomer, queryDatabase, roomySettings } from './accountSupport.ts';

export const plans = [
  { id: 'team', name: 'Team', monthlyCredits: 2_000, price: '15.00', leakSearches: 10 },
  { id: 'solo', name: 'Solo', monthlyCredits: 300, price: '3.00' },
];

export const stripeSettings = (stripe: StripeServer) => ({
  ...roomySettings,
  PLANS: JSON.stringify(plans),
  SIGNUP_CREDITS: '0',
  STRIPE_SECRET_KEY: stripeKey,
  STRIPE_WEBHOOK_SECRET: webhookSecret,
  STRIPE_API_BASE: stripe.url,
});

type Headers = Record<string, string>;

export const creditsOf = async (url: string, headers: Headers) =>
  (await api(url, 'GET', '/account/credits', headers)).body.credits as number;
export const paymentsOf = async (url: string, headers: Headers) =>
  (await api(url, 'GET', '/account/payments', headers)).body.data as WirePayment[];
export const subscriptionOf = async (url: string, headers: Headers) =>
  (await api(url, 'GET', '/account/subscription', headers)).body;

/** Starts a top-up. @returns the id of the Checkout session */
export async function topUp(url: string, headers: Headers, credits: number): Promise<string> {
  const { status, body } = await api(url, 'POST', '/account/top-up', headers, { credits });
  if (status !== 201) throw new Error(`top-up: ${JSON.stringify(body)}`);
  return (body.url as string).split('/').at(-1) ?? '';
}

/** Starts a subscription to a plan. @returns the id of the Checkout session */
export async function subscribe(url: string, headers: Headers, planId: string): Promise<string> {
  const { status, body } = await api(url, 'POST', '/account/subscription', headers, { planId });
  if (status !== 201) throw new Error(`subscription: ${JSON.stringify(body)}`);
  return (body.url as string).split('/').at(-1) ?? '';
}

/** Waits until all events of Stripe are processed. */
export const settled = (server: ServerProcess) =>
  until(async () => {
    const waiting = await queryDatabase(
      server,
      `SELECT FROM due WHERE kind = 'stripe object' AND (due_at <= now() + interval '1 minute')`,
    );
    return waiting.length === 0;
  }, 'all events of Stripe are processed');

/** A server and its fake Stripe, for the tests of one file. */
export class StripeFixture {
  stripe!: StripeServer;
  server!: ServerProcess;

  /**
   * Registers the hooks that start and stop both. Call this at the top of a test file.
   * @param settings further settings of the server. @default none
   */
  static forThisFile(settings: Record<string, string> = {}): StripeFixture {
    const fixture = new StripeFixture();
    beforeAll(async () => {
      fixture.stripe = await StripeServer.start();
      fixture.server = await ServerProcess.start({ ...stripeSettings(fixture.stripe), ...settings });
    });
    afterAll(async () => {
      await (fixture.server as ServerProcess | undefined)?.dispose();
      await (fixture.stripe as StripeServer | undefined)?.close();
    });
    return fixture;
  }

  get url(): string {
    return this.server.url;
  }

  /** @returns the dashboard credentials of a new customer */
  signUp = async (): Promise<Headers> => (await newCustomer(this.url)).dashboard;

  /** Delivers the events of Stripe to the server, and waits until they are processed. */
  async deliver(events = this.stripe.state.takeEvents()): Promise<void> {
    await this.stripe.deliver(this.url, events);
    await settled(this.server);
  }

  /** The pending events of Stripe, newest first. */
  reversedEvents = () => this.stripe.state.takeEvents().reverse();
}
