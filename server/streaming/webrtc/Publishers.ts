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

/** How long packets may be missing, in addition to media's own tolerance, before the stream becomes `waiting`. */
const pauseMs = 2_000;

/** Starts the sessions of WHIP publishers. */
export class Publishers {
  readonly #deps: PublishersDeps;

  constructor(deps: PublishersDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a session from an offer. An unusable offer does not affect the present publisher.
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
      await sessions.end(session.peerId, 'session failed to start');
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
      onReplaced: () => void sessions.end(peerId, 'replaced by another publisher, or stream ended'),
    });
    const { sendTransport: transport } = await cluster.room(streamId).join({
      ...peer,
      rtpCapabilities: noCapabilities,
    });
    if (!transport) throw new Error('a publisher joined without a send transport');
    await cluster.room(streamId).connectTransport({
      peerId,
      transportId: transport.id,
      dtlsParameters: {
        role: offer.isPassive ? 'server' : 'client',
        fingerprints: offer.fingerprints,
      },
    });
    for (const { source, rtpParameters } of producers)
      await cluster
        .room(streamId)
        .produce({ peerId, source, rtpParameters, paused: false, tellsArrival: true });
    const mids = answers.flatMap((answer) => (answer ? [answer.section.mid] : []));
    return { answer: writeAnswer(offer, answers, transport), mids, transport };
  }

  #create(streamId: string): OwnSession {
    const peerId = newId('par');
    const { gateway, log } = this.#deps;
    let pause: NodeJS.Timeout | null = null;
    const report = (event: 'flows' | 'lost') =>
      gateway[event](streamId, peerId).catch((err: unknown) =>
        log.error({ err, streamId, event }, 'reporting to the stream failed'),
      );
    return {
      kind: 'whip',
      streamId,
      peerId,
      identity: publisherIdentity,
      onArriving(isArriving) {
        if (pause) clearTimeout(pause);
        pause = isArriving ? null : setTimeout(() => void report('lost'), pauseMs).unref();
        if (isArriving) void report('flows');
      },
    };
  }
}

const noCapabilities = { codecs: [], headerExtensions: [] };
