import { publishingOf } from '../../../media/sdp/publishing.ts';
import { parseOffer, type SdpOffer } from '../../../media/sdp/SdpOffer.ts';
import { writeAnswer } from '../../../media/sdp/writeAnswer.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import type {
  BegunSession,
  NewSession,
  OwnSession,
  WebrtcSessions,
  WebrtcSessionsDeps,
} from './WebrtcSessions.ts';

type PublishersDeps = Pick<WebrtcSessionsDeps, 'cluster' | 'gateway' | 'log'> & { sessions: WebrtcSessions };

/** A pause of its packets that is longer than the media's own patience and this: then the stream waits for it. */
const pauseMs = 2_000;

/** Who publishes by WHIP. */
export class Publishers {
  readonly #deps: PublishersDeps;

  constructor(deps: PublishersDeps) {
    this.#deps = deps;
  }

  /**
   * Takes an offer. One that can't be used does no harm to whoever publishes now.
   * @throws ParleyError
   */
  async begin(key: string, offerText: string): Promise<BegunSession & { streamId: string }> {
    const { gateway, sessions } = this.#deps;
    const { streamId } = await gateway.streamOfKey(key);
    const offer = parseOffer(offerText);
    const publishing = publishingOf(offer);
    sessions.refuseTooMany();
    const session = this.#create(streamId);
    sessions.adopt(session);
    try {
      const made = await this.#join(session, offer, publishing);
      return { ...(await sessions.begin(session, made)), streamId };
    } catch (error) {
      await sessions.end(session.peerId, 'it could not begin');
      throw error;
    }
  }

  async #join(
    { streamId, peerId }: OwnSession,
    offer: SdpOffer,
    { producers, answers }: ReturnType<typeof publishingOf>,
  ): Promise<NewSession> {
    const { cluster, gateway, sessions } = this.#deps;
    const peer = await gateway.claim(streamId, {
      publisherId: peerId,
      via: 'whip',
      onReplaced: () => void sessions.end(peerId, 'another one has taken over, or the stream has ended'),
    });
    const { sendTransport: transport } = await cluster.join(streamId, {
      ...peer,
      rtpCapabilities: takesNothing,
    });
    if (!transport) throw new Error('A publisher has a way to send.');
    await cluster.connectTransport(streamId, peerId, transport.id, {
      role: offer.isPassive ? 'server' : 'client',
      fingerprints: offer.fingerprints,
    });
    for (const { source, rtpParameters } of producers)
      await cluster.produce(streamId, peerId, { source, rtpParameters, paused: false, tellsArrival: true });
    const mids = answers.flatMap((answer) => (answer ? [answer.section.mid] : []));
    return { answer: writeAnswer(offer, answers, transport), mids, transport };
  }

  #create(streamId: string): OwnSession {
    const peerId = newId('par');
    const { gateway, log } = this.#deps;
    let pause: NodeJS.Timeout | null = null;
    const tell = (what: 'flows' | 'lost') =>
      gateway[what](streamId, peerId).catch((err: unknown) =>
        log.error({ err, streamId, what }, 'stream not told'),
      );
    return {
      kind: 'whip',
      streamId,
      peerId,
      identity: publisherIdentity,
      onArriving(isArriving) {
        if (pause) clearTimeout(pause);
        pause = isArriving ? null : setTimeout(() => void tell('lost'), pauseMs).unref();
        if (isArriving) void tell('flows');
      },
    };
  }
}

const takesNothing = { codecs: [], headerExtensions: [] };
