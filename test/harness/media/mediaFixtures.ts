import { pino } from 'pino';
import { ortc } from 'mediasoup';
import type { RtpCapabilities, RtpParameters } from '../../../sdk/protocol/media.ts';
import { mediaPorts } from '../nodes/ports.ts';
import { mediaCodecs } from '../../../media/router/codecs.ts';
import { LocalMediaCluster, type LocalMediaOptions } from '../../../media/cluster/LocalMediaCluster.ts';
import type { MediaCluster, MediaEvents } from '../../../media/MediaCluster.ts';
import type { NewPeer } from '../../../media/roomOperations.ts';
import { workerBinary } from '../../../media/worker/workerBinary.mjs';

/** A media cluster with real workers in this process. */
export const openLocal = (options: Partial<LocalMediaOptions> = {}) =>
  LocalMediaCluster.create({
    workers: 1,
    webRtcPorts: mediaPorts,
    listenIp: '127.0.0.1',
    announcedAddresses: [],
    networkMbit: 1_000,
    workerBin: workerBinary(),
    log: pino({ level: 'silent' }),
    pipeListen: { ip: '127.0.0.1', ports: mediaPorts },
    consumersPerWorker: 500,
    ...options,
  });

const recorded = [
  'consumer',
  'consumerClosed',
  'peerUpdated',
  'roomRestarted',
  'roomMoving',
  'eventsMissed',
  'speakers',
  'layersWanted',
  'quality',
  'arriving',
] as const;
export type RecordedEvents = { [Name in (typeof recorded)[number]]: MediaEvents[Name][] };

/** Records the cluster's events from now on. @returns the events of a room */
export function record(cluster: Pick<MediaCluster, 'on'>): (roomId: string) => RecordedEvents {
  const rooms = new Map<string, RecordedEvents>();
  const of = (roomId: string): RecordedEvents => {
    const empty = () => Object.fromEntries(recorded.map((name) => [name, []])) as unknown as RecordedEvents;
    const seen = rooms.get(roomId) ?? empty();
    rooms.set(roomId, seen);
    return seen;
  };
  for (const name of recorded)
    cluster.on(name, (payload) => void (of(payload.roomId)[name] as unknown[]).push(payload));
  return of;
}

/** A peer that can decode all codecs. */
export const newPeer = (peerId: string, participant = peerId, multiparty = false): NewPeer => ({
  peerId,
  identity: participant,
  multiparty,
  tag: { name: peerId },
  rtpCapabilities: ortc.generateRouterRtpCapabilities(mediaCodecs) as RtpCapabilities,
});

let ssrc = 1_000;

export const opus = (): RtpParameters => ({
  codecs: [{ mimeType: 'audio/opus', payloadType: 100, clockRate: 48_000, channels: 2 }],
  encodings: [{ ssrc: ssrc++ }],
  rtcp: { cname: 'test' },
});

/** Two layers with retransmission, as a browser sends them. */
export const vp8 = (): RtpParameters => ({
  codecs: [
    {
      mimeType: 'video/VP8',
      payloadType: 101,
      clockRate: 90_000,
      rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }],
    },
    { mimeType: 'video/rtx', payloadType: 102, clockRate: 90_000, parameters: { apt: 101 } },
  ],
  headerExtensions: [{ uri: 'urn:ietf:params:rtp-hdrext:sdes:mid', id: 1 }],
  encodings: [
    { ssrc: ssrc++, rtx: { ssrc: ssrc++ }, maxBitrate: 100_000 },
    { ssrc: ssrc++, rtx: { ssrc: ssrc++ }, maxBitrate: 500_000 },
  ],
  rtcp: { cname: 'test' },
});
