import { guard, invalid } from './connection/guard.ts';
import { HttpClient } from './http/HttpClient.ts';
import { HttpNamespaces } from './http/HttpNamespaces.ts';
import { httpParameters } from './http/httpParameters.ts';
import { backendKeyOf, baseUrlOf, type BackendOptions } from './options.ts';
import { Platform } from './platform/Platform.ts';

/**
 * A client of the HTTP API of a Parley server, for backends: without realtime connection and without media. It has the same namespaces as
 * Parley. The constructor sends no requests.
 * @example
 * const client = new ParleyHttp({ baseUrl: 'https://calls.example.org', auth: { apiKey: 'svc_live_…' } });
 * await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' });
 */
export class ParleyHttp extends HttpNamespaces {
  /**
   * Creates a client. Sends no requests.
   * @param options the server's URL, and a secret API key
   * @throws ParleyError VALIDATION_ERROR: missing or invalid options
   */
  constructor(options: BackendOptions) {
    if (typeof options !== 'object' || (options as unknown) === null)
      throw invalid(
        'options',
        'ParleyHttp: options are missing. Write new ParleyHttp({ baseUrl, auth: { apiKey } }).',
      );
    const apiKey = backendKeyOf(options);
    const platform = new Platform();
    const baseUrl = baseUrlOf(options.baseUrl, platform);
    super(new HttpClient({ baseUrl, platform, credential: () => Promise.resolve(apiKey) }));
    guard(this, httpParameters);
  }
}
