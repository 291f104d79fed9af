import { randomBytes } from 'node:crypto';

type Fields = Record<string, unknown>;
type Metadata = Record<string, string>;

export interface StoredEvent {
  id: string;
  object: 'event';
  type: string;
  created: number;
  data: { object: Fields };
}

interface Session extends Fields {
  id: string;
  mode: 'payment' | 'subscription';
  status: 'open' | 'complete' | 'expired';
  customer: string;
  metadata: Metadata;
  amount_subtotal: number;
}

interface Subscription extends Fields {
  id: string;
  customer: string;
  status: string;
  metadata: Metadata;
  items: {
    object: 'list';
    data: { current_period_start: number; current_period_end: number; amount: number }[];
  };
}

const month = 30 * 24 * 60 * 60;
const now = () => Math.floor(Date.now() / 1_000);
const newId = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;
const list = (data: unknown[]) => ({ object: 'list', data, has_more: false, url: '/v1' });

/** The objects of the fake, and the actions on them. Each action adds an event with a copy of the object at that moment. */
export class StripeState {
  readonly sessions = new Map<string, Session>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly #objects = new Map<string, Fields>();
  #events: StoredEvent[] = [];

  /** Removes and returns the events added since the last call. */
  takeEvents(): StoredEvent[] {
    return this.#events.splice(0);
  }

  /**
   * The customer pays on the Checkout page.
   * @param later whether the payment method takes days to settle
   * @returns the charge of a top-up, or the subscription
   */
  pay(sessionId: string, later = false): string {
    const session = this.#session(sessionId);
    session.status = 'complete';
    if (session.mode === 'subscription') {
      const subscription = this.#begin(session);
      Object.assign(session, { payment_status: 'paid', subscription: subscription.id });
      this.#happen('customer.subscription.created', subscription);
      this.bill(subscription.id, 'subscription_create');
      this.#happen('checkout.session.completed', session);
      return subscription.id;
    }
    const charge = this.#charge(session.amount_subtotal);
    if (later) this.#get(charge.payment_intent).status = 'processing';
    Object.assign(session, {
      payment_status: later ? 'unpaid' : 'paid',
      payment_intent: charge.payment_intent,
    });
    this.#happen('checkout.session.completed', session);
    return charge.id;
  }

  /** Reports an earlier attempt to make the payment of a charge, which failed. */
  reportFailedAttempt(chargeId: string): void {
    const attempt = {
      ...this.#get(chargeId),
      id: newId('ch'),
      status: 'failed',
      amount_refunded: 0,
      refunded: false,
    };
    this.#happen('charge.failed', this.#keep(attempt));
  }

  /** A payment method that takes days finally succeeds or fails. */
  settle(sessionId: string, succeeded: boolean): void {
    const session = this.#session(sessionId);
    if (succeeded) session.payment_status = 'paid';
    this.#get(String(session.payment_intent)).status = succeeded ? 'succeeded' : 'requires_payment_method';
    this.#happen(`checkout.session.async_payment_${succeeded ? 'succeeded' : 'failed'}`, session);
  }

  expire(sessionId: string): Fields {
    const session = this.#session(sessionId);
    session.status = 'expired';
    this.#happen('checkout.session.expired', session);
    return session;
  }

  /** The subscription renews for a month and is paid. @returns the charge */
  renew(subscriptionId: string): string {
    const subscription = this.#subscription(subscriptionId);
    const [item] = subscription.items.data;
    if (!item) throw new Error('the subscription has no item');
    item.current_period_start = item.current_period_end;
    item.current_period_end += month;
    subscription.status = 'active';
    this.#happen('customer.subscription.updated', subscription);
    return this.bill(subscriptionId, 'subscription_cycle');
  }

  /** The card is declined. */
  decline(subscriptionId: string): void {
    const subscription = this.#subscription(subscriptionId);
    subscription.status = 'past_due';
    const invoice = this.#invoice(subscription, 'subscription_cycle', 'open');
    this.#happen('invoice.payment_failed', invoice);
    this.#happen('customer.subscription.updated', subscription);
  }

  end(subscriptionId: string): Fields {
    const subscription = this.#subscription(subscriptionId);
    subscription.status = 'canceled';
    this.#happen('customer.subscription.deleted', subscription);
    return subscription;
  }

  /** @returns the charge */
  bill(subscriptionId: string, reason: string): string {
    const subscription = this.#subscription(subscriptionId);
    const invoice = this.#invoice(subscription, reason, 'paid');
    const charge = this.#charge(subscription.items.data[0]?.amount ?? 0);
    const payment = { type: 'payment_intent', payment_intent: charge.payment_intent };
    invoice.payments = list([
      this.#keep({
        id: newId('inpay'),
        object: 'invoice_payment',
        status: 'paid',
        invoice: invoice.id,
        payment,
      }),
    ]);
    this.#happen('invoice.paid', invoice);
    return charge.id;
  }

  refund(chargeId: string, amount: number): void {
    const charge = this.#get(chargeId);
    charge.amount_refunded = Number(charge.amount_refunded) + amount;
    charge.refunded = charge.amount_refunded === charge.amount;
    this.#happen('refund.created', { id: newId('re'), object: 'refund', charge: chargeId, amount });
    this.#happen('charge.refunded', charge);
  }

  dispute(chargeId: string): string {
    const charge = this.#get(chargeId);
    charge.disputed = true;
    const { amount } = charge;
    const dispute = {
      id: newId('du'),
      object: 'dispute',
      charge: chargeId,
      amount,
      status: 'needs_response',
    };
    this.#happen('charge.dispute.created', this.#keep(dispute));
    return dispute.id;
  }

  closeDispute(disputeId: string, status: 'won' | 'lost'): void {
    const dispute = this.#get(disputeId);
    dispute.status = status;
    this.#happen('charge.dispute.closed', dispute);
  }

  has = (id: string) => this.#objects.has(id);

  /** Deletes every customer, as the operator can in Stripe's dashboard. */
  deleteCustomers(): void {
    for (const { id, object } of [...this.#objects.values()] as (Fields & { id: string })[])
      if (object === 'customer') this.#objects.delete(id);
  }

  /** The answer to an API request, or null if there is no such object or route. */
  answer(request: string, fields: Fields): Fields | null {
    const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(request) ?? [];
    const [family = '', ...rest] = path.split('/');
    const last = rest.at(-1) ?? '';
    const all = (object: string) => [...this.#objects.values()].filter((one) => one.object === object);
    switch (`${method} ${family}`) {
      case 'POST customers':
        return this.#keep({ id: newId('cus'), object: 'customer', ...fields });
      case 'GET checkout':
        return rest.length > 1
          ? this.#find(last, 'checkout.session')
          : list([...this.sessions.values()].filter((session) => matches(session, fields)));
      case 'POST checkout':
        return last === 'expire' ? this.expire(rest[1] ?? '') : this.#createSession(fields);
      case 'POST subscriptions':
        // One that has ended takes no other changes.
        return this.subscriptions.get(last)?.status === 'canceled' ? null : this.#change(last, fields);
      case 'DELETE subscriptions':
        return this.end(last);
      case 'GET invoice_payments': {
        const { payment_intent: intent } = fields.payment as Fields;
        return list(
          all('invoice_payment').filter(({ payment }) => (payment as Fields).payment_intent === intent),
        );
      }
      case 'GET disputes':
        return list(all('dispute').filter(({ charge }) => charge === fields.charge));
      case 'GET subscriptions':
        return this.#find(last, 'subscription');
      case 'GET invoices':
        return this.#find(last, 'invoice');
      case 'GET payment_intents':
        return this.#find(last, 'payment_intent');
      case 'GET charges':
        return this.#find(last, 'charge');
      default:
        return null;
    }
  }

  #createSession(fields: Fields): Session {
    const [line] = fields.line_items as { price_data: { unit_amount: string } }[];
    const amount = Number(line?.price_data.unit_amount);
    const id = newId('cs_test');
    const session = {
      ...fields,
      id,
      object: 'checkout.session',
      mode: fields.mode as Session['mode'],
      customer: String(fields.customer),
      metadata: fields.metadata as Metadata,
      status: 'open' as const,
      payment_status: 'unpaid',
      currency: 'usd',
      amount_subtotal: amount,
      amount_total: amount,
      expires_at: Number(fields.expires_at),
      url: `https://checkout.stripe.test/${id}`,
      payment_intent: null,
      subscription: null,
    };
    this.sessions.set(id, session);
    this.#keep(session);
    return session;
  }

  #begin(session: Session): Subscription {
    const { metadata } = session.subscription_data as { metadata: Metadata };
    const start = now();
    const item = {
      current_period_start: start,
      current_period_end: start + month,
      amount: session.amount_subtotal,
    };
    const subscription = {
      id: newId('sub'),
      object: 'subscription',
      customer: session.customer,
      status: 'active',
      start_date: start,
      cancel_at_period_end: false,
      latest_invoice: null,
      metadata,
      items: { object: 'list' as const, data: [item] },
    };
    this.subscriptions.set(subscription.id, subscription);
    this.#keep(subscription);
    return subscription;
  }

  #change(id: string, { cancel_at_period_end: cancel }: Fields): Fields {
    const subscription = this.#subscription(id);
    subscription.cancel_at_period_end = cancel === 'true';
    this.#happen('customer.subscription.updated', subscription);
    return subscription;
  }

  #invoice(subscription: Subscription, reason: string, status: string): Fields {
    const amount = subscription.items.data[0]?.amount ?? 0;
    const invoice = this.#keep({
      id: newId('in'),
      object: 'invoice',
      customer: subscription.customer,
      status,
      billing_reason: reason,
      currency: 'usd',
      amount_due: amount,
      amount_paid: status === 'paid' ? amount : 0,
      parent: {
        type: 'subscription_details',
        subscription_details: { subscription: subscription.id, metadata: subscription.metadata },
      },
      payments: list([]),
    });
    subscription.latest_invoice = invoice.id;
    return invoice;
  }

  #charge(amount: number): Fields & { id: string; payment_intent: string } {
    const intent = this.#keep({ id: newId('pi'), object: 'payment_intent', status: 'succeeded' });
    return this.#keep({
      id: newId('ch'),
      object: 'charge',
      status: 'succeeded',
      payment_intent: intent.id,
      amount,
      amount_refunded: 0,
      refunded: false,
      disputed: false,
      currency: 'usd',
    });
  }

  #happen(type: string, object: Fields): void {
    const copy = structuredClone(object);
    this.#events.push({ id: newId('evt'), object: 'event', type, created: now(), data: { object: copy } });
  }

  #keep<Kept extends Fields & { id: string }>(object: Kept): Kept {
    this.#objects.set(object.id, object);
    return object;
  }

  #find(id: string, object: string): Fields | null {
    const found = this.#objects.get(id);
    return found?.object === object ? found : null;
  }

  #get(id: string): Fields {
    const found = this.#objects.get(id);
    if (!found) throw new Error(`the fake has no object ${id}`);
    return found;
  }

  #session(id: string): Session {
    return this.#get(id) as Session;
  }

  #subscription(id: string): Subscription {
    return this.#get(id) as Subscription;
  }
}

function matches(session: Session, { customer, status, payment_intent: intent }: Fields): boolean {
  return (
    (customer === undefined || session.customer === customer) &&
    (status === undefined || session.status === status) &&
    (intent === undefined || session.payment_intent === intent)
  );
}
