import type { WireProvisionedXmpp } from '../../protocol/xmpp.ts';
import type { HttpClient } from './HttpClient.ts';
import type { NewXmppAccount, SpendOptions, XmppAccount } from './phoneTypes.ts';

/** Accounts at the operator's XMPP server. Needs numbers:buy. */
export class Xmpp {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Makes an account. Keep the password: it is not shown again.
   * @throws ParleyError CONFLICT (`username_taken`); SERVICE_UNAVAILABLE where the server has no XMPP
   */
  provision(account: NewXmppAccount = {}, { idempotencyKey }: SpendOptions = {}): Promise<XmppAccount> {
    return this.#http.once<WireProvisionedXmpp>('/xmpp/provision', account, idempotencyKey);
  }
}
