import type {
  AvailableNumber,
  AvailableQuery,
  CheckedVerification,
  EsimCheckout,
  EsimOrder,
  EsimPackage,
  EsimPurchase,
  FoundLeaks,
  LeakQuestion,
  LookupAnswer,
  LookupQuestion,
  MessageThread,
  NewNumber,
  NewThreadMessage,
  NewVerification,
  NewWebhook,
  NumberOrder,
  NumberRenewal,
  Page,
  Parley,
  PhoneNumber,
  RenewedNumber,
  SentText,
  SpendOptions,
  StartedVerification,
  TextMessage,
  TextRate,
  VerificationGuess,
  Webhook,
  WebhookDelivery,
  WebhookState,
} from '@parley/sdk';
import { PagedList } from '../data/PagedList.ts';
import { Resource } from '../data/Resource.ts';
import type { AccountData } from '../session/AccountData.ts';
import { OpenOrders } from './OpenOrders.ts';

const numbersPerPage = 100;
const threadsPerPage = 50;
const messagesPerPage = 30;
const rowsPerPage = 20;
const packagesPerPage = 100;

/** An order with the `id` that PagedList needs. */
export type ListedEsimOrder = EsimOrder & { id: string };

/** Numbers, texts, webhooks and eSIMs of the signed-in account. Methods that cost credits refresh the balance. */
export class PhoneData {
  readonly numbers: PagedList<PhoneNumber>;
  readonly threads: PagedList<MessageThread>;
  readonly esimPackages: PagedList<EsimPackage>;
  readonly esimOrders: PagedList<ListedEsimOrder>;
  /** Orders that the carrier has not completed yet. */
  readonly openOrders = new OpenOrders();
  readonly #client: Parley;
  readonly #account: AccountData;
  /** By number id. */
  readonly #webhooks = new Map<string, Resource<WebhookState>>();

  constructor(client: Parley, account: AccountData) {
    this.#client = client;
    this.#account = account;
    const { numbers, messaging, esim } = client;
    this.numbers = new PagedList((cursor) => numbers.mine({ limit: numbersPerPage, ...from(cursor) }));
    this.threads = new PagedList((cursor) => messaging.threads({ limit: threadsPerPage, ...from(cursor) }));
    this.esimPackages = this.esimPackagesOf('');
    this.esimOrders = new PagedList(async (cursor) => {
      const page = await esim.orders({ limit: rowsPerPage, ...from(cursor) });
      return { ...page, data: page.data.map((order) => ({ ...order, id: order.orderId })) };
    });
  }

  available(query: AvailableQuery): Resource<Page<AvailableNumber>> {
    return new Resource(() => this.#client.numbers.available(query));
  }

  /** The texts of a thread. Loading them marks the thread as read. */
  conversation(counterparty: string, number: string): PagedList<TextMessage> {
    return new PagedList((cursor) =>
      this.#client.messaging.thread(counterparty, { number, limit: messagesPerPage, ...from(cursor) }),
    );
  }

  rate(to: string): Resource<TextRate> {
    return new Resource(() => this.#client.sms.rate(to));
  }

  webhook(numberId: string): Resource<WebhookState> {
    const known = this.#webhooks.get(numberId);
    if (known) return known;
    const resource = new Resource(() => this.#client.numbers.webhook({ numberId }));
    this.#webhooks.set(numberId, resource);
    return resource;
  }

  deliveries(numberId: string): PagedList<WebhookDelivery> {
    return new PagedList((cursor) =>
      this.#client.numbers.webhookDeliveries({ numberId, limit: rowsPerPage, ...from(cursor) }),
    );
  }

  /** @param country empty for all countries */
  esimPackagesOf(country: string): PagedList<EsimPackage> {
    return new PagedList((cursor) =>
      this.#client.esim.packages({ limit: packagesPerPage, ...(country && { country }), ...from(cursor) }),
    );
  }

  readonly buyNumber = async (options: SpendOptions, number: NewNumber): Promise<NumberOrder> => {
    const order = await this.#client.numbers.buy(number, options);
    if (order.status === 'pending') this.openOrders.add(order);
    await Promise.all([this.numbers.refresh(), this.#account.credits.refresh()]);
    return order;
  };

  /** Reads the status of an order. If the order has ended, refreshes the numbers and the balance. */
  readonly followOrder = async (orderId: string): Promise<void> => {
    const status = await this.#client.numbers.status(orderId);
    this.openOrders.update(status);
    if (status.status === 'pending' || status.status === 'processing') return;
    await Promise.all([this.numbers.refresh(), this.#account.credits.refresh()]);
  };

  readonly renewNumber = async (options: SpendOptions, renewal: NumberRenewal): Promise<RenewedNumber> => {
    const renewed = await this.#client.numbers.renew(renewal, options);
    await Promise.all([this.numbers.refresh(), this.#account.credits.refresh()]);
    return renewed;
  };

  readonly setAutoRenew = (id: string, autoRenew: boolean): Promise<PhoneNumber> =>
    this.#thenNumbers(this.#client.numbers.setAutoRenew(id, autoRenew));
  readonly releaseNumber = (id: string): Promise<PhoneNumber> =>
    this.#thenNumbers(this.#client.numbers.release(id));
  readonly setWebhook = async (webhook: NewWebhook): Promise<Webhook> => {
    const changed = await this.#client.numbers.setWebhook(webhook);
    const { numberId, url } = changed;
    // The removed webhook's state is forgotten. A webhook set later is a new one.
    if (url === null) this.#webhooks.delete(numberId);
    else await this.webhook(numberId).refresh();
    await this.numbers.refresh();
    return changed;
  };
  readonly testWebhook = (numberId: string): Promise<WebhookDelivery> =>
    this.#client.numbers.testWebhook({ numberId });

  readonly send = async (options: SpendOptions, message: NewThreadMessage): Promise<SentText> => {
    const sent = await this.#client.messaging.send(message, options);
    await Promise.all([this.threads.refresh(), this.#account.credits.refresh()]);
    return sent;
  };

  readonly buyEsims = async (options: SpendOptions, order: EsimCheckout): Promise<EsimPurchase> => {
    const purchase = await this.#client.esim.checkout(order, options);
    await Promise.all([this.esimOrders.refresh(), this.#account.credits.refresh()]);
    return purchase;
  };

  readonly lookUp = (options: SpendOptions, question: LookupQuestion): Promise<LookupAnswer> =>
    this.#thenCredits(this.#client.lookup.lookup(question, options));
  readonly searchLeaks = (
    options: SpendOptions,
    question: LeakQuestion,
    withCredits: boolean,
  ): Promise<FoundLeaks> => {
    const { leaksearch } = this.#client;
    return withCredits
      ? this.#thenCredits(leaksearch.searchWithCredits(question, options))
      : leaksearch.search(question, options);
  };
  readonly startVerification = (
    options: SpendOptions,
    verification: NewVerification,
  ): Promise<StartedVerification> =>
    this.#thenCredits(this.#client.verifications.start(verification, options));
  readonly checkVerification = (guess: VerificationGuess): Promise<CheckedVerification> =>
    this.#client.verifications.check(guess);

  async #thenCredits<Result>(spend: Promise<Result>): Promise<Result> {
    const result = await spend;
    await this.#account.credits.refresh();
    return result;
  }

  async #thenNumbers<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    await this.numbers.refresh();
    return result;
  }
}

const from = (cursor: string | undefined) => (cursor === undefined ? {} : { cursor });
