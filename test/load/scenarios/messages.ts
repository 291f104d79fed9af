import { newId } from '../../../sdk/protocol/ids.ts';
import { deferred } from '../deferred.ts';
import { LoadWallet } from '../peers/LoadWallet.ts';
import { LoadError } from '../report/describeError.ts';
import type { Measures } from '../report/Measures.ts';
import type { Scenario } from '../Scenario.ts';

/** What one wallet sends per second: below the default of RATE_LIMIT_MESSAGES, which is ten. */
const perWallet = 8;
const maxWallets = 2_000;
const deliveryLimitMs = 30_000;
/** The interval at which a device acknowledges what it has received, as the SDK does. */
const acknowledgeMs = 100;
const content = 'A message of an ordinary length: not a novel, and not an ok either. See you at eight?';

/** Messages from each wallet to its neighbour, timed until they arrive there. The server stores them first. */
export const messages: Scenario = {
  isWanted: (options) => options.messages > 0,

  async run(run, measures) {
    const { messages: perSecond } = run.options;
    const pairs = Math.ceil(Math.min(maxWallets, perSecond / perWallet) / 2);
    const inbox = new Inbox();
    const people: Person[] = [];
    await Promise.all(
      Array.from({ length: pairs * 2 }, async () => {
        const wallet = await LoadWallet.connect(run, measures);
        if (wallet) people.push(new Person(wallet, inbox));
      }),
    );
    const send = (index: number, dueAt: number) => {
      const from = people[index % people.length] as Person;
      // Neighbours write to each other, so that they are no strangers.
      const to = people[(index % people.length) ^ 1] ?? from;
      return deliver(measures, inbox, { from, to, dueAt });
    };
    if (people.length >= 2) await run.atRate(perSecond, { measures, what: 'message' }, send);
    await Promise.all(people.map((person) => person.close()));
  },
};

async function deliver(
  measures: Measures,
  inbox: Inbox,
  { from, to, dueAt }: { from: Person; to: Person; dueAt: number },
): Promise<void> {
  if (from === to) return;
  const id = newId('msg');
  const arriving = inbox.expect(id);
  const sent = await measures.attempt(
    'message stored',
    () => from.wallet.sendMessage({ id, to: to.wallet.address, content, type: 'text' }).then(() => true),
    dueAt,
  );
  if (!sent) return inbox.forget(id);
  measures.count('sent');
  // A message may arrive before the answer to its sender.
  const arrivedAt = await arriving;
  if (arrivedAt === null) return measures.fail('message delivered', notDelivered());
  measures.time('message delivered', arrivedAt - dueAt);
  measures.count('delivered');
}

const notDelivered = () => new LoadError('not_delivered', `not there after ${deliveryLimitMs / 1_000} s`);

/** The messages that have not arrived yet. */
class Inbox {
  readonly #waiting = new Map<string, (arrivedAt: number | null) => void>();

  /** Resolves with the time at which the message arrives; null if it does not, or is forgotten. */
  async expect(id: string): Promise<number | null> {
    const { promise, resolve } = deferred<number | null>();
    this.#waiting.set(id, resolve);
    const timer = setTimeout(() => this.forget(id), deliveryLimitMs);
    const arrivedAt = await promise;
    clearTimeout(timer);
    return arrivedAt;
  }

  arrived(id: string): void {
    this.#settle(id, performance.now());
  }

  forget(id: string): void {
    this.#settle(id, null);
  }

  #settle(id: string, arrivedAt: number | null): void {
    this.#waiting.get(id)?.(arrivedAt);
    this.#waiting.delete(id);
  }
}

/** A wallet that receives, and acknowledges the newest message from time to time. */
class Person {
  readonly wallet: LoadWallet;
  #newest: string | null = null;
  readonly #acknowledging: NodeJS.Timeout;

  constructor(wallet: LoadWallet, inbox: Inbox) {
    this.wallet = wallet;
    wallet.on('message:received', ({ id }) => {
      this.#newest = id;
      inbox.arrived(id);
    });
    this.#acknowledging = setInterval(() => {
      if (this.#newest === null) return;
      const messageIds = [this.#newest];
      this.#newest = null;
      // A lost acknowledgement is repaired by the next one.
      wallet.ask('messages.acknowledge', { messageIds }).catch(() => undefined);
    }, acknowledgeMs);
  }

  close(): Promise<void> {
    clearInterval(this.#acknowledging);
    return this.wallet.close();
  }
}
