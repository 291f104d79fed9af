import { drizzle } from 'drizzle-orm/node-postgres';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { EndpointEvents } from '../../../server/webhooks/EndpointEvents.ts';
import { WebhookReceiver } from '../../harness/services/WebhookReceiver.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, roomySettings } from '../money/accountSupport.ts';
import { PhoneUser } from '../telephony/telephonySupport.ts';
import { bodiesOf, sequences, upTo } from './EventBench.ts';

/* Deliveries to endpoints survive a kill of the server, in order. */

let server: ServerProcess;
let receiver: WebhookReceiver;

beforeAll(async () => {
  server = await ServerProcess.start({
    ...roomySettings,
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_RETRY_SECONDS: '1,1,1',
    WEBHOOK_TIMEOUT_SECONDS: '3',
  });
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver?.close();
  await server?.dispose();
});

it('delivers each event of twelve rooms in order, although the server is killed twice meanwhile', async () => {
  const user = await PhoneUser.create(() => server.url);
  const { id } = await user.post<{ id: string }>('/webhooks/endpoints', { url: receiver.url });
  const rooms = upTo(12).map((room) => `room_${room}`);
  // Another process than the server stores the events, as other nodes do.
  const client = await connectDatabase(server);
  const db = drizzle({ client });
  const events = new EndpointEvents(new ScheduledJobs(db, pino({ level: 'silent' })), null);
  for (const room of rooms)
    await db.transaction((tx) =>
      events.emit(tx, { id: room, owner: user.wallet as `0x${string}` }, () =>
        upTo(5).map(() => ({ type: 'participant.updated', data: {} })),
      ),
    );
  await client.end();
  // Some answers never come, so that attempts are in progress when the server dies.
  let count = 0;
  receiver.respond = (response) => void (++count % 9 !== 0 && response.writeHead(204).end());
  for (const arrived of [15, 35]) {
    await receiver.wait(arrived);
    await server.kill();
    await server.start();
  }
  const read = (status: string) =>
    user.get<{ data: unknown[] }>(`/webhooks/endpoints/${id}/deliveries?limit=100&status=${status}`);
  await until(async () => (await read('delivered')).data.length === 60, 'all are delivered', 90_000);
  expect(sequences(bodiesOf(receiver.received))).toEqual(
    Object.fromEntries(rooms.map((room) => [room, upTo(5)])),
  );
}, 150_000);
