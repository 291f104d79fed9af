import twilio from 'twilio';

const longestAnswerBytes = 10_000_000;

interface ClientOptions {
  accountSid: string;
  authToken: string;
  /** In place of https://api.twilio.com: a proxy of the operator's, or a stand-in. */
  apiBase: string;
  timeoutMs: number;
}

/** The library asks many hosts of Twilio's; all that is asked of it here is asked of this one. */
export function twilioClient({ accountSid, authToken, apiBase, timeoutMs }: ClientOptions): twilio.Twilio {
  const httpClient = new twilio.RequestClient({ timeout: timeoutMs });
  httpClient.axios.interceptors.request.use((request) => {
    const { pathname, search } = new URL(request.url ?? '');
    request.url = `${apiBase}${pathname}${search}`;
    // axios would follow redirects, with the credentials, and read without end.
    request.maxRedirects = 0;
    request.maxContentLength = longestAnswerBytes;
    return request;
  });
  return twilio(accountSid, authToken, { httpClient, accountSid });
}
