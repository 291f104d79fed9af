import wrtc from '@roamhq/wrtc';
import { BotMedia } from '../harness/clients/BotMedia.ts';

/* oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-member-access -- the parameters of react-native-webrtc's native module are objects without types */

interface Connection {
  pc: RTCPeerConnection;
  /** The transceivers, by the id that react-native-webrtc knows them by. */
  transceivers: Map<string, RTCRtpTransceiver>;
}

type Emit = (name: string, payload: object) => void;

const plain = (description: RTCSessionDescriptionInit | null) =>
  description ? { type: description.type, sdp: description.sdp } : { type: '', sdp: '' };

/**
 * The native module of react-native-webrtc over libwebrtc for Node: what its Java and Objective-C code does on a phone. Its JavaScript
 * part runs in Hermes unchanged.
 */
export class WebRtcModule {
  readonly #emit: Emit;
  readonly #media = new BotMedia();
  readonly #connections = new Map<number, Connection>();
  readonly #tracks = new Map<string, MediaStreamTrack>();
  /** The tracks of each stream, which is what an RTCView with its URL shows. */
  readonly streams = new Map<string, Set<string>>();
  #created = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  close(): void {
    for (const { pc } of this.#connections.values()) pc.close();
    this.#media.close();
  }

  /** The number of peer connections that are open. */
  get open(): number {
    return [...this.#connections.values()].filter(({ pc }) => pc.connectionState !== 'closed').length;
  }

  /** The state of the peer connections that have one. */
  get states(): string[] {
    return [...this.#connections.values()].map(({ pc }) => pc.connectionState);
  }

  create(pcId: number, configuration: RTCConfiguration): void {
    const pc = new wrtc.RTCPeerConnection({ ...configuration, iceServers: [] });
    this.#connections.set(pcId, { pc, transceivers: new Map() });
    const on = (type: string, name: string, payload: () => object) =>
      pc.addEventListener(type, () => this.#emit(name, { pcId, ...payload() }));
    on('connectionstatechange', 'peerConnectionStateChanged', () => ({
      connectionState: pc.connectionState,
    }));
    on('iceconnectionstatechange', 'peerConnectionIceConnectionChanged', () => ({
      iceConnectionState: pc.iceConnectionState,
    }));
    on('signalingstatechange', 'peerConnectionSignalingStateChanged', () => ({
      signalingState: pc.signalingState,
    }));
    on('icegatheringstatechange', 'peerConnectionIceGatheringChanged', () => ({
      iceGatheringState: pc.iceGatheringState,
      sdp: plain(pc.localDescription),
    }));
    on('negotiationneeded', 'peerConnectionOnRenegotiationNeeded', () => ({}));
    pc.addEventListener('icecandidate', ({ candidate }) => {
      if (candidate)
        this.#emit('peerConnectionGotICECandidate', {
          pcId,
          candidate: candidate.toJSON(),
          sdp: plain(pc.localDescription),
        });
    });
  }

  addTransceiver(pcId: number, id: string, receiving: string, { type, trackId, init }: any): void {
    const { pc, transceivers } = this.#of(pcId);
    const { direction, sendEncodings } = init;
    const transceiver = pc.addTransceiver(trackId ? this.#track(trackId) : type, {
      direction,
      ...(sendEncodings && { sendEncodings }),
    });
    transceivers.set(id, transceiver);
    this.#tracks.set(receiving, transceiver.receiver.track);
  }

  async peerConnectionCreateOffer(pcId: number, options: any): Promise<object> {
    const { pc } = this.#of(pcId);
    const sdpInfo = plain(await pc.createOffer(options));
    return { sdpInfo, newTransceivers: [], transceiversInfo: this.#states(pcId) };
  }

  async peerConnectionCreateAnswer(pcId: number): Promise<object> {
    const sdpInfo = plain(await this.#of(pcId).pc.createAnswer());
    return { sdpInfo, transceiversInfo: this.#states(pcId) };
  }

  async peerConnectionSetLocalDescription(pcId: number, description: any): Promise<object> {
    const { pc } = this.#of(pcId);
    await pc.setLocalDescription(description ?? undefined);
    return { sdpInfo: plain(pc.localDescription), transceiversInfo: this.#states(pcId) };
  }

  async peerConnectionSetRemoteDescription(pcId: number, description: any): Promise<object> {
    const { pc, transceivers } = this.#of(pcId);
    const arrived: RTCTrackEvent[] = [];
    const note = (event: RTCTrackEvent) => arrived.push(event);
    pc.addEventListener('track', note);
    await pc.setRemoteDescription(description);
    pc.removeEventListener('track', note);
    const known = new Set(transceivers.values());
    const added = pc.getTransceivers().filter((transceiver) => !known.has(transceiver));
    const newTransceivers = added.map((transceiver) => this.#adopt(pcId, transceiver));
    for (const { transceiver, streams } of arrived)
      this.#emit('peerConnectionOnTrack', {
        pcId,
        streams: streams.map(({ id }) => ({ streamId: id, streamReactTag: id, tracks: [] })),
        receiver: { id: this.#receiverId(pcId, transceiver) },
        transceiver: {
          mid: transceiver.mid,
          direction: transceiver.direction,
          currentDirection: transceiver.currentDirection,
        },
      });
    return { sdpInfo: plain(pc.remoteDescription), newTransceivers, transceiversInfo: this.#states(pcId) };
  }

  async peerConnectionAddICECandidate(pcId: number, candidate: any): Promise<object> {
    const { pc } = this.#of(pcId);
    await pc.addIceCandidate(candidate);
    return plain(pc.remoteDescription);
  }

  peerConnectionSetConfiguration(configuration: any, pcId: number): void {
    this.#of(pcId).pc.setConfiguration(configuration);
  }

  peerConnectionRestartIce(pcId: number): void {
    this.#of(pcId).pc.restartIce();
  }

  peerConnectionClose(pcId: number): void {
    this.#of(pcId).pc.close();
    this.#emit('peerConnectionStateChanged', { pcId, connectionState: 'closed' });
    this.#emit('peerConnectionSignalingStateChanged', { pcId, signalingState: 'closed' });
  }

  peerConnectionDispose(pcId: number): void {
    this.#connections.delete(pcId);
  }

  async peerConnectionGetStats(pcId: number): Promise<string> {
    return entries(await this.#of(pcId).pc.getStats());
  }

  async senderGetStats(pcId: number, id: string): Promise<string> {
    return entries(await this.#transceiver(pcId, id).sender.getStats());
  }

  async receiverGetStats(pcId: number, receiving: string): Promise<string> {
    return entries(
      await this.#transceiver(pcId, receiving.replace(/^(audio|video)-/, '')).receiver.getStats(),
    );
  }

  async senderReplaceTrack(pcId: number, id: string, trackId: string | null): Promise<void> {
    await this.#transceiver(pcId, id).sender.replaceTrack(trackId ? this.#track(trackId) : null);
  }

  async senderSetParameters(pcId: number, id: string, wanted: any): Promise<object> {
    const { sender } = this.#transceiver(pcId, id);
    const parameters = sender.getParameters();
    parameters.encodings.forEach((encoding, index) => {
      const { active, maxBitrate, maxFramerate, scaleResolutionDownBy } = wanted.encodings[index] ?? {};
      Object.assign(encoding, { active }, maxBitrate && { maxBitrate }, maxFramerate && { maxFramerate });
      if (scaleResolutionDownBy) encoding.scaleResolutionDownBy = scaleResolutionDownBy;
    });
    await sender.setParameters(parameters);
    return parametersOf(sender);
  }

  transceiverSetDirection(pcId: number, id: string, direction: RTCRtpTransceiverDirection): void {
    this.#transceiver(pcId, id).direction = direction;
  }

  transceiverStop(pcId: number, id: string): void {
    this.#transceiver(pcId, id).stop();
  }

  async getUserMedia(constraints: MediaStreamConstraints): Promise<unknown[]> {
    const stream = await this.#media.getUserMedia(constraints);
    const tracks = stream.getTracks().map((track) => {
      const id = `${track.kind}-local-${++this.#created}`;
      this.#tracks.set(id, track);
      return {
        id,
        kind: track.kind,
        remote: false,
        readyState: 'live',
        enabled: true,
        settings: {},
        peerConnectionId: -1,
      };
    });
    this.streams.set(stream.id, new Set(tracks.map(({ id }) => id)));
    return [stream.id, tracks];
  }

  enumerateDevices(): unknown[] {
    const device = (kind: string) => ({ deviceId: kind, label: kind, kind, groupId: '' });
    return [[device('audioinput'), device('videoinput')]];
  }

  requestPermission = (): boolean => true;
  checkPermission = (): string => 'granted';

  mediaStreamCreate(stream: string): void {
    this.streams.set(stream, new Set());
  }

  mediaStreamAddTrack(stream: string, _pcId: number, track: string): void {
    this.streams.get(stream)?.add(track);
  }

  mediaStreamRemoveTrack(stream: string, _pcId: number, track: string): void {
    this.streams.get(stream)?.delete(track);
  }

  mediaStreamRelease(stream: string): void {
    this.streams.delete(stream);
  }

  mediaStreamTrackRelease(track: string): void {
    this.#tracks.get(track)?.stop();
    this.#tracks.delete(track);
  }

  mediaStreamTrackSetEnabled(_pcId: number, track: string, enabled: boolean): void {
    this.#track(track).enabled = enabled;
  }

  #of(pcId: number): Connection {
    const connection = this.#connections.get(pcId);
    if (!connection) throw new Error(`There is no peer connection ${pcId}.`);
    return connection;
  }

  #track(id: string): MediaStreamTrack {
    const track = this.#tracks.get(id);
    if (!track) throw new Error(`There is no track ${id}.`);
    return track;
  }

  #transceiver(pcId: number, id: string): RTCRtpTransceiver {
    const transceiver = this.#of(pcId).transceivers.get(id);
    if (!transceiver) throw new Error(`There is no transceiver ${id}.`);
    return transceiver;
  }

  #receiverId(pcId: number, wanted: RTCRtpTransceiver): string {
    for (const [id, transceiver] of this.#of(pcId).transceivers)
      if (transceiver === wanted) return `${transceiver.receiver.track.kind}-${id}`;
    throw new Error('This transceiver is not known.');
  }

  /** Describes a transceiver that a remote offer has made. */
  #adopt(pcId: number, transceiver: RTCRtpTransceiver): object {
    const order = 1_000_000 + ++this.#created;
    const id = `${pcId}/${order}`;
    const { track } = transceiver.receiver;
    const receiving = `${track.kind}-${id}`;
    this.#of(pcId).transceivers.set(id, transceiver);
    this.#tracks.set(receiving, track);
    const remote = { kind: track.kind, remote: true, readyState: 'live', enabled: true, constraints: {} };
    return {
      transceiverOrder: order,
      transceiver: {
        id,
        peerConnectionId: pcId,
        isStopped: false,
        direction: transceiver.direction,
        currentDirection: transceiver.currentDirection,
        mid: transceiver.mid,
        sender: { id, peerConnectionId: pcId, rtpParameters: parametersOf(transceiver.sender) },
        receiver: {
          id: receiving,
          peerConnectionId: pcId,
          rtpParameters: { codecs: [], headerExtensions: [], rtcp: { cname: '', reducedSize: false } },
          track: { ...remote, id: receiving, settings: {}, peerConnectionId: pcId },
        },
      },
    };
  }

  #states(pcId: number): object[] {
    return [...this.#of(pcId).transceivers].map(([id, transceiver]) => ({
      transceiverId: id,
      mid: transceiver.mid,
      isStopped: transceiver.direction === 'stopped',
      currentDirection: transceiver.currentDirection,
      senderRtpParameters: parametersOf(transceiver.sender),
      receiverRtpParameters: {
        codecs: [],
        headerExtensions: [],
        rtcp: { cname: '', reducedSize: false },
      },
    }));
  }
}

const entries = (report: RTCStatsReport): string => JSON.stringify([...report.entries()]);

function parametersOf(sender: RTCRtpSender): object {
  const { transactionId, codecs, encodings } = sender.getParameters();
  return {
    transactionId,
    codecs,
    encodings,
    headerExtensions: [],
    rtcp: { cname: '', reducedSize: false },
  };
}
