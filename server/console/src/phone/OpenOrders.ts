import type { NumberOrder, NumberOrderStatus } from '@parley/sdk';
import { Store } from '../session/Store.ts';

/** A number order that was not completed immediately. */
export interface OpenOrder {
  orderId: string;
  /** The ordered number; null if any number of the country was ordered. */
  phoneNumber: string | null;
  country: string;
  credits: number;
  status: NumberOrderStatus['status'];
  /** Why the order failed. */
  why: string | null;
}

const key = 'parley.numberOrders';

/** The orders that this tab is waiting for. The tab stores them for reloads, because the server lists numbers but not orders. */
export class OpenOrders {
  readonly store = new Store<OpenOrder[]>(recall());

  add({ orderId, phoneNumber, country, credits }: NumberOrder): void {
    const order: OpenOrder = { orderId, phoneNumber, country, credits, status: 'pending', why: null };
    this.#set([order, ...this.store.get()]);
  }

  update({ orderId, status, number, error }: NumberOrderStatus): void {
    const phoneNumber = number?.phoneNumber;
    this.#set(
      this.store
        .get()
        .map((order) =>
          order.orderId === orderId
            ? { ...order, status, why: error?.message ?? null, ...(phoneNumber && { phoneNumber }) }
            : order,
        ),
    );
  }

  readonly dismiss = (orderId: string): void =>
    this.#set(this.store.get().filter((order) => order.orderId !== orderId));

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
