import twilio from 'twilio';

type Request = Parameters<InstanceType<typeof twilio.RequestClient>['request']>[0];

interface ClientOptions {
  accountSid: string;
  authToken: string;
  /** In place of https://api.twilio.com. */
  apiBase: string;
  timeoutMs: number;
}

export function twilioClient({ accountSid, authToken, apiBase, timeoutMs }: ClientOptions): twilio.Twilio {
  const httpClient = new RebasedClient({ timeout: timeoutMs });
  httpClient.base = apiBase;
  return twilio(accountSid, authToken, { httpClient, accountSid });
}

/** The library's own, for another address: a proxy of the operator's, or a stand-in. */
class RebasedClient extends twilio.RequestClient {
  base = '';

  override request<Answer>(options: Request) {
    const { pathname, search } = new URL(options.uri);
    return super.request<Answer>({ ...options, uri: `${this.base}${pathname}${search}` });
  }
}
