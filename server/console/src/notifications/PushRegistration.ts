import { Store } from '@parley/react';
import type { Parley } from '@parley/sdk';

export type Permission = NotificationPermission | 'unsupported';

/** The browser's current permission to show notifications. */
export function permissionHere(): Permission {
  const hasPush = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  return hasPush ? Notification.permission : 'unsupported';
}

/** Whether this browser is registered for push notifications of the signed-in wallet. */
export class PushRegistration {
  readonly isRegistered: Store<boolean>;
  readonly #client: Parley;
  readonly #key: string;

  constructor(client: Parley, address: string) {
    this.#client = client;
    this.#key = `parley.push ${address}`;
    this.isRegistered = new Store(localStorage.getItem(this.#key) !== null);
  }

  /** Registers this browser again, because a registration ends with its session. */
  async resume(): Promise<void> {
    if (!this.isRegistered.get()) return;
    if (permissionHere() === 'granted') await this.#client.notifications.register();
    else this.#remember(false);
  }

  /** @returns whether the user allowed notifications */
  readonly register = async (): Promise<boolean> => {
    if (!(await this.#client.notifications.requestPermissions())) return false;
    await this.#client.notifications.register();
    this.#remember(true);
    return true;
  };

  readonly unregister = async (): Promise<void> => {
    await this.#client.notifications.unregister();
    this.#remember(false);
  };

  #remember(isRegistered: boolean): void {
    if (isRegistered) localStorage.setItem(this.#key, 'yes');
    else localStorage.removeItem(this.#key);
    this.isRegistered.set(isRegistered);
  }
}
