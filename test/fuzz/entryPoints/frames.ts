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

/** Whole connections of Engine.IO's and Socket.IO's own frames, bent: the packets of the one, and of the other within them. */
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

/** Socket.IO's CONNECT, by which a client proves who it is; more often good than not, since little is behind it otherwise. */
export function connectPacket(random: Random, auth: object): Frame {
  if (random.chance(0.6)) return `40${JSON.stringify(auth)}`;
  const bent = `40${JSON.stringify(mutateValue(random, auth)) ?? ''}`;
  return random.pick([
    () => bent,
    () => mutateText(random, bent),
    () => `40/${hostileText(random)},{}`,
    () => '40',
  ])();
}

/** Connects, sends what is bent, and then asks whether it is still heard. */
export async function converse(address: string, connect: Frame, random: Random): Promise<Outcome> {
  const query = random.chance(0.9)
    ? 'EIO=4&transport=websocket'
    : mutateText(random, 'EIO=4&transport=websocket');
  const path = address.replace(/^http/, 'ws');
  const socket = new WebSocket(`${path}?${encodeURI(Buffer.from(query).toString()).replaceAll('#', '')}`);
  let heard = '';
  socket.on('message', (data: Buffer) => (heard += `${data.toString()}\n`));
  socket.on('error', () => undefined);
  let hasClosed = false;
  const closed = closeOf(socket).then(() => void (hasClosed = true));
  const frames = [connect, ...Array.from({ length: random.pick([1, 1, 2, 4]) }, () => frame(random))];
  // Also where the handshake is refused, and it never opens.
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
  if (socket.readyState !== WebSocket.OPEN) return { kind: 'refused' };
  const [first, ...rest] = frames;
  // What comes before the answer to it ends the connection: now and then that is tried as well.
  socket.send(first as Frame);
  if (random.chance(0.9)) await receives(socket, closed, () => /^4[04]/m.test(heard));
  for (const each of rest) if (socket.readyState === WebSocket.OPEN) socket.send(each);
  if (socket.readyState === WebSocket.OPEN) socket.send(`42${probe}["session.ping",{}]`);
  const isAnswered = await receives(socket, closed, () => heard.includes(`43${probe}[`));
  const kind = isAnswered ? 'answered afterwards' : hasClosed ? 'closed' : 'waits for the rest';
  socket.terminate();
  await closed;
  const isFault = heard.includes('"INTERNAL"');
  return { kind, ...(isFault ? { fault: shown({ frames: frames.map(String), heard }) } : {}) };
}

/** The number of the request that is answered where the connection still lives. */
const probe = 777;

/** @returns false where it closes before that, or stays silent: a packet that says that binary parts follow keeps the rest waiting for them */
function receives(socket: WebSocket, closed: Promise<unknown>, isThere: () => boolean): Promise<boolean> {
  const heard = new Promise<boolean>((resolve) => {
    socket.on('message', () => isThere() && resolve(true));
    if (isThere()) resolve(true);
  });
  return Promise.race([heard, closed.then(() => false), delay(answerMs, false, { ref: false })]);
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
    () => `43${random.int(100)}["an acknowledgement nobody asked for"]`,
  ])();
}
