import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { io as connect, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireQualities } from '../../sdk/protocol/conference.ts';
import { until } from '../../test/harness/until.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { closeIo, createIo } from '../socket/createIo.ts';
import { channels, Notifier } from '../socket/Notifier.ts';
import { MultipartyEvents } from './MultipartyEvents.ts';

/* Delivery of media measurements to connected devices. */

const roomId = 'room_1';
const devices: Device[] = [];
let io: ParleyServer;
let url: string;
let notifier: MultipartyEvents;

interface Device {
  socket: Socket;
  received: WireQualities[];
}

beforeEach(async () => {
  const httpServer = createServer().listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`;
  io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, log: pino({ level: 'silent' }) });
  io.on('connection', (socket) => void socket.join(channels.conference(roomId)));
  notifier = new MultipartyEvents({ io, notifier: new Notifier(io) });
});
afterEach(async () => {
  for (const { socket } of devices.splice(0)) socket.disconnect();
  await closeIo(io);
});

async function connectDevices(count: number): Promise<void> {
  const joined = Array.from({ length: count }, async () => {
    const socket = connect(url, { transports: ['websocket'], forceNew: true });
    const device: Device = { socket, received: [] };
    devices.push(device);
    socket.on('conference:quality', (qualities: WireQualities) => device.received.push(qualities));
    await once(socket as never, 'connect');
  });
  await Promise.all(joined);
  await until(
    () => io.of('/').adapter.rooms.get(channels.conference(roomId))?.size === count,
    'all devices are in the channel',
  );
}

const idOf = (index: number) => `par_${index}`;

/** Reports a new measurement for every participant, this many times. */
function measure(times = 1): void {
  for (let time = 1; time <= times; time++) {
    for (const [index, { socket }] of devices.entries()) {
      const quality = { sending: time, receiving: null };
      notifier.onQuality(roomId, { participantId: idOf(index), socketId: socket.id ?? '', ...quality });
    }
  }
}

describe('connection quality', () => {
  it('is sent to all devices in one message with the latest value of each participant', async () => {
    await connectDevices(30);
    measure(3);
    await until(() => devices.every(({ received }) => received.length > 0), 'all devices have the event');
    const participants = devices.map((_, index) => ({
      participantId: idOf(index),
      sending: 3,
      receiving: null,
    }));
    for (const { received } of devices) expect(received).toEqual([{ roomId, participants }]);
    // Later changes are sent in the next message.
    measure();
    await until(
      () => devices.every(({ received }) => received.length === 2),
      'all devices have the second event',
    );
  });

  it('of a device is sent only to that device in rooms of more than 30 people', async () => {
    await connectDevices(31);
    measure(3);
    await until(() => devices.every(({ received }) => received.length > 0), 'all devices have the event');
    for (const [index, { received }] of devices.entries()) {
      const participants = [{ participantId: idOf(index), sending: 3, receiving: null }];
      expect(received).toEqual([{ roomId, participants }]);
    }
  });

  it('of participants on other nodes is not sent in rooms of more than 30 people', async () => {
    await connectDevices(31);
    notifier.onQuality(roomId, { participantId: 'par_far', socketId: 'far', sending: 1, receiving: 1 });
    measure();
    await until(() => devices.every(({ received }) => received.length > 0), 'all devices have the event');
    const participants = devices.flatMap(({ received }) => received.flatMap((event) => event.participants));
    expect(participants).toHaveLength(31);
    expect(participants.map(({ participantId }) => participantId)).not.toContain('par_far');
  });
});
