import { FakeServer, type FakeAnswer } from '../../harness/services/FakeServer.ts';

/** What happens to an order: whether it is stored, and how the request is answered. */
export type Ordering = 'sells' | 'sells and hangs' | 'hangs' | 'sells and fails' | 'sells later' | FakeAnswer;

interface Bought {
  id: number;
  package_id: string;
  quantity: string;
  description: string;
  sims: object[];
}

const never = new Promise<null>(() => {});

/** Airalo's partner API as documented at developers.partners.airalo.com. */
export class FakeAiralo {
  readonly bought: Bought[] = [];
  ordering: Ordering = 'sells';
  /** Tokens that are no longer accepted. */
  readonly expired = new Set<string>();
  tokens = 0;
  /** Further tokens are refused. Airalo issues three per minute. */
  mostTokens = Infinity;
  /** How long a new token takes. */
  tokenAfterMs = 0;
  isUnreachable = false;
  readonly #server: FakeServer;

  static async start(): Promise<FakeAiralo> {
    const made: { fake?: FakeAiralo } = {};
    const server = await FakeServer.start((received) => made.fake?.answer(received) ?? null);
    return (made.fake = new FakeAiralo(server));
  }

  private constructor(server: FakeServer) {
    this.#server = server;
  }

  get url() {
    return this.#server.url;
  }

  get received() {
    return this.#server.received;
  }

  close = () => this.#server.close();

  answer(received: FakeServer['received'][number]): FakeAnswer | null | Promise<FakeAnswer | null> {
    const { method, path, headers, body, query } = received;
    if (this.isUnreachable) return null;
    if (method === 'POST' && path === '/v2/token') return this.#giveToken(new URLSearchParams(body));
    const token = headers.authorization?.replace('Bearer ', '') ?? '';
    if (!token.startsWith('token-') || this.expired.has(token))
      return { status: 401, body: { data: [], meta: { message: 'This action is unauthorized.' } } };
    if (method === 'POST' && path === '/v2/orders') return this.#order(new URLSearchParams(body));
    if (path === '/v2/packages') return { body: packagesPage(Number(query.get('page'))) };
    if (path === '/v2/orders') {
      const wanted = this.bought.filter(
        ({ description }) => description === query.get('filter[description]'),
      );
      const data = wanted.map(({ sims: _sims, ...order }) => order);
      return { body: { data, links: {}, meta: { message: 'success', current_page: 1, last_page: 1 } } };
    }
    const order = this.bought.find(({ id }) => path === `/v2/orders/${id}`);
    return order && query.get('include') === 'sims' ? { body: { data: order } } : { status: 404 };
  }

  async #giveToken(form: URLSearchParams): Promise<FakeAnswer> {
    await new Promise((resolve) => setTimeout(resolve, this.tokenAfterMs));
    if (form.get('client_secret') !== 'the secret' || form.get('grant_type') !== 'client_credentials')
      return { status: 401, body: { data: {}, meta: { message: 'Authentication failed' } } };
    if (this.tokens >= this.mostTokens) return { status: 429, headers: { 'retry-after': '60' } };
    const data = { token_type: 'Bearer', expires_in: 86_400, access_token: `token-${++this.tokens}` };
    return { body: { data, meta: { message: 'success' } } };
  }

  #order(form: URLSearchParams): FakeAnswer | null | Promise<FakeAnswer | null> {
    const { ordering } = this;
    if (typeof ordering === 'object') return ordering;
    if (ordering === 'hangs') return never;
    const id = 9_666 + this.bought.length;
    const quantity = form.get('quantity') ?? '';
    const sims = Array.from({ length: Number(quantity) }, (_, index) => ({
      id: id * 100 + index,
      created_at: '2026-11-20 14:09:55',
      iccid: `891000000000000${id}${index}`,
      lpa: 'lpa.airalo.com',
      imsis: null,
      matching_id: `TEST-${id}-${index}`,
      qrcode: `LPA:1$lpa.airalo.com$TEST-${id}-${index}`,
      qrcode_url: 'https://sandbox.airalo.com/qr',
      direct_apple_installation_url: 'https://esimsetup.apple.com/',
      is_roaming: true,
    }));
    const order = {
      id,
      code: `20261120-00${id}`,
      currency: 'USD',
      type: 'sim',
      price: 4.5,
      esim_type: 'Prepaid',
      package_id: form.get('package_id') ?? '',
      quantity,
      description: form.get('description') ?? '',
      sims,
    };
    this.bought.push(order);
    if (ordering === 'sells and hangs') return never;
    if (ordering === 'sells and fails') return { status: 502, body: 'Bad Gateway' };
    if (ordering === 'sells later') return { status: 202, body: { meta: { message: 'success' } } };
    return { body: { data: order, meta: { message: 'success' } } };
  }
}

/** The catalogue, in two pages. */
function packagesPage(page: number): object {
  const offer = (id: string, price: number, more: object = {}) => ({
    id,
    type: 'sim',
    price,
    amount: 1_024,
    day: 7,
    is_unlimited: false,
    title: '1 GB - 7 Days',
    data: '1 GB',
    short_info: null,
    voice: null,
    text: null,
    net_price: price * 0.8,
    ...more,
  });
  const areas = [
    {
      slug: 'faroe-islands',
      country_code: 'FO',
      title: 'Faroe Islands',
      operators: [
        {
          id: 648,
          type: 'local',
          title: 'Kallur Digital',
          countries: [{ country_code: 'FO', title: 'Faroe Islands' }],
          packages: [
            offer('kallur-digital-7days-1gb', 4.5),
            offer('kallur-digital-7days-1gb-topup', 4.5, { type: 'topup' }),
            offer('kallur-digital-free', 0),
            offer('kallur-digital-on-request', 4.5, { price: null, day: null }),
          ],
        },
      ],
    },
    {
      slug: 'world',
      country_code: '',
      title: 'World',
      operators: [
        {
          id: 700,
          type: 'global',
          title: 'Discover',
          countries: [{ country_code: 'DE' }, { country_code: 'JP' }],
          packages: [offer('discover-unlimited', 29.99, { amount: 0, is_unlimited: true })],
        },
      ],
    },
  ];
  const data = areas.slice(page - 1, page);
  return {
    pricing: { model: 'net_pricing' },
    data,
    links: {},
    meta: { message: 'success', current_page: page, last_page: 2 },
  };
}
