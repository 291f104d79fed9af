import twilio from 'twilio';

/** After this time, Twilio either lists a message or a purchase, or has never received it. */
export const twilioListedMs = 2 * 60_000;

const longestAnswerBytes = 10_000_000;

interface ClientOptions {
  accountSid: string;
  authToken: string;
  /** Replaces https://api.twilio.com, for example with an operator's proxy or a test's fake. */
  apiBase: string;
  timeoutMs: number;
}

/** Creates a client of Twilio's library. The library uses several hosts of Twilio, but this client sends all requests to `apiBase`. */
export function twilioClient({ accountSid, authToken, apiBase, timeoutMs }: ClientOptions): twilio.Twilio {
  const httpClient = new twilio.RequestClient({ timeout: timeoutMs });
  httpClient.axios.interceptors.request.use((request) => {
    const { pathname, search } = new URL(request.url ?? '');
    request.url = `${apiBase}${pathname}${search}`;
    // By default axios follows redirects with the credentials, and reads answers of any size.
    request.maxRedirects = 0;
    request.maxContentLength = longestAnswerBytes;
    return request;
  });
  return twilio(accountSid, authToken, { httpClient, accountSid });
}
