import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Parley } from '../../../sdk/src/Parley.ts';
import { twoNodes, type Cluster } from '../../harness/nodes/Cluster.ts';
import { verify, WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, roomySettings } from '../money/accountSupport.ts';
import { bearer } from '../support.ts';

/*
 * Guests join and leave rooms at random over two nodes, which are killed in turn. The webhooks of the account must tell exactly what the
 * database knows of each room. LEDGER_GUESTS=500 LEDGER_SECONDS=300 LEDGER_KILL_SECONDS=30 LEDGER_FAIL_EVERY=500 runs it in full.
 */

const guestCount = Number(process.env.LEDGER_GUESTS ?? 40);
const seconds = Number(process.env.LEDGER_SECONDS ?? 40);
const killSeconds = Number(process.env.LEDGER_KILL_SECONDS ?? 12);
/** Every so many webhooks, one fails at first. A room waits for a second then, so this bounds the events per second. */
const failEvery = Number(process.env.LEDGER_FAIL_EVERY ?? 10);
const roomCount = Math.ceil(guestCount / 100) + 1;
/** The time until every webhook has arrived. */
const drainMs = 60_000 + seconds * 1_000;

interface Told {
  type: string;
  sequence: number;
  data: {
    room: { id: string };
    participant?: { id: string; identity: string; isGuest: boolean };
    reason?: string;
  };
}

let cluster: Cluster;
let receiver: WebhookReceiver;
let database: pg.Client;
let key: Record<string, string>;
let secret: string;
const forged: unknown[] = [];

beforeAll(async () => {
  cluster = await twoNodes({
    ...roomySettings,
    CALL_GRACE_SECONDS: '6',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_RETRY_SECONDS: Array(20).fill(1).join(','),
    RATE_LIMIT_JOINS: '100000',
    RATE_LIMIT_NETWORK_FACTOR: '100000',
    MAX_CONNECTIONS_PER_NETWORK: '100000',
  });
  receiver = await WebhookReceiver.start();
  let count = 0;
  receiver.respond = (response, received) => {
    // At once, because a signature is valid for five minutes.
    try {
      verify(secret, received);
    } catch (error) {
      forged.push(error);
    }
    response.writeHead(++count % failEvery === 0 ? 500 : 204).end();
  };
  database = new pg.Client({ connectionString: cluster.postgres.url });
  await database.connect();
  await keepHistory();
  const customer = await newCustomer(cluster.url());
  const scopes = ['rooms:read', 'rooms:write', 'tokens:create', 'webhooks:write'] as const;
  key = bearer((await newKey(cluster.url(), customer, { scopes })).secret);
  const endpoint = await post('/webhooks/endpoints', { url: receiver.url });
  secret = endpoint.secret as string;
}, 120_000);

afterAll(async () => {
  await database?.end();
  await receiver?.close();
  await cluster?.close();
});

/** Lets the database itself keep the history of all memberships, independently of the server's code. */
const keepHistory = () =>
  database.query(`
    CREATE TABLE history (at bigserial, room_id text, participant_id text, what text);
    CREATE FUNCTION keep_history() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND OLD.standing = 'present' AND (NEW.standing <> 'present' OR NEW.participant_id <> OLD.participant_id) THEN
        INSERT INTO history (room_id, participant_id, what) VALUES (OLD.room_id, OLD.participant_id, 'left');
      END IF;
      IF NEW.standing = 'present' AND (TG_OP = 'INSERT' OR OLD.standing <> 'present' OR NEW.participant_id <> OLD.participant_id) THEN
        INSERT INTO history (room_id, participant_id, what) VALUES (NEW.room_id, NEW.participant_id, 'joined');
      END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER keep_history AFTER INSERT OR UPDATE ON room_members FOR EACH ROW EXECUTE FUNCTION keep_history();`);

/** Sends a request until a node has answered it. */
async function post(path: string, body: object = {}): Promise<Record<string, unknown>> {
  const headers = { ...key, 'Idempotency-Key': crypto.randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const reply = await api(cluster.url(), 'POST', path, headers, body).catch(() => null);
    if (reply && reply.status < 300) return reply.body;
    if (reply && reply.status < 500 && reply.status !== 429 && reply.status !== 409)
      throw new Error(`${path}: ${reply.text}`);
    if (attempt > 60) throw new Error(`${path} was not answered`);
    await delay(500);
  }
}

const between = (least: number, most: number) => least + Math.random() * (most - least);

/**
 * A guest who joins and leaves a room again and again: by leaving, or by vanishing, for good or for a moment.
 * @returns the ids of the participants that the guest was
 */
async function comeAndGo(roomId: string, identity: string, isOver: () => boolean): Promise<Set<string>> {
  const { token } = await post(`/rooms/${roomId}/tokens`, { identity, expiresInSeconds: 3_600 });
  const own = new Set<string>();
  let client = newClient();
  function newClient() {
    return new Parley({ participantToken: token as string, baseUrl: cluster.url() });
  }
  while (!isOver()) {
    await delay(between(0, Math.random() < 0.2 ? 12_000 : 4_000));
    try {
      await client.conference.join(roomId);
      const me = client.conference
        .participants(roomId)
        .find((one) => one.walletAddress === `guest:${identity}`);
      if (me) own.add(me.id);
      await delay(between(500, 8_000));
      if (Math.random() < 0.3) {
        client.close();
        client = newClient();
      } else await client.conference.leave(roomId);
    } catch {
      // The node of this guest was killed during the request. Whether it was carried out is for the webhooks to tell.
    }
  }
  client.close();
  return own;
}

it(
  'tells every join and exit once and in order, whatever dies',
  async () => {
    const rooms = await Promise.all(
      Array.from({ length: roomCount }, async (_, index) => {
        const settings = { emptyTimeout: 3_600 };
        return (await post('/rooms', { name: `room ${index}`, maxParticipants: 1_000, settings }))
          .id as string;
      }),
    );
    const endsAt = Date.now() + seconds * 1_000;
    const isOver = () => Date.now() > endsAt;
    const guests = Array.from({ length: guestCount }, (_, index) =>
      comeAndGo(rooms[index % rooms.length] ?? '', `guest-${index}`, isOver),
    );
    let kills = 0;
    const killing = (async () => {
      while (Date.now() + killSeconds * 1_000 < endsAt) {
        await delay(killSeconds * 1_000);
        const node = cluster.nodes[kills++ % cluster.nodes.length];
        await node?.server.kill();
        await delay(2_000);
        await node?.server.start();
      }
    })();
    const own = (await Promise.all(guests)).flatMap((ids) => [...ids]);
    await killing;
    // Some guests are still inside, or have vanished a moment ago: the end of their room ends their visit.
    for (const roomId of rooms) await post(`/rooms/${roomId}/end`);

    const ended = () =>
      new Set(
        told()
          .filter(({ type }) => type === 'room.ended')
          .map(({ data }) => data.room.id),
      );
    await until(() => ended().size === rooms.length, 'the end of every room is told', drainMs);
    await until(async () => (await unsettled()) === 0, 'every webhook is settled', drainMs);
    expect(forged).toEqual([]);

    const { rows } = await database.query<{ room_id: string; participant_id: string; what: string }>(
      'SELECT room_id, participant_id, what FROM history ORDER BY at',
    );
    expect(kills).toBeGreaterThan(1);
    const joined = new Set(rows.filter(({ what }) => what === 'joined').map((row) => row.participant_id));
    expect(own.length).toBeGreaterThan(guestCount);
    expect(own.filter((id) => !joined.has(id))).toEqual([]);
    for (const roomId of rooms) {
      const events = told().filter(({ data }) => data.room.id === roomId);
      // In the order of arrival.
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
      const ledger = events.flatMap(({ type, data }) =>
        data.participant && type !== 'participant.updated'
          ? [`${data.participant.id} ${type.slice('participant.'.length)}`]
          : [],
      );
      const history = rows
        .filter(({ room_id }) => room_id === roomId)
        .map(({ participant_id, what }) => `${participant_id} ${what}`);
      expect(ledger.toSorted()).toEqual(history.toSorted());
      expect(new Set(ledger).size).toBe(ledger.length);
      for (const entry of ledger.filter((one) => one.endsWith(' left')))
        expect(ledger.indexOf(entry.replace(' left', ' joined'))).toBeLessThan(ledger.indexOf(entry));
      expect(events.every(({ data }) => data.participant?.isGuest !== false)).toBe(true);
    }
    process.stdout.write(
      `${guestCount} guests, ${seconds} s, ${kills} kills: ${rows.length} joins and exits, ${receiver.received.length} webhooks\n`,
    );
  },
  seconds * 1_000 + 2 * drainMs + 60_000,
);

/** The events that the receiver has accepted, once each, in the order of their arrival. */
function told(): Told[] {
  const byId = new Map<string, Told>();
  for (const { headers, body } of receiver.received) {
    const id = String(headers['webhook-id']);
    if (!byId.has(id)) byId.set(id, body as unknown as Told);
  }
  return [...byId.values()];
}

async function unsettled(): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    'SELECT count(*) FROM webhook_deliveries WHERE settled_at IS NULL',
  );
  return Number(rows[0]?.count);
}
