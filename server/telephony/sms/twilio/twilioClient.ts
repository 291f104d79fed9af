import twilio from 'twilio';

const longestAnswerBytes = 10_000_000;

interface ClientOptions {
  accountSid: string;
  authToken: string;
  /** Replaces https://api.twilio.com, for an operator's proxy or a test's fake. */
  apiBase: string;
  timeoutMs: number;
}

/** The library uses several hosts of Twilio. All requests made here go to this one. */
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
