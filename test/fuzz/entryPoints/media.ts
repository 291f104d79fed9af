import { createHmac, type BinaryLike } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { Socket } from 'socket.io-client';
import { newPeer } from '../../harness/media/mediaFixtures.ts';
import type { IceParameters } from '../../../sdk/protocol/media.ts';
import { connected, send, signIn } from '../../integration/support.ts';
import { closeOf, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { mutateBytes, type Random } from '../mutate.ts';
import { Scene } from '../Scene.ts';

/** The maximum wait for a worker's answer. It is short, because most inputs get none. */
const answerMs = 15;
const transportsAtATime = 6;
const inputsPerTransport = 300;

/** Sends mutated STUN, DTLS, RTP and RTCP packets to a media worker's port, often for a transport that a valid STUN check has opened. */
export const mediaEntry: OpenEntryPoint = async ({ server: { url, ports } }) => {
  let client: Socket | null = null;
  let transports = await openTransports();
  let count = 0;

  /** Opens transports in rooms of a new wallet. The wallet is new each time, because the number of rooms per wallet is limited. */
  async function openTransports(): Promise<IceParameters[]> {
    client?.disconnect();
    const own = (client = await connected(url, (await signIn(url)).token));
    const request = <T>(name: string, payload: object) => ask<T>(own, name, payload);
    const opened = Array.from({ length: transportsAtATime }, async () => {
      const room = await request<{ id: string }>('conference.create', { name: 'a room', maxParticipants: 2 });
      await request('conference.join', { roomId: room.id });
      const { rtpCapabilities } = newPeer('any');
      const joined = await request<{ recvTransport: { iceParameters: IceParameters } }>('media.join', {
        scope: 'conference',
        id: room.id,
        rtpCapabilities,
      });
      return joined.recvTransport.iceParameters;
    });
    return Promise.all(opened);
  }

  return {
    async send(random) {
      if (++count % inputsPerTransport === 0) transports = await openTransports();
      const ice = random.pick(transports);
      const packets = [
        ...(random.chance(0.6) ? [stunCheck(random, ice)] : []),
        ...Array.from({ length: 1 + random.int(3) }, () => packet(random, ice)),
      ];
      return random.chance(0.85)
        ? overUdp(ports.mediaPort, packets)
        : overTcp(ports.mediaPort, packets, random);
    },
    async check() {
      (await Scene.open(url)).close();
      const outcome = await overUdp(
        ports.mediaPort,
        [stunCheck(null, (await openTransports())[0] as IceParameters)],
        5_000,
      );
      if (outcome.kind !== 'UDP: answered') throw new Error('a valid STUN check was not answered');
    },
    close() {
      client?.disconnect();
      return Promise.resolve();
    },
  };
};

async function ask<T>(client: Socket, name: string, payload: object): Promise<T> {
  const answer = await send(client, name, payload);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
  return answer.data as T;
}

async function overUdp(port: number, packets: Buffer[], withinMs = answerMs): Promise<Outcome> {
  const socket = createSocket('udp4');
  const answered = once(socket, 'message').then(() => true);
  for (const each of packets) socket.send(each, port, '127.0.0.1');
  const isAnswered = await Promise.race([answered, delay(withinMs, false)]);
  answered.catch(() => undefined);
  socket.close();
  return { kind: isAnswered ? 'UDP: answered' : 'UDP: silence' };
}

/** Sends packets over TCP (RFC 4571). Each packet is preceded by its length, which is sometimes wrong. */
async function overTcp(port: number, packets: Buffer[], random: Random): Promise<Outcome> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  let isAnswered = false;
  socket.on('data', () => (isAnswered = true));
  const closed = closeOf(socket).then(() => 'TCP: closed');
  for (const each of packets) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(random.chance(0.8) ? each.length : random.int(65_536));
    socket.write(Buffer.concat([length, each]));
  }
  const kind = await Promise.race([closed, delay(answerMs, 'TCP: silence')]);
  socket.destroy();
  return { kind: isAnswered ? 'TCP: answered' : kind };
}

function packet(random: Random, ice: IceParameters): Buffer {
  const good = random.pick([
    () => stunCheck(random, ice),
    clientHello,
    () => rtp(random),
    () => rtcp(random),
    () => random.bytes(random.pick([1, 20, 100, 1_400])),
  ])();
  return random.chance(0.1) ? good : mutateBytes(random, good).subarray(0, 60_000);
}

/** A connectivity check that nominates the candidate pair (RFC 8445), as browsers send it, with a valid MESSAGE-INTEGRITY. */
function stunCheck(random: Random | null, { usernameFragment, password }: IceParameters): Buffer {
  const attributes = [
    attribute(0x0006, Buffer.from(`${usernameFragment}:peer`)),
    attribute(0x0024, Buffer.from([0x6e, 0x7f, 0x1e, 0xff])),
    attribute(0x802a, Buffer.alloc(8, 7)),
    attribute(0x0025, Buffer.alloc(0)),
  ];
  const body = Buffer.concat(
    random?.chance(0.2) ? attributes.map((each) => mutateBytes(random, each)) : attributes,
  );
  const header = (length: number) => {
    const bytes = Buffer.from('000100002112a442' + '00'.repeat(12), 'hex');
    bytes.writeUInt16BE(length & 0xffff, 2);
    return bytes;
  };
  const signed = Buffer.concat([header(body.length + 24), body]);
  const proof = attribute(
    0x0008,
    createHmac('sha1', password)
      .update(signed as BinaryLike)
      .digest(),
  );
  const whole = Buffer.concat([header(body.length + 32), body, proof]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE((crc32(whole) ^ 0x5354554e) >>> 0);
  return Buffer.concat([whole, attribute(0x8028, check)]);
}

function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
}

/** A DTLS 1.2 ClientHello like a browser's, with two cipher suites, an elliptic curve and use_srtp. */
function clientHello(): Buffer {
  const extensions = Buffer.from(
    '000a00040002001d' + '000b00020100' + '000d000400020403' + '000e0005000200010000' + '00170000',
    'hex',
  );
  const hello = Buffer.concat([
    Buffer.from('fefd', 'hex'),
    Buffer.alloc(32, 9),
    Buffer.from('0000' + '0004c02bc02f' + '0100', 'hex'),
    Buffer.from([extensions.length >> 8, extensions.length & 0xff]),
    extensions,
  ]);
  const length = Buffer.from([0, hello.length >> 8, hello.length & 0xff]);
  const handshake = Buffer.concat([
    Buffer.from([1]),
    length,
    Buffer.from('0000000000', 'hex'),
    length,
    hello,
  ]);
  const record = Buffer.from('16fefd' + '0000000000000000' + '0000', 'hex');
  record.writeUInt16BE(handshake.length, 11);
  return Buffer.concat([record, handshake]);
}

function rtp(random: Random): Buffer {
  const head = Buffer.from('90e40001' + '00000001' + '000003e8' + 'bede0001' + '10300000', 'hex');
  return Buffer.concat([head, random.bytes(40)]);
}

/** A compound packet that consists of a sender report, feedback and a BYE. */
function rtcp(random: Random): Buffer {
  const report = Buffer.concat([Buffer.from('80c80006' + '000003e8', 'hex'), random.bytes(20)]);
  const feedback = Buffer.from('81ce0002' + '000003e8' + '000003e9', 'hex');
  const transport = Buffer.concat([
    Buffer.from('8fcd0005' + '000003e8' + '000003e9', 'hex'),
    random.bytes(12),
  ]);
  return Buffer.concat([report, feedback, transport, Buffer.from('81cb0001' + '000003e8', 'hex')]);
}
