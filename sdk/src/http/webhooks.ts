import type { Page as WirePage } from '../../protocol/http.ts';
import type {
  WireAccountEvents,
  WireEndpointDelivery,
  WireWebhookEndpoint,
} from '../../protocol/webhookEndpoints.ts';
import type { Page, PageQuery } from '../types.ts';
import type { HttpClient } from './HttpClient.ts';
import type {
  AccountEventPage,
  AccountEventQuery,
  EndpointChange,
  EndpointDelivery,
  EndpointDeliveryQuery,
  NewEndpoint,
  WebhookEndpoint,
} from './phoneTypes.ts';

/**
 * The webhook endpoints of the account, which get the events of all its rooms, streams, recordings, calls, texts and numbers:
 * `client.webhooks`. All methods need the scope webhooks:write.
 */
export class Webhooks {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Creates an endpoint. Store its secret, which is not shown again: verifyWebhook() needs it.
   * @param endpoint.url the address to post events to: public and https, up to 2,048 characters
   * @param endpoint.events the types of events to post, 1 to 50. Default: all
   * @param endpoint.description what the endpoint is for, up to 200 characters. Default: empty
   * @returns the endpoint with its secret
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`) or not a public https address (`url_not_allowed`)
   * @throws ParleyError CONFLICT: the account has 20 endpoints already
   * @example const { id, secret } = await client.webhooks.create({ url: 'https://example.org/hook', events: ['room.ended'] });
   */
  create(endpoint: NewEndpoint): Promise<WebhookEndpoint> {
    return this.#http.once<WireWebhookEndpoint>('/webhooks/endpoints', endpoint);
  }

  /**
   * Lists the endpoints of the account, latest first.
   * @param query the page to read. Default: the first 50
   * @returns one page of endpoints, without their secrets
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  list(query?: PageQuery): Promise<Page<WebhookEndpoint>> {
    return this.#http.get<WirePage<WireWebhookEndpoint>>('/webhooks/endpoints', query);
  }

  /**
   * Reads an endpoint, without its secret.
   * @param endpointId the id of the endpoint
   * @returns the endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  get(endpointId: string): Promise<WebhookEndpoint> {
    return this.#http.get<WireWebhookEndpoint>(pathOf(endpointId));
  }

  /**
   * Changes an endpoint. What is left out stays as it is.
   * @param endpointId the id of the endpoint
   * @param change.url the address to post events to: public and https, up to 2,048 characters. Default: unchanged
   * @param change.events the types of events to post, 1 to 50. Default: unchanged
   * @param change.description what the endpoint is for, up to 200 characters. Default: unchanged
   * @param change.rotateSecret creates a new secret, which the result contains. For another day, the previous one signs too. Default: false
   * @param change.disabled true gives up the queued deliveries and queues none; false enables the endpoint again. Default: unchanged
   * @returns the endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`) or not a public https address (`url_not_allowed`)
   */
  update(endpointId: string, change: EndpointChange): Promise<WebhookEndpoint> {
    return this.#http.request<WireWebhookEndpoint>('PATCH', pathOf(endpointId), change);
  }

  /**
   * Removes an endpoint, and gives up its queued deliveries.
   * @param endpointId the id of the endpoint
   * @returns the id of the removed endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  remove(endpointId: string): Promise<{ id: string }> {
    return this.#http.request<{ id: string }>('DELETE', pathOf(endpointId));
  }

  /**
   * Sends a test event to an endpoint. Read the outcome with deliveries().
   * @param endpointId the id of the endpoint
   * @returns the delivery of the test event
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   * @throws ParleyError CONFLICT: the endpoint is disabled
   */
  test(endpointId: string): Promise<EndpointDelivery> {
    return this.#http.once<WireEndpointDelivery>(`${pathOf(endpointId)}/test`);
  }

  /**
   * Lists the deliveries to an endpoint, latest first. They are kept for 30 days.
   * @param endpointId the id of the endpoint
   * @param query the deliveries to list. Default: the latest 50
   * @returns one page of deliveries
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  deliveries(endpointId: string, query?: EndpointDeliveryQuery): Promise<Page<EndpointDelivery>> {
    return this.#http.get<WirePage<WireEndpointDelivery>>(`${pathOf(endpointId)}/deliveries`, query);
  }

  /**
   * Sends the event of a delivery to its endpoint again, with the same webhook-id. It does not wait for other events of the same subject.
   * @param deliveryId the id of the delivery
   * @returns the new delivery
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such delivery, or the endpoint was removed
   * @throws ParleyError CONFLICT: the endpoint is disabled
   */
  replay(deliveryId: string): Promise<EndpointDelivery> {
    return this.#http.once<WireEndpointDelivery>(
      `/webhooks/deliveries/${encodeURIComponent(deliveryId)}/replay`,
    );
  }

  /**
   * Reads the events of the account. They are kept for 30 days, from when the account has got its first endpoint. No event is
   * missing between two pages, and the events of a room, stream or call are in the order of their `sequence`.
   * @param query.after the id of the last event that you know, or the `nextAfter` of the previous page. Default: from the first one
   * @param query.order `oldest` first, or `latest` first, where `after` continues with older ones. Default: `oldest`
   * @param query.type only events of this type. Default: all
   * @param query.subjectId only the events of this room, stream or call. Default: all
   * @param query.limit events per page, 1 to 100. Default: 50
   * @returns one page of events
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the event in `after` is unknown or older than 30 days (`event_not_kept`)
   * @example
   * let after: string | undefined;
   * for (;;) {
   *   const page = await client.webhooks.events(after === undefined ? {} : { after });
   *   for (const event of page.data) console.log(event.type, event.sequence);
   *   after = page.nextAfter ?? undefined;
   *   if (!page.hasMore) break;
   * }
   */
  events(query?: AccountEventQuery): Promise<AccountEventPage> {
    return this.#http.get<WireAccountEvents>('/webhooks/events', query);
  }
}

const pathOf = (endpointId: string) => `/webhooks/endpoints/${encodeURIComponent(endpointId)}`;
