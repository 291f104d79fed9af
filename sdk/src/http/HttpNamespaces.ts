import type { WireStatus } from '../../protocol/status.ts';
import type { ServerStatus } from '../types.ts';
import { Account } from './account.ts';
import { AccountCalls } from './accountCalls.ts';
import { AccountRecordings } from './accountRecordings.ts';
import { ApiKeys } from './apiKeys.ts';
import { Esim } from './esim.ts';
import { Leaksearch } from './leaksearch.ts';
import { Lookup } from './lookup.ts';
import { Messaging } from './messaging.ts';
import { Numbers } from './numbers.ts';
import { Operator } from './operator.ts';
import { Rooms } from './rooms.ts';
import { Sms } from './sms.ts';
import { Streams } from './streams.ts';
import { Verifications } from './verifications.ts';
import { Webhooks } from './webhooks.ts';
import { Xmpp } from './xmpp.ts';
import type { HttpClient } from './HttpClient.ts';

/** The HTTP API of a Parley server, which Parley and ParleyHttp have in common. */
export class HttpNamespaces {
  readonly account: Account;
  readonly accountCalls: AccountCalls;
  readonly accountRecordings: AccountRecordings;
  readonly apiKeys: ApiKeys;
  readonly esim: Esim;
  readonly leaksearch: Leaksearch;
  readonly lookup: Lookup;
  readonly messaging: Messaging;
  readonly numbers: Numbers;
  readonly operator: Operator;
  readonly rooms: Rooms;
  readonly sms: Sms;
  readonly streams: Streams;
  readonly verifications: Verifications;
  readonly webhooks: Webhooks;
  readonly xmpp: Xmpp;
  readonly #http: HttpClient;

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http;
    this.account = new Account(http);
    this.accountCalls = new AccountCalls(http);
    this.accountRecordings = new AccountRecordings(http);
    this.apiKeys = new ApiKeys(http);
    this.esim = new Esim(http);
    this.leaksearch = new Leaksearch(http);
    this.lookup = new Lookup(http);
    this.messaging = new Messaging(http);
    this.numbers = new Numbers(http);
    this.operator = new Operator(http);
    this.rooms = new Rooms(http);
    this.sms = new Sms(http);
    this.streams = new Streams(http);
    this.verifications = new Verifications(http);
    this.webhooks = new Webhooks(http);
    this.xmpp = new Xmpp(http);
  }

  /**
   * Reads the server's version and which services are available. Needs no session.
   * @returns the version, the time and the services
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  serverStatus(): Promise<ServerStatus> {
    return this.#http.get<WireStatus>('/status');
  }
}
