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

/* Media measurements on their way to connected devices. */

const roomId = 'room_1';
const devices: Device[] = [];
let io: ParleyServer;
let url: string;
let notifier: MultipartyEvents;

interface Device {
  socket: Socket;
  heard: WireQualities[];
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

async function enter(count: number): Promise<void> {
  const joined = Array.from({ length: count }, async () => {
    const socket = connect(url, { transports: ['websocket'], forceNew: true });
    const device: Device = { socket, heard: [] };
    devices.push(device);
    socket.on('conference:quality', (qualities: WireQualities) => device.heard.push(qualities));
    await once(socket as never, 'connect');
  });
  await Promise.all(joined);
  await until(() => io.of('/').adapter.rooms.get(channels.conference(roomId))?.size === count, 'all are in');
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
  it('is sent in one message to all, with the latest of each', async () => {
    await enter(30);
    measure(3);
    await until(() => devices.every(({ heard }) => heard.length > 0), 'all are told');
    const participants = devices.map((_, index) => ({
      participantId: idOf(index),
      sending: 3,
      receiving: null,
    }));
    for (const { heard } of devices) expect(heard).toEqual([{ roomId, participants }]);
    // Later changes are the next message.
    measure();
    await until(() => devices.every(({ heard }) => heard.length === 2), 'all are told again');
  });

  it('is sent to each device about itself only in larger rooms', async () => {
    await enter(31);
    measure(3);
    await until(() => devices.every(({ heard }) => heard.length > 0), 'all are told');
    for (const [index, { heard }] of devices.entries()) {
      const participants = [{ participantId: idOf(index), sending: 3, receiving: null }];
      expect(heard).toEqual([{ roomId, participants }]);
    }
  });

  it('is not sent about participants of other nodes in larger rooms', async () => {
    await enter(31);
    notifier.onQuality(roomId, { participantId: 'par_far', socketId: 'far', sending: 1, receiving: 1 });
    measure();
    await until(() => devices.every(({ heard }) => heard.length > 0), 'all are told');
    const told = devices.flatMap(({ heard }) => heard.flatMap(({ participants }) => participants));
    expect(told).toHaveLength(31);
    expect(told.map(({ participantId }) => participantId)).not.toContain('par_far');
  });
});
