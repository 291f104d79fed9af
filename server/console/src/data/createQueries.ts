import {
  ParleyError,
  type AccountEventQuery,
  type AuditQuery,
  type AvailableQuery,
  type EndpointDelivery,
  type KeptQuality,
  type Movement,
  type Page,
  type Parley,
  type RequestPayment,
  type UsageQuery,
} from '@parley/sdk';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';

/** The first part of a query's key. Everything that an event or an action may change at once has the same subject. */
export type Subject =
  | 'account'
  | 'audit'
  | 'calls'
  | 'credits'
  | 'esims'
  | 'keys'
  | 'numbers'
  | 'offers'
  | 'operator'
  | 'people'
  | 'plan'
  | 'preferences'
  | 'quality'
  | 'recordings'
  | 'rooms'
  | 'server'
  | 'streams'
  | 'texts'
  | 'threads'
  | 'voicemails'
  | 'webhooks';

type Key = readonly [Subject, ...unknown[]];
type Cursor = string | undefined;

export type ValueQuery<Value> = ReturnType<typeof valueOf<Value>>;
export type ListQuery<Item extends { id: string }> = ReturnType<typeof listOf<Item>>;

const valueOf = <Value>(queryKey: Key, queryFn: () => Promise<Value>) => queryOptions({ queryKey, queryFn });

const listOf = <Item extends { id: string }>(
  queryKey: Key,
  read: (paging: { limit: number; cursor?: string }) => Promise<Pick<Page<Item>, 'data' | 'nextCursor'>>,
  limit = 25,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam: cursor }) => read({ limit, ...(cursor !== undefined && { cursor }) }),
    initialPageParam: undefined as Cursor,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // An item that moves to the front while the pages are read may be on two of them.
    select: ({ pages }) => [
      ...new Map(pages.flatMap(({ data }) => data).map((item) => [item.id, item])).values(),
    ],
  });

/** A list that the server pages by offset. */
const listByOffset = <Item extends { id: string }>(
  key: Key,
  read: (paging: { limit: number; offset: number }) => Promise<Item[]>,
  pageSize = 100,
) =>
  listOf<Item>(
    key,
    async ({ limit, cursor = '0' }) => {
      const data = await read({ limit, offset: Number(cursor) });
      return { data, nextCursor: data.length === limit ? String(Number(cursor) + limit) : null };
    },
    pageSize,
  );

export type Queries = ReturnType<typeof createQueries>;

/** What the console reads from the server, with the keys under which it is cached. */
export function createQueries(client: Parley) {
  const { account, apiKeys, calls, esim, messaging, numbers, people, streaming, webhooks } = client;
  return {
    account: valueOf(['account'], () => account.get()),
    identities: listOf(['account', 'identities'], async () => ({
      data: (await account.identities()).data,
      nextCursor: null,
    })),
    export: valueOf(['account', 'export'], async () => ({ latest: await account.latestExport() })),
    deletion: valueOf(['account', 'deletion'], async () => ({ requested: await account.deletion() })),
    credits: valueOf(['credits', 'balance'], () => account.credits()),
    movements: (type: Movement['type'] | 'all') =>
      listOf(['credits', 'movements', type], (paging) =>
        account.history({ ...paging, ...(type !== 'all' && { type }) }),
      ),
    usage: (query: UsageQuery) => valueOf(['credits', 'usage', query], () => account.usage(query)),
    payments: listOf(['plan', 'payments'], (paging) => account.payments(paging)),
    subscription: valueOf(['plan', 'subscription'], () => account.subscription()),
    plans: valueOf(['plan', 'offers'], () => account.plans()),
    /** The identity provider of this server; null without one. */
    provider: valueOf(['server', 'provider'], () => client.provider()),
    /** Whether this server sells credits and plans through Stripe. */
    takesCards: valueOf(['server'], async () => {
      const { services } = await client.serverStatus();
      return services['stripe'] === 'available';
    }),
    keys: listOf(['keys'], (paging) => apiKeys.list(paging), 100),
    publishableKey: valueOf(['keys', 'publishable'], () => apiKeys.publishable()),
    auditLog: (query: AuditQuery) =>
      listOf(['audit', query], (paging) => apiKeys.auditLogs({ ...paging, ...query })),
    /** Whether this is the server's operator. The server refuses the request to everybody else. */
    isOperator: {
      ...valueOf(['operator'], async () => {
        try {
          await client.operator.payments({ limit: 1 });
          return true;
        } catch (error) {
          if (error instanceof ParleyError && error.code === 'ACCESS_DENIED') return false;
          throw error;
        }
      }),
      // Once per session: a wallet becomes an operator's only when the server starts with other settings.
      staleTime: 'static' as const,
    },
    /** For the operator: the nodes, and what is going on. */
    operatorOverview: valueOf(['operator', 'overview'], () => client.operator.overview()),
    /** For the operator: warnings and errors of all nodes. @param requestId empty for all */
    operatorErrors: (requestId: string) =>
      listOf(['operator', 'errors', requestId], (paging) =>
        client.operator.errors({ ...paging, ...(requestId !== '' && { requestId }) }),
      ),
    /** For the operator: accounts. @param find a wallet, an account id or an email address; empty for all */
    operatorAccounts: (find: string, isBlocked: boolean) =>
      listOf(['operator', 'accounts', find, isBlocked], (paging) =>
        client.operator.accounts({
          ...paging,
          ...(find !== '' && { find }),
          ...(isBlocked && { blocked: 'true' as const }),
        }),
      ),
    /** For the operator: the x402 payments of all payers. */
    requestPayments: (status: RequestPayment['status'] | 'all') =>
      listOf(['operator', 'payments', status], (paging) =>
        client.operator.payments({ ...paging, ...(status !== 'all' && { status }) }),
      ),

    numbers: listOf(['numbers'], (paging) => numbers.mine(paging), 100),
    numberOrder: (orderId: string) => valueOf(['numbers', 'order', orderId], () => numbers.status(orderId)),
    availableNumbers: (query: AvailableQuery) => ({
      ...valueOf(['offers', query], () => numbers.available(query)),
      // Not kept after the form is closed, because these numbers may be sold by then.
      gcTime: 0,
    }),
    webhook: (numberId: string) => valueOf(['webhooks', numberId], () => numbers.webhook({ numberId })),
    deliveries: (numberId: string) =>
      listOf(['webhooks', numberId, 'deliveries'], (paging) =>
        numbers.webhookDeliveries({ ...paging, numberId }),
      ),
    endpoints: listOf(['webhooks', 'endpoints'], (paging) => webhooks.list(paging)),
    endpoint: (id: string) => valueOf(['webhooks', 'endpoints', id], () => webhooks.get(id)),
    endpointDeliveries: (id: string, status: EndpointDelivery['status'] | 'all') =>
      listOf(['webhooks', 'endpoints', id, 'deliveries', status], (paging) =>
        webhooks.deliveries(id, { ...paging, ...(status !== 'all' && { status }) }),
      ),
    /** The latest delivery to an endpoint; null if there is none. */
    latestDelivery: (id: string) =>
      valueOf(['webhooks', 'endpoints', id, 'latest'], async () => {
        const { data } = await webhooks.deliveries(id, { limit: 1 });
        return data[0] ?? null;
      }),
    /** The events of the account, the latest first. */
    accountEvents: (query: Pick<AccountEventQuery, 'type' | 'subjectId'>) =>
      listOf(['webhooks', 'events', query], async ({ limit, cursor }) => {
        const after = cursor === undefined ? {} : { after: cursor };
        const page = await webhooks.events({ ...query, ...after, limit, order: 'latest' });
        return { data: page.data, nextCursor: page.hasMore ? page.nextAfter : null };
      }),
    threads: listOf(['threads'], (paging) => messaging.threads(paging), 50),
    /** The texts of a thread. Reading them marks the thread as read. */
    texts: (counterparty: string, number: string) =>
      listOf(
        ['texts', counterparty, number],
        (paging) => messaging.thread(counterparty, { ...paging, number }),
        30,
      ),
    textRate: (to: string | null) =>
      valueOf(['offers', 'text', to], async () => (to === null ? null : client.sms.rate(to))),
    /** @param country empty for all countries */
    esimPackages: (country: string) =>
      listOf(
        ['offers', 'esims', country],
        (paging) => esim.packages({ ...paging, ...(country && { country }) }),
        100,
      ),
    esimOrders: listOf(['esims'], async (paging) => {
      const { data, nextCursor } = await esim.orders(paging);
      return { data: data.map((order) => ({ ...order, id: order.orderId })), nextCursor };
    }),

    callHistory: listByOffset(['calls'], (paging) => calls.getHistory(paging), 20),
    /** The quality of a call or room, in parts. @param isOperator whether it may be of others as well */
    quality: (id: string, isOperator: boolean) =>
      listOf<KeptQuality>(['quality', id, isOperator], async ({ cursor }) => {
        const query = cursor === undefined ? {} : { from: new Date(cursor) };
        const from = isOperator
          ? client.operator
          : id.startsWith('room_')
            ? client.rooms
            : client.accountCalls;
        const part = await from.quality(id, query);
        // All parts have the id of the call. A list tells its items apart by their ids.
        return { data: [{ ...part, id: cursor ?? '' }], nextCursor: part.nextFrom?.toISOString() ?? null };
      }),
    // Nodes of an older release, which may still run, do not know the offset.
    voicemails: listByOffset(['voicemails'], ({ limit, offset }) =>
      client.voicemail.getAll({ limit, ...(offset > 0 && { offset }) }),
    ),
    recordings: listByOffset(['recordings'], (paging) => client.recordings.list(paging)),
    /** A recording; null if there is none. */
    recording: (id: string) =>
      valueOf(['recordings', id], () =>
        client.recordings.get(id).catch((error: unknown) => {
          if (error instanceof ParleyError && error.code === 'NOT_FOUND') return null;
          throw error;
        }),
      ),
    recordingsOfStream: (id: string) =>
      valueOf(['recordings', 'stream', id], () =>
        client.recordings.list({ kind: 'stream', roomId: id, limit: 1 }),
      ),
    /** The rooms of the account, latest first, whether a key or its wallet has made them. */
    accountRooms: (status: 'running' | 'ended') =>
      listOf(['rooms', 'account', status], (paging) =>
        client.rooms.list({ ...paging, ...(status === 'ended' && { status }) }),
      ),
    /** The streams of the account, latest first. */
    accountStreams: listOf(['streams', 'account'], (paging) => client.streams.list(paging)),
    accountRoom: (id: string) => valueOf(['rooms', 'account', 'one', id], () => client.rooms.get(id)),
    roomTokens: (id: string) =>
      listOf(['rooms', 'account', 'tokens', id], (paging) => client.rooms.tokens(id, paging), 10),
    pastRooms: listOf(['rooms', 'past'], async (paging) => {
      const { data, nextCursor } = await client.conference.past(paging);
      return { data: data.map((past) => ({ ...past, id: past.room.id })), nextCursor };
    }),
    roomChat: (id: string) => valueOf(['rooms', 'chat', id], () => client.conference.getChat(id)),
    rooms: listByOffset(['rooms', 'open'], (paging) => client.conference.list(paging)),
    /** This wallet's streams: idle and live ones, then ended ones. */
    ownStreams: listOf(
      ['streams', 'own'],
      async ({ limit, cursor = 'open 0' }) => {
        const [part, from] = cursor.split(' ');
        const open = part === 'open' ? await streaming.list({ limit, offset: Number(from) }) : [];
        if (open.length === limit) return { data: open, nextCursor: `open ${Number(from) + limit}` };
        const offset = part === 'open' ? 0 : Number(from);
        const ended = await streaming.list({ status: 'ended', limit, offset });
        const isLast = ended.length < limit;
        return { data: [...open, ...ended], nextCursor: isLast ? null : `ended ${offset + limit}` };
      },
      100,
    ),
    /** The public live streams of all wallets. */
    liveStreams: listByOffset(['streams', 'live'], (paging) => streaming.list({ ...paging, host: null })),
    profile: valueOf(['people', 'profile'], () => people.profile()),
    contacts: listOf(
      ['people', 'contacts'],
      async (paging) => {
        const page = await people.contacts(paging);
        return { ...page, data: page.data.map((contact) => ({ ...contact, id: contact.walletAddress })) };
      },
      25,
    ),
    preferences: valueOf(['preferences'], () => client.notifications.getPreferences()),
  };
}
