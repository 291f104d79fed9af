import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { requests } from '../../../sdk/protocol/wire.ts';
import { samplesOf } from '../../harness/schemaSamples.ts';
import { connected, send, signIn } from '../../integration/support.ts';
import { closeOf, shown, type OpenEntryPoint, type Outcome } from '../EntryPoint.ts';
import { hostileText, mutateBytes, mutateText, mutateValue, type Random } from '../mutate.ts';

type Frame = string | Buffer;

const answerMs = 2_000;

/** Sends mutated Engine.IO frames with mutated Socket.IO packets in them. Each input is sent on a connection of its own. */
export const framesEntry: OpenEntryPoint = async ({ server: { url } }) => {
  const { token } = await signIn(url);
  return {
    send: (random) =>
      converse(`${url}/socket.io/`, connectPacket(random, { token, protocolVersion }), random),
    async check() {
      const client = await connected(url, token);
      const answer = await send(client, 'calls.getActive', {});
      client.disconnect();
      if (!answer.ok) throw new Error(shown(answer));
    },
    close: () => Promise.resolve(),
  };
};

/** Socket.IO's CONNECT packet with the client's credentials. It is mostly valid, because an invalid one ends the connection. */
export function connectPacket(random: Random, auth: object): Frame {
  if (random.chance(0.6)) return `40${JSON.stringify(auth)}`;
  const mutated = `40${JSON.stringify(mutateValue(random, auth)) ?? ''}`;
  return random.pick([
    () => mutated,
    () => mutateText(random, mutated),
    () => `40/${hostileText(random)},{}`,
    () => '40',
  ])();
}

/** Connects, sends mutated frames, and then checks whether the server still answers on the connection. */
export async function converse(address: string, connect: Frame, random: Random): Promise<Outcome> {
  const query = random.chance(0.9)
    ? 'EIO=4&transport=websocket'
    : mutateText(random, 'EIO=4&transport=websocket');
  const path = address.replace(/^http/, 'ws');
  const socket = new WebSocket(`${path}?${encodeURI(Buffer.from(query).toString()).replaceAll('#', '')}`);
  let received = '';
  socket.on('message', (data: Buffer) => (received += `${data.toString()}\n`));
  socket.on('error', () => undefined);
  let hasClosed = false;
  const closed = closeOf(socket).then(() => void (hasClosed = true));
  const frames = [connect, ...Array.from({ length: random.pick([1, 1, 2, 4]) }, () => frame(random))];
  // If the server refuses the handshake, the socket never opens.
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
  if (socket.readyState !== WebSocket.OPEN) return { kind: 'refused' };
  const [first, ...rest] = frames;
  // In most cases, wait for the answer to CONNECT, because the server closes the connection if a packet arrives earlier.
  socket.send(first as Frame);
  if (random.chance(0.9)) await receives(socket, closed, () => /^4[04]/m.test(received));
  for (const each of rest) if (socket.readyState === WebSocket.OPEN) socket.send(each);
  if (socket.readyState === WebSocket.OPEN) socket.send(`42${probe}["session.ping",{}]`);
  const isAnswered = await receives(socket, closed, () => received.includes(`43${probe}[`));
  const kind = isAnswered ? 'answered afterwards' : hasClosed ? 'closed' : 'waits for the rest';
  socket.terminate();
  await closed;
  const isFault = received.includes('"INTERNAL"');
  return { kind, ...(isFault ? { fault: shown({ frames: frames.map(String), received }) } : {}) };
}

/** The number of the request that checks whether the server still answers on the connection. */
const probe = 777;

/** @returns false if the socket closes first, or stays silent because the server waits for binary parts that a packet announced */
function receives(socket: WebSocket, closed: Promise<unknown>, hasArrived: () => boolean): Promise<boolean> {
  const arrived = new Promise<boolean>((resolve) => {
    socket.on('message', () => hasArrived() && resolve(true));
    if (hasArrived()) resolve(true);
  });
  return Promise.race([arrived, closed.then(() => false), delay(answerMs, false, { ref: false })]);
}

const goodRequests = Object.entries(requests).map(
  ([name, { request }]) => [name, samplesOf(request)[0]] as const,
);

function frame(random: Random): Frame {
  const good = `42${random.int(100)}${JSON.stringify(random.pick(goodRequests))}`;
  const nested = `42${'['.repeat(random.pick([2, 100, 5_000, 100_000]))}`;
  return random.pick<() => Frame>([
    () => good,
    () => mutateText(random, good),
    () => mutateText(random, good),
    () => mutateBytes(random, Buffer.from(good)).toString('latin1'),
    () => Buffer.from(good),
    () => random.bytes(random.int(200)),
    () => `${random.int(10)}${hostileText(random)}`,
    () =>
      `4${random.int(10)}${random.pick(['', '/admin,', '/,', '5-', '-1-', '99999999999-'])}${mutateText(random, '["session.ping",{}]')}`,
    () =>
      `45${random.pick(['0', '1', '11', '1e3', '-1', ''])}-["messages.send",{"_placeholder":true,"num":${random.pick(['0', '-1', '1e9', '"__proto__"', 'null'])}}]`,
    () => nested,
    () => `42["${hostileText(random)}",{}]`,
    () => '2probe',
    () => '5',
    () => `43${random.int(100)}["an unexpected acknowledgement"]`,
  ])();
}
