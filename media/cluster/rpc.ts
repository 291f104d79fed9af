import { z } from 'zod';
import {
  consumer,
  dtlsParameters,
  iceParameters,
  mediaId,
  rtpCapabilities,
  rtpParameters,
  source,
  transport,
  videoSize,
  view,
} from '../../sdk/protocol/media.ts';
import { routerEvent, routerRpc, payloadTypes, plainAddress, rtpPort, srtpKey } from './routerRpc.ts';

/*
 * MediaCluster over the network: requests from signalling nodes to media nodes, and the events of media nodes. Every request about a room
 * carries the owner's epoch, as last known to the sender.
 */

const id = z.string().min(1).max(64);
const room = { roomId: id, epoch: z.int().nonnegative() };
const peerOf = { ...room, peerId: id };
const tag = z.record(z.string(), z.unknown());
const nothing = z.object({});
/** A plain RTP peer. `nodeId` is the node it runs on; null for the node that owns the room. */
const plainPeer = { ...peerOf, tag, nodeId: id.nullable() };
const plainSource = z.enum(['camera', 'microphone']);
const ssrc = z.int().min(0).max(0xffffffff);

const peerInfo = z.object({ peerId: id, tag, sending: z.array(source) });
const consumerInfo = consumer.omit({ participant: true });
const offers = z.array(z.object({ from: peerInfo, consumer: consumerInfo }));
const surroundings = z.object({ peers: z.array(peerInfo), consumers: offers });
const resumed = surroundings.extend({
  sent: z.array(z.object({ source, isHalted: z.boolean(), layer: z.int().nullable() })).default([]),
});

export const mediaRpc = {
  openRoom: { request: z.strictObject(room), response: nothing },
  closeRoom: { request: z.strictObject(room), response: nothing },
  join: {
    request: z.strictObject({
      ...peerOf,
      identity: z.string().max(256),
      tag,
      rtpCapabilities,
      multiparty: z.boolean(),
      payloadTypes: payloadTypes.optional(),
      isViewer: z.boolean().optional(),
      maxIncomingBitrate: z.int().positive().optional(),
    }),
    response: surroundings.extend({
      sendTransport: transport.nullable(),
      recvTransport: transport,
      replaced: peerInfo.nullable(),
    }),
  },
  resume: { request: z.strictObject({ ...peerOf, identity: z.string().max(256), tag }), response: resumed },
  openIngest: {
    request: z.strictObject({
      ...plainPeer,
      identity: z.string().max(256),
      tracks: z.array(z.object({ source: plainSource, ssrc })).max(2),
      size: videoSize.optional(),
      srtpKeyBase64: srtpKey,
    }),
    response: z.object({
      replaced: peerInfo.nullable(),
      tracks: z.array(
        z.object({ source: plainSource, ssrc, payloadType: z.int().min(0).max(127), to: plainAddress }),
      ),
    }),
  },
  openEgress: {
    request: z.strictObject({
      ...plainPeer,
      of: z.string().max(256),
      shows: z.enum(['camera', 'screen']),
      ip: z.string().max(64),
      ports: z.object({ video: rtpPort, audio: rtpPort }),
    }),
    response: z.object({
      tracks: z.array(
        z.object({
          source,
          consumerId: mediaId,
          rtpParameters,
          from: plainAddress,
          size: videoSize,
        }),
      ),
    }),
  },
  requestKeyFrame: { request: z.strictObject(peerOf), response: nothing },
  countPackets: {
    request: z.strictObject(peerOf),
    response: z.array(z.object({ source, packets: z.int() })),
  },
  packaged: {
    request: z.strictObject(room),
    response: z.object({
      packageId: id,
      mediaSequence: z.int(),
      discontinuitySequence: z.int(),
      segments: z.array(
        z.object({
          name: z.string(),
          init: z.string(),
          seconds: z.number(),
          at: z.number(),
          isNew: z.boolean(),
        }),
      ),
      longestSeconds: z.int(),
      codecs: z.array(z.string()),
      size: videoSize.nullable(),
      bandwidth: z.number(),
    }),
  },
  packagedFile: {
    request: z.strictObject({ ...room, packageId: id, name: z.string().max(64) }),
    response: z.object({ bytes: z.custom<Uint8Array>((value) => value instanceof Uint8Array).nullable() }),
  },
  leave: { request: z.strictObject(peerOf), response: nothing },
  removeParticipant: {
    request: z.strictObject({ ...room, identity: z.string().max(256) }),
    response: nothing,
  },
  peers: { request: z.strictObject(room), response: z.array(peerInfo) },
  connectTransport: {
    request: z.strictObject({ ...peerOf, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  restartIce: { request: z.strictObject({ ...peerOf, transportId: mediaId }), response: iceParameters },
  produce: {
    request: z.strictObject({
      ...peerOf,
      source,
      rtpParameters,
      paused: z.boolean(),
      tellsArrival: z.boolean().optional(),
      size: videoSize.optional(),
      along: source.optional(),
    }),
    response: z.object({ producerId: mediaId }),
  },
  closeProducer: { request: z.strictObject({ ...peerOf, source }), response: nothing },
  setPaused: { request: z.strictObject({ ...peerOf, source, paused: z.boolean() }), response: z.boolean() },
  resumeConsumers: {
    request: z.strictObject({ ...peerOf, consumerIds: z.array(mediaId).max(1_000) }),
    response: nothing,
  },
  setViews: { request: z.strictObject({ ...peerOf, views: z.array(view).max(1_000) }), response: nothing },
  ...routerRpc,
} as const;

/** Events that a media node sends to the signalling nodes of the affected peers. */
export const mediaEvents = {
  consumer: z.object({ roomId: id, to: peerInfo, from: peerInfo, consumer: consumerInfo }),
  egressChanged: z.object({ roomId: id, to: peerInfo }),
  consumerClosed: z.object({ roomId: id, to: peerInfo, consumerId: mediaId }),
  peerUpdated: z.object({ roomId: id, peer: peerInfo }),
  disconnected: z.object({ roomId: id, peer: peerInfo }),
  roomRestarted: z.object({ roomId: id, lost: z.array(peerInfo) }),
  roomMoving: z.object({ roomId: id, peers: z.array(peerInfo) }),
  speakers: z.object({
    roomId: id,
    speakers: z.array(z.object({ peer: peerInfo, level: z.number() })),
  }),
  layersWanted: z.object({ roomId: id, to: peerInfo, source, layer: z.int() }),
  quality: z.object({
    roomId: id,
    peer: peerInfo,
    sending: z.number().nullable(),
    receiving: z.number().nullable(),
    isArriving: z.boolean(),
  }),
  /** The peer was removed or replaced through another signalling node, or has moved to one. */
  peerGone: z.object({ roomId: id, peerId: id }),
  /** The room has ended or has another owner. No more events follow. */
  roomClosed: z.object(room),
  ...routerEvent,
} as const;

export type RpcName = keyof typeof mediaRpc;
export type RpcRequest<Name extends RpcName> = z.output<(typeof mediaRpc)[Name]['request']>;
export type RpcResponse<Name extends RpcName> = z.output<(typeof mediaRpc)[Name]['response']>;
export type NodeEventName = keyof typeof mediaEvents;
export type NodeEvent = { [Name in NodeEventName]: z.output<(typeof mediaEvents)[Name]> };
export type EmitNodeEvent = <Name extends NodeEventName>(name: Name, payload: NodeEvent[Name]) => void;
