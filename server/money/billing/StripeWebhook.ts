import type Stripe from 'stripe';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Database } from '../../../platform/database/database.ts';
import { idOf } from './fromStripe.ts';
import type { Followed, StripeSync } from './StripeSync.ts';

interface WebhookDeps {
  db: Database;
  stripe: Stripe;
  /** The setting STRIPE_WEBHOOK_SECRET. */
  secret: string;
  sync: StripeSync;
}

/** Receives Stripe's events. A signed event only triggers reading the object from Stripe. */
export class StripeWebhook {
  readonly #deps: WebhookDeps;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  /**
   * Resolves once a job for the event is stored. Stripe sends the event again until it gets an answer.
   * @throws ParleyError VALIDATION_ERROR (invalid_request) if the event has no valid signature from Stripe
   */
  async receive(body: unknown, signature: string | undefined): Promise<void> {
    const { db, sync } = this.#deps;
    const subject = subjectOf(this.#open(body, signature));
    if (subject) await sync.follow(db, subject.type, subject.id);
  }

  #open(body: unknown, signature: string | undefined): Stripe.Event {
    const { stripe, secret } = this.#deps;
    try {
      if (!Buffer.isBuffer(body)) throw new Error('no body');
      return stripe.webhooks.constructEvent(body, signature ?? '', secret);
    } catch (cause) {
      const message = 'The event has no valid signature of Stripe, or is too old.';
      throw new ParleyError('VALIDATION_ERROR', message, { reason: 'invalid_request', cause });
    }
  }
}

/** The object that an event is about; null for kinds of objects that are not synchronised. */
function subjectOf({ data }: Stripe.Event): { type: Followed; id: string } | null {
  const { object, id, charge } = data.object as {
    object?: string;
    id?: unknown;
    charge?: string | { id: string };
  };
  if (object === 'refund' || object === 'dispute') {
    const chargeId = idOf(charge);
    return chargeId === null ? null : { type: 'charge', id: chargeId };
  }
  const type = followed.find((name) => name === object);
  return type && typeof id === 'string' ? { type, id } : null;
}

const followed: Followed[] = ['checkout.session', 'subscription', 'invoice', 'charge'];
