import * as offers from '../../harness/media/sdp/offers.ts';
import { ask, connected, send, signIn } from '../../integration/support.ts';
import type { WireLiveStream } from '../../../sdk/protocol/streaming.ts';
import type { OpenEntryPoint } from '../EntryPoint.ts';
import { hostileText, mutateLines, mutateText, type Random } from '../mutate.ts';
import { judge } from './http.ts';

const publishing = [
  offers.chromiumPublishing,
  offers.obsPublishing,
  offers.obsSimulcast,
  offers.gstreamerPublishing,
];
const watching = [offers.chromiumWatching, offers.firefoxWatching, offers.gstreamerWatching];
const fragment =
  'a=ice-ufrag:eN6h\r\na=ice-pwd:eRVMF6M7Kj1nIL9Hoxq1Xn\r\nm=audio 9 RTP/AVP 0\r\na=mid:0\r\na=candidate:1 1 UDP 1 192.0.2.1 9 typ host\r\na=end-of-candidates\r\n';

const streamsAtATime = 8;
/** The number of inputs after which the watched stream is published again. Players need a live stream, but a stream without media ends. */
const inputsPerPublisher = 100;
const mostSessions = 40;

/** Sends mutated offers of real programs to /whip and /whep, and PATCH and DELETE requests for the sessions that they create. */
export const webrtcEntry: OpenEntryPoint = async ({ server: { url } }) => {
  const client = await connected(url, (await signIn(url)).token);
  const create = async (): Promise<WireLiveStream> => {
    const answer = await send(client, 'streaming.create', { title: 'a stream' });
    if (!answer.ok) throw new Error(answer.error.message);
    return answer.data as WireLiveStream;
  };
  const streams = await Promise.all(Array.from({ length: streamsAtATime }, create));
  const watched = await create();
  const playback = new URL(watched.whepUrl).pathname;
  const sessions: string[] = [];
  let count = 0;

  const request = (
    method: string,
    path: string,
    type: string,
    raw: string,
    headers: Record<string, string> = {},
  ) => ask(url, method, path, { raw, headers: { 'Content-Type': type, ...headers } });
  const publish = (key: string, offer: string, type = 'application/sdp') =>
    request('POST', '/whip', type, offer, { Authorization: `Bearer ${key}` });
  const watch = (offer: string, type = 'application/sdp') => request('POST', playback, type, offer);

  /** Publishes the stream that players watch, with a valid offer. */
  async function live(): Promise<void> {
    const reply = await publish(watched.streamKey, offers.obsPublishing);
    if (reply.status !== 201) throw new Error(reply.text);
  }

  function sendOne(random: Random): [sent: unknown, reply: ReturnType<typeof ask>] {
    const type = random.chance(0.03) ? latin(hostileText(random)) : 'application/sdp';
    if (random.chance(0.4)) {
      const offer = mutate(random, random.pick(publishing));
      return [offer, publish(random.pick(streams).streamKey, offer, type)];
    }
    if (random.chance(0.6)) {
      const offer = mutate(random, random.pick(watching));
      return [offer, watch(offer, type)];
    }
    const session = random.chance(0.9) ? random.pick(sessions) : undefined;
    const path = session ?? encodeURI(`/whip/${Buffer.from(hostileText(random)).toString()}`).slice(0, 4_000);
    if (random.chance(0.2)) return [path, request('DELETE', path, 'text/plain', '')];
    const body = mutate(random, fragment);
    const headers: Record<string, string> = random.chance(0.9)
      ? { 'If-Match': random.pick(['*', '"*"', '"x"', latin(hostileText(random))]) }
      : {};
    return [body, request('PATCH', path, 'application/trickle-ice-sdpfrag', body, headers)];
  }

  return {
    async send(random) {
      if (count++ % inputsPerPublisher === 0) await live();
      const [sent, answer] = sendOne(random);
      const reply = await answer;
      if (reply.status === 201) sessions.push(String(reply.headers.location));
      const oldest = sessions.length > mostSessions && sessions.shift();
      if (oldest) await request('DELETE', oldest, 'text/plain', '');
      return judge(reply, sent);
    },
    async check() {
      await live();
      for (const reply of [
        await publish(streams[0]?.streamKey ?? '', offers.chromiumPublishing),
        await watch(offers.firefoxWatching),
      ]) {
        if (reply.status !== 201) throw new Error(reply.text);
        await request('DELETE', String(reply.headers.location), 'text/plain', '');
      }
    },
    async close() {
      for (const session of sessions) await request('DELETE', session, 'text/plain', '');
      client.disconnect();
    },
  };
};

function mutate(random: Random, text: string): string {
  if (random.chance(0.05)) return text;
  return random.chance(0.85) ? mutateLines(random, text) : mutateText(random, text);
}

const latin = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, 2_000);
