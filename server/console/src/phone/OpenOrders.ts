import { Store } from '@parley/react';
import type { NumberOrder } from '@parley/sdk';

/** A number order that was not completed immediately. */
export type OpenOrder = Pick<NumberOrder, 'orderId' | 'phoneNumber' | 'country' | 'credits'>;

const key = 'parley.numberOrders';

/** The orders that this tab is waiting for. The tab stores them for reloads, because the server lists numbers but not orders. */
export class OpenOrders {
  readonly store = new Store<OpenOrder[]>(recall());

  add({ orderId, phoneNumber, country, credits }: NumberOrder): void {
    // The answer to a repeated purchase is the order of the first one.
    this.#set([{ orderId, phoneNumber, country, credits }, ...this.#without(orderId)]);
  }

  dismiss(orderId: string): void {
    this.#set(this.#without(orderId));
  }

  #without(orderId: string): OpenOrder[] {
    return this.store.get().filter((order) => order.orderId !== orderId);
  }

  #set(orders: OpenOrder[]): void {
    this.store.set(orders);
    sessionStorage.setItem(key, JSON.stringify(orders));
  }
}

function recall(): OpenOrder[] {
  try {
    const orders = JSON.parse(sessionStorage.getItem(key) ?? '[]') as unknown;
    return Array.isArray(orders) ? (orders as OpenOrder[]) : [];
  } catch {
    return [];
  }
}
