import {
  jsonOf,
  requestUpstream,
  upstreamError,
  type Upstream,
  type UpstreamReply,
} from '../outgoing/upstream.ts';
import type { XmppCredentials, XmppServer } from './XmppServer.ts';

export interface EjabberdOptions {
  /** The URL of mod_http_api, for example https://xmpp.example.org:5443/api */
  url: string;
  domain: string;
  /** The full JID of an administrator, if the API requires one. */
  user: string | undefined;
  password: string | undefined;
}

const name = 'The XMPP server';

/** The driver for ejabberd's mod_http_api. It uses register, unregister and check_password (from mod_admin_extra). */
export class Ejabberd implements XmppServer {
  readonly #upstream: Upstream;
  readonly #domain: string;

  constructor({ url, domain, user, password }: EjabberdOptions) {
    const credentials = Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64');
    this.#upstream = { name, url, headers: user ? { authorization: `Basic ${credentials}` } : {} };
    this.#domain = domain;
  }

  async register({ username, password }: XmppCredentials): Promise<boolean> {
    const reply = await this.#call('register', { user: username, password });
    if (reply.status === 409) return false;
    expectDone(reply);
    return true;
  }

  async hasPassword({ username, password }: XmppCredentials): Promise<boolean> {
    const reply = await this.#call('check_password', { user: username, password });
    expectDone(reply);
    // The answer is an exit code, where 0 means yes.
    return jsonOf(name, reply) === 0;
  }

  async unregister({ username }: Pick<XmppCredentials, 'username'>): Promise<void> {
    expectDone(await this.#call('unregister', { user: username }));
  }

  #call(command: string, more: Record<string, string>): Promise<UpstreamReply> {
    const json = { host: this.#domain, ...more };
    return requestUpstream(this.#upstream, `/${command}`, { method: 'POST', json });
  }
}

function expectDone({ status }: UpstreamReply): void {
  if (status !== 200) throw upstreamError(name, `answered ${status}`);
}
