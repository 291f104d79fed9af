import { answerOf, offerOf, serverEndOf } from '../rooms/sdp.ts';
import { janusRoom, type Janus } from './Janus.ts';
import type { JanusSession } from './JanusSession.ts';
import type { StreamParticipants } from './participants.ts';
import type { BenchParticipant } from '../rooms/BenchParticipant.ts';

const feed = 1;
const id = 'transport';

/** A publisher in Janus's room, and viewers who subscribe to it. */
export async function janusStream(janus: Janus): Promise<StreamParticipants> {
  return {
    publisher: publisherOf(await janus.session(), janus.address),
    viewer: async () => viewerOf(await janus.session(), janus.address),
  };
}

function publisherOf(session: JanusSession, bindAddress: string): BenchParticipant {
  return {
    bindAddress,
    async join() {
      await session.request({ request: 'join', ptype: 'publisher', room: janusRoom, id: feed });
      return { sendTransport: { id }, recvTransport: null };
    },
    async connect(_id, own) {
      const offer = { type: 'offer', sdp: offerOf(own, 'sendonly', 'active') } as const;
      return serverEndOf(await session.request({ request: 'publish' }, offer));
    },
    // The offer has announced both.
    produce: () => Promise.resolve(),
    receive: () => Promise.resolve(),
    close: () => session.close(),
  };
}

function viewerOf(session: JanusSession, bindAddress: string): BenchParticipant {
  let offer = '';
  return {
    bindAddress,
    async join() {
      const request = { request: 'join', ptype: 'subscriber', room: janusRoom, streams: [{ feed }] };
      offer = await session.request(request);
      return { sendTransport: null, recvTransport: { id, ...serverEndOf(offer) } };
    },
    async connect(_id, own) {
      await session.request({ request: 'start' }, { type: 'answer', sdp: answerOf(offer, own) });
    },
    produce: () => Promise.resolve(),
    // Janus sends as soon as the transport is open.
    receive: () => Promise.resolve(),
    close: () => session.close(),
  };
}
