import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express, type Request, type Response } from 'express';
import twilio from 'twilio';

export const twilioAccount = {
  accountSid: `AC${randomBytes(16).toString('hex')}`,
  authToken: randomBytes(16).toString('hex'),
};

interface Message {
  sid: string;
  from: string;
  to: string;
  body: string;
  mediaUrls: string[];
  statusCallback: string | null;
  createdAt: Date;
}

interface Owned {
  sid: string;
  phoneNumber: string;
  friendlyName: string;
  smsUrl: string;
}

/** How a send request fails: Twilio answers with an error (status and Twilio's code), or the answer or the request is lost on the way. */
export type SendAnswer = { status: number; code: number } | 'answer lost' | 'request lost';

/**
 * A fake of Twilio's REST API on 127.0.0.1, as documented, as far as Parley uses it: messages, available and incoming phone numbers,
 * the account. It calls back as Twilio does, signed by Twilio's own library, and retries if the callback's address asks for it (#rc=…).
 */
export class FakeTwilio {
  readonly #server: Server;
  readonly url: string;
  readonly messages: Message[] = [];
  readonly #owned: Owned[] = [];
  /** Every callback, with the status of its response. */
  readonly callbacks: { url: string; parameters: Record<string, string>; status: number }[] = [];
  /** The requests so far, for example `GET /2010-04-01/…`. */
  readonly requests: string[] = [];
  /** The URLs that receive the texts to the server's own numbers, by number. */
  readonly inboundUrls = new Map<string, string>();
  onSend: ((body: Record<string, unknown>) => SendAnswer | undefined) | null = null;
  forSale = ['+447400123456', '+447400123457'];
  /** Returns the error for an order of a number; undefined accepts it. */
  onBuy: (() => { status: number; code: number } | undefined) | null = null;
  /** Purchases wait for this promise before the number is sold. */
  sale: Promise<void> | null = null;
  /** How many times each callback is sent. */
  callbackCopies = 1;

  static async start(): Promise<FakeTwilio> {
    const app = express();
    const server = await new Promise<Server>((resolve) => {
      const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
    });
    return new FakeTwilio(server, app);
  }

  private constructor(server: Server, app: Express) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    app.use(express.urlencoded({ extended: false }));
    app.use((request, response, next) => this.#authenticate(request, response, next));
    const account = `/2010-04-01/Accounts/${twilioAccount.accountSid}`;
    app.get(
      `${account}.json`,
      (_request, response) => void response.json({ sid: twilioAccount.accountSid, status: 'active' }),
    );
    app.post(`${account}/Messages.json`, (request, response) => this.#create(request, response));
    app.get(`${account}/Messages.json`, (request, response) => this.#list(request, response));
    app.get(`${account}/AvailablePhoneNumbers/:country.json`, (request, response) =>
      this.#country(request, response),
    );
    app.get(`${account}/AvailablePhoneNumbers/GB/Mobile.json`, (request, response) =>
      this.#available(request, response),
    );
    app.get(`${account}/IncomingPhoneNumbers.json`, (request, response) => {
      const found = this.#owned.filter(({ phoneNumber }) => phoneNumber === request.query.PhoneNumber);
      response.json(page('incoming_phone_numbers', found.map(ownedJson)));
    });
    app.post(
      `${account}/IncomingPhoneNumbers.json`,
      (request, response) => void this.#buy(request, response),
    );
    app.delete(`${account}/IncomingPhoneNumbers/:sid.json`, (request, response) =>
      this.#release(request, response),
    );
    app.use((_request, response) => void refuse(response, 404, 20404));
  }

  owns = (number: string) => this.#owned.some(({ phoneNumber }) => phoneNumber === number);

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Delivers a text from outside to one of the account's numbers. @returns the status of the callback */
  inbound(text: {
    from: string;
    to: string;
    body: string;
    mediaUrls?: string[];
    sid?: string;
    /** Twilio has answered this keyword itself, because its Advanced Opt-Out is on. */
    optOutType?: string | undefined;
  }): Promise<number> {
    const { from, to, body, mediaUrls = [], sid = newSid('SM'), optOutType } = text;
    const media = Object.fromEntries(mediaUrls.map((url, index) => [`MediaUrl${index}`, url]));
    return this.#call(
      this.inboundUrls.get(to) ?? this.#owned.find((each) => each.phoneNumber === to)?.smsUrl ?? '',
      {
        MessageSid: sid,
        SmsSid: sid,
        AccountSid: twilioAccount.accountSid,
        From: from,
        To: to,
        Body: body,
        NumMedia: String(mediaUrls.length),
        NumSegments: '1',
        ApiVersion: '2010-04-01',
        ...media,
        ...(optOutType === undefined ? {} : { OptOutType: optOutType }),
      },
    );
  }

  /** Sends a delivery receipt. @returns the status of the callback */
  status({ sid, from, to, statusCallback }: Message, status: string, errorCode?: number): Promise<number> {
    return this.#call(statusCallback ?? '', {
      MessageSid: sid,
      SmsSid: sid,
      AccountSid: twilioAccount.accountSid,
      From: from,
      To: to,
      MessageStatus: status,
      SmsStatus: status,
      ApiVersion: '2010-04-01',
      ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
    });
  }

  #authenticate(request: Request, response: Response, next: () => void): void {
    this.requests.push(`${request.method} ${request.path}`);
    const expected = Buffer.from(`${twilioAccount.accountSid}:${twilioAccount.authToken}`).toString('base64');
    if (request.get('Authorization') === `Basic ${expected}`) next();
    else refuse(response, 401, 20003);
  }

  #create(request: Request, response: Response): void {
    const body = request.body as Record<string, string | string[]>;
    const answer = this.onSend?.(body);
    if (answer === 'request lost') return void request.socket.destroy();
    if (typeof answer === 'object') return refuse(response, answer.status, answer.code);
    if (!/^\+[1-9]\d{7,14}$/.test(String(body.To))) return refuse(response, 400, 21211);
    const message: Message = {
      sid: newSid('SM'),
      from: String(body.From),
      to: String(body.To),
      body: String(body.Body),
      mediaUrls: [body.MediaUrl ?? []].flat(),
      statusCallback: body.StatusCallback ? String(body.StatusCallback) : null,
      createdAt: new Date(),
    };
    this.messages.push(message);
    if (answer === 'answer lost') return void request.socket.destroy();
    response.status(201).json(messageJson(message));
    void this.#carry(message);
  }

  /** Delivers a text to one of the account's numbers; any other number does not exist. */
  async #carry(message: Message): Promise<void> {
    const { from, to, body, mediaUrls } = message;
    const isOurs = this.inboundUrls.has(to) || this.owns(to);
    await this.status(message, 'queued');
    await this.status(message, 'sent');
    if (isOurs) await this.inbound({ from, to, body, mediaUrls });
    if (isOurs) await this.status(message, 'delivered');
    else await this.status(message, 'undelivered', 30003);
  }

  #list(request: Request, response: Response): void {
    const { To: to, From: from } = request.query;
    const found = this.messages.filter((each) => (!to || each.to === to) && (!from || each.from === from));
    response.json(page('messages', found.reverse().map(messageJson)));
  }

  #country(request: Request, response: Response): void {
    const { country } = request.params;
    if (country !== 'GB') return refuse(response, 404, 20404);
    const uri = `/2010-04-01/Accounts/${twilioAccount.accountSid}/AvailablePhoneNumbers/GB`;
    const subresource_uris = { local: `${uri}/Local.json`, mobile: `${uri}/Mobile.json` };
    response.json({
      country_code: 'GB',
      country: 'United Kingdom',
      uri: `${uri}.json`,
      beta: false,
      subresource_uris,
    });
  }

  #available(request: Request, response: Response): void {
    const contains = typeof request.query.Contains === 'string' ? request.query.Contains : '';
    const found = this.forSale.filter((number) => !this.owns(number) && number.includes(contains));
    const numbers = found.map((phone_number) => ({
      phone_number,
      friendly_name: phone_number,
      iso_country: 'GB',
      region: '',
      beta: false,
      address_requirements: 'none',
      capabilities: { voice: true, SMS: true, MMS: false },
    }));
    response.json(page('available_phone_numbers', numbers));
  }

  async #buy(request: Request, response: Response): Promise<void> {
    const {
      PhoneNumber,
      FriendlyName = '',
      SmsUrl = '',
    } = request.body as Record<string, string | undefined>;
    const number = PhoneNumber ?? '';
    await this.sale;
    const refusal = this.onBuy?.();
    if (refusal) return refuse(response, refusal.status, refusal.code);
    const isFree = this.forSale.includes(number) && !this.owns(number);
    if (!isFree) return refuse(response, 400, 21422);
    const owned = { sid: newSid('PN'), phoneNumber: number, friendlyName: FriendlyName, smsUrl: SmsUrl };
    this.#owned.push(owned);
    response.status(201).json(ownedJson(owned));
  }

  #release(request: Request, response: Response): void {
    const at = this.#owned.findIndex(({ sid }) => sid === request.params.sid);
    if (at < 0) return refuse(response, 404, 20404);
    this.#owned.splice(at, 1);
    response.status(204).end();
  }

  async #call(address: string, parameters: Record<string, string>): Promise<number> {
    const [url = '', fragment = ''] = address.split('#');
    let status = 0;
    for (let copy = 0; copy < this.callbackCopies; copy++) {
      const retries = Number(new URLSearchParams(fragment).get('rc') ?? 1);
      for (let attempt = 0; attempt <= retries; attempt++) {
        status = await this.post(url, parameters);
        if (status < 400) break;
      }
    }
    return status;
  }

  /** Sends a callback, signed for its URL. @returns the status of the response, or 599 if no server answered */
  async post(
    url: string,
    parameters: Record<string, string>,
    authToken = twilioAccount.authToken,
  ): Promise<number> {
    const signature = twilio.getExpectedTwilioSignature(authToken, url, parameters);
    const headers = { 'X-Twilio-Signature': signature, 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(parameters).toString();
    const status = await fetch(url, { method: 'POST', headers, body }).then(
      (response) => response.status,
      () => 599,
    );
    this.callbacks.push({ url, parameters, status });
    return status;
  }
}

const newSid = (prefix: string) => prefix + randomBytes(16).toString('hex');

function refuse(response: Response, status: number, code: number): void {
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  response.status(status).json({ code, message: `error ${code}`, more_info, status });
}

const page = (name: string, items: unknown[]) => ({
  [name]: items,
  end: items.length,
  first_page_uri: '',
  next_page_uri: null,
  page: 0,
  page_size: 50,
  previous_page_uri: null,
  start: 0,
  uri: '',
});

const messageJson = ({ sid, from, to, body, createdAt }: Message) => ({
  sid,
  from,
  to,
  body,
  account_sid: twilioAccount.accountSid,
  api_version: '2010-04-01',
  // RFC 2822 in whole seconds, as Twilio writes it.
  date_created: createdAt.toUTCString().replace('GMT', '+0000'),
  date_sent: null,
  date_updated: null,
  direction: 'outbound-api',
  error_code: null,
  error_message: null,
  num_media: '0',
  num_segments: '1',
  status: 'queued',
  price: null,
  price_unit: 'USD',
  messaging_service_sid: null,
  subresource_uris: {},
  uri: '',
});

const ownedJson = ({ sid, phoneNumber, friendlyName, smsUrl }: Owned) => ({
  sid,
  phone_number: phoneNumber,
  friendly_name: friendlyName,
  sms_url: smsUrl,
  sms_method: 'POST',
  account_sid: twilioAccount.accountSid,
  capabilities: { voice: true, sms: true, mms: false },
  status: 'in-use',
});
