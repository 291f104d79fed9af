import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WireLiveStream } from '../../../sdk/protocol/streaming.ts';
import { FfmpegPublisher } from '../../harness/clients/FfmpegPublisher.ts';
import { RtmpClient } from '../../harness/clients/RtmpClient.ts';
import { until } from '../../harness/until.ts';
import { connected, send, signIn } from '../../integration/support.ts';
import { closeOf, type OpenEntryPoint } from '../EntryPoint.ts';
import { mutateBytes, type Random } from '../mutate.ts';

const streamsAtATime = 24;
/** The length of the recording, which contains the handshake, the commands and the first frames. */
const recordedBytes = 60_000;
const handshakeBytes = 1 + 2 * 1_536;
const commandBytes = 1_200;
/** The wait after sending a whole recording, long enough for the server to start ffmpeg with the media it received. */
const lingerMs = 2_500;

/** Replays what ffmpeg once sent to publish a stream, with mutated bytes and with valid or unknown stream keys. */
export const rtmpEntry: OpenEntryPoint = async ({ server: { url }, rtmpPort: port }) => {
  const keys = await Promise.all(Array.from({ length: streamsAtATime }, () => keyOfNewStream(url)));
  const unknownKey = `sk_${'x'.repeat((keys[0] as string).length - 3)}`;
  const recorded = await record(port, keys[0] as string);
  const withKey = (key: string) =>
    Buffer.from(recorded.toString('latin1').replaceAll(keys[0] as string, key), 'latin1');

  return {
    async send(random) {
      const isKnown = random.chance(0.5);
      const lingers = isKnown && random.chance(0.02);
      const whole = withKey(isKnown ? random.pick(keys) : unknownKey);
      const bytes = mutate(
        random,
        lingers ? whole : whole.subarray(0, handshakeBytes + commandBytes + random.int(8_000)),
      );
      const socket = createConnection({ port, host: '127.0.0.1' });
      let received = '';
      let isClosed = false;
      socket.on('data', (data) => (received += data.toString('latin1')));
      socket.on('error', () => undefined);
      const closed = closeOf(socket).then(() => (isClosed = true));
      for (const piece of piecesOf(random, bytes)) {
        if (!isClosed && socket.writable) socket.write(piece);
        await delay(random.pick([0, 0, 1]));
      }
      if (lingers) await Promise.race([closed, delay(lingerMs)]);
      const isEndedByServer = isClosed;
      socket.end();
      await closed;
      if (received.includes('NetStream.Publish.Start'))
        return { kind: lingers ? 'accepted, with media' : 'accepted' };
      if (received.includes('NetStream.')) return { kind: 'refused' };
      if (isEndedByServer) return { kind: 'cut off' };
      return { kind: received ? 'answered' : 'no answer' };
    },
    async check() {
      const client = new RtmpClient({ port });
      const isAccepted = await client.publish(await keyOfNewStream(url));
      await client.close();
      if (!isAccepted) throw new Error('a valid key was refused');
    },
    close: () => Promise.resolve(),
  };
};

function mutate(random: Random, bytes: Buffer): Buffer {
  if (random.chance(0.05)) return bytes;
  if (random.chance(0.1)) return mutateBytes(random, bytes);
  const end = random.chance(0.5) ? handshakeBytes + commandBytes : bytes.length;
  return Buffer.concat([
    bytes.subarray(0, handshakeBytes),
    mutateBytes(random, bytes.subarray(handshakeBytes, end)),
    bytes.subarray(end),
  ]);
}

function piecesOf(random: Random, bytes: Buffer): Buffer[] {
  const [one, other] = [random.int(bytes.length + 1), random.int(bytes.length + 1)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return [bytes.subarray(0, one), bytes.subarray(one, other), bytes.subarray(other)];
}

/** Records the bytes that ffmpeg sends to publish, through a proxy between ffmpeg and the server. */
async function record(port: number, key: string): Promise<Buffer> {
  let recorded = Buffer.alloc(0);
  const proxy = createServer((client) => {
    const server = createConnection({ port, host: '127.0.0.1' });
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('data', (bytes) => (recorded = Buffer.concat([recorded, bytes])));
    client.pipe(server).pipe(client);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const pusher = new FfmpegPublisher(`rtmp://127.0.0.1:${(proxy.address() as AddressInfo).port}/live/${key}`);
  await until(() => recorded.length > recordedBytes || !pusher.isRunning, 'ffmpeg publishes');
  await pusher.kill();
  proxy.close();
  if (recorded.length <= recordedBytes) throw new Error(`ffmpeg did not publish: ${pusher.errors}`);
  return recorded.subarray(0, recordedBytes);
}

async function keyOfNewStream(url: string): Promise<string> {
  const client = await connected(url, (await signIn(url)).token);
  const answer = await send(client, 'streaming.create', { title: 'a stream' });
  client.disconnect();
  if (!answer.ok) throw new Error(answer.error.message);
  return (answer.data as WireLiveStream).streamKey;
}
