import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../sdk/protocol/ids.ts';
import type {
  Carrier,
  CarrierEvents,
  InboundText,
  Receipt,
  Submission,
} from '../../server/telephony/sms/Carrier.ts';
import { CarrierError } from '../../server/telephony/sms/CarrierError.ts';
import type { NumberOffer } from '../../server/telephony/sms/NumberMarket.ts';
import { partsOf } from '../../sdk/protocol/segments.ts';
import { until } from '../harness/until.ts';

/** A carrier that has not been started yet, on a network of its own. */
export interface CarrierWorld {
  carrier: Carrier;
  /** Two numbers that can send texts. The carrier reports the texts that they receive. */
  numbers: () => Promise<[string, string]>;
  /** A number without an owner. The carrier either rejects a text to it, or accepts the text and reports that it failed. */
  unassigned: string;
  /** A kind of number that the carrier sells; null if it sells none. */
  market: { country: string; type: NumberOffer['type'] } | null;
  close: () => Promise<void>;
}

/** The tests that every carrier driver must pass. */
export function describeCarrier(name: string, create: () => Promise<CarrierWorld>): void {
  describe(`the ${name} carrier`, () => {
    let world: CarrierWorld;
    let carrier: Carrier;
    let events: RecordedEvents;
    let one: string;
    let other: string;
    beforeAll(async () => {
      world = await create();
      carrier = world.carrier;
      events = new RecordedEvents();
      await carrier.start(events);
      [one, other] = await world.numbers();
      await until(
        () =>
          carrier.check().then(
            () => true,
            () => false,
          ),
        'the carrier is connected',
      );
    });
    afterAll(async () => {
      await carrier?.close();
      await world?.close();
    });

    const text = (over: Partial<Submission> = {}): Submission => {
      const body = over.text ?? `hello ${newId('msg')}`;
      const { parts, encoding } = partsOf(body);
      return {
        id: newId('msg'),
        from: one,
        to: other,
        text: body,
        encoding,
        segments: parts.length,
        mediaUrls: [],
        ...over,
      };
    };
    const inboundOf = (body: string) => events.texts.filter((each) => each.text === body);

    it.each([
      ['a short text', () => `short ${newId('msg')}`],
      ['the extension of GSM-7', () => `[€] {~} \\ | ^ ${newId('msg')}`],
      ['every character of GSM-7', () => `@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¤ÄÖÑÜ§¿äöñüà\nÄ ${newId('msg')}`],
      ['several parts', () => `${newId('msg')} ${'long words, '.repeat(30)}`.trim()],
      ['several parts with characters of two septets', () => `${newId('msg')}${'€uro '.repeat(90)}`.trim()],
      ['another alphabet', () => `Привет ${newId('msg')}`],
      ['several parts of another alphabet', () => `${newId('msg')} ${'привет '.repeat(40)}`.trim()],
      ['emoji', () => `${newId('msg')} ${'😀'.repeat(60)}`],
    ])('delivers %s and reports the delivery', async (_case, write) => {
      const submission = text({ text: write() });
      const { references } = await carrier.send(submission);
      expect(references.length).toBeGreaterThan(0);
      await until(() => inboundOf(submission.text).length > 0, 'the text arrives');
      expect(inboundOf(submission.text)).toHaveLength(1);
      expect(inboundOf(submission.text)[0]).toMatchObject({ from: one, to: other, mediaUrls: [] });
      await until(
        () => references.every((reference) => events.stateOf(reference) === 'delivered'),
        'every part is delivered',
      );
    });

    it('returns unique references for every text', async () => {
      const sent = await Promise.all(Array.from({ length: 5 }, () => carrier.send(text())));
      const references = sent.flatMap((each) => each.references);
      expect(new Set(references).size).toBe(references.length);
    });

    it('reports the failure of a text to an unassigned number', async () => {
      const outcome = await carrier.send(text({ to: world.unassigned })).catch((error: unknown) => error);
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(CarrierError);
        expect(outcome).toMatchObject({ kind: 'permanent' });
        return;
      }
      const { references } = outcome as { references: string[] };
      await until(
        () => references.some((reference) => events.stateOf(reference) === 'failed'),
        'the text fails',
      );
      expect(events.receipts.find(({ state }) => state === 'failed')?.errorCode).toBeTruthy();
    });

    it('never reports an unsubmitted text as accepted', async () => {
      const { outcome } = await carrier.getOutcome(text());
      expect(['not_sent', 'unknown']).toContain(outcome);
    });

    it('does not report an accepted text as not sent', async () => {
      const submission = text();
      const { references } = await carrier.send(submission);
      const answer = await carrier.getOutcome(submission);
      expect(answer.outcome).not.toBe('not_sent');
      if (answer.outcome === 'accepted') expect(answer.references).toEqual(references);
    });

    it('reports an inbound text again if it could not be stored', async () => {
      events.refuse = 1;
      const submission = text();
      await carrier.send(submission);
      await until(() => inboundOf(submission.text).length > 0, 'the text arrives again');
      expect(events.refuse).toBe(0);
    });

    it('sells a number only once, and treats a repeated order as the same order', async (context) => {
      const { market } = carrier;
      if (!market || !world.market) return context.skip();
      const { country, type } = world.market;
      expect(await market.types(country)).toContain(type);
      expect(await market.types('ZZ')).toEqual([]);
      const query = { country, type, areaCode: null, phoneNumber: null, capabilities: [], limit: 5 };
      const [offer] = await market.search(query);
      if (!offer) throw new Error('the carrier offers no number for sale');
      expect(offer).toMatchObject({
        country,
        type,
        phoneNumber: expect.stringMatching(/^\+\d{7,15}$/) as string,
      });
      const orders = [newId('ord'), newId('ord'), newId('ord')].map((orderId) => ({ ...offer, orderId }));
      const bought = await Promise.allSettled(orders.map((order) => market.buy(order)));
      expect(bought.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      for (const each of bought)
        if (each.status === 'rejected')
          expect(each.reason).toMatchObject({ kind: 'permanent', code: 'number_unavailable' });
      const at = bought.findIndex(({ status }) => status === 'fulfilled');
      const winner = orders[at];
      const result = bought[at];
      if (!winner || result?.status !== 'fulfilled') throw new Error('no order succeeded');
      expect(await market.buy(winner)).toEqual(result.value);
      expect(await market.getOutcome(winner)).toEqual({ outcome: 'bought', number: result.value });
      for (const order of orders)
        if (order !== winner) expect((await market.getOutcome(order)).outcome).toBe('not_bought');
      const findForSale = async () =>
        (await market.search({ ...query, phoneNumber: offer.phoneNumber })).map((each) => each.phoneNumber);
      expect(await findForSale()).toEqual([]);
      const given = { phoneNumber: offer.phoneNumber, reference: result.value.reference };
      await market.release(given);
      await market.release(given);
      expect((await market.getOutcome(winner)).outcome).toBe('not_bought');
      // If the number is for sale again at once, buy it again: a late release of the first purchase must not affect the second one.
      const again = { ...offer, orderId: newId('ord') };
      if ((await findForSale()).length === 0) return;
      const { reference } = await market.buy(again);
      await market.release(given);
      expect((await market.getOutcome(again)).outcome).toBe('bought');
      await market.release({ ...given, reference });
    });

    it('can be closed twice', async () => {
      await carrier.close();
      await carrier.close();
    });
  });
}

/** Records the events of a carrier. */
class RecordedEvents implements CarrierEvents {
  readonly texts: InboundText[] = [];
  readonly receipts: Receipt[] = [];
  /** How many of the next calls of inbound() fail. */
  refuse = 0;

  inbound(text: InboundText): Promise<void> {
    if (this.refuse > 0) {
      this.refuse--;
      return Promise.reject(new Error('the database is unavailable'));
    }
    if (!this.texts.some(({ reference }) => reference === text.reference)) this.texts.push(text);
    return Promise.resolve();
  }

  receipt(receipt: Receipt): Promise<void> {
    this.receipts.push(receipt);
    return Promise.resolve();
  }

  /** The last reported state of a part. */
  stateOf(reference: string): Receipt['state'] | undefined {
    return this.receipts.findLast((each) => each.reference === reference)?.state;
  }
}
