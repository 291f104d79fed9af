import { randomInt } from 'node:crypto';
import type { RtpParameters } from '../../../sdk/protocol/media.ts';
import { Arrivals } from './Arrivals.ts';
import { keyFramesAskedFor, senderReport } from './rtcp.ts';
import { extensionIds, isRtcp, nextPacket, vp8Payload, type RtpStream } from './rtp.ts';
import { RtpTransport, type ServerEnd } from '../../harness/clients/RtpTransport.ts';
import { payloadTypes, type BenchParticipant, type Transport } from './BenchParticipant.ts';
import { audioKbit, audioPacketMs, type LayerShape } from './shapes.ts';

const maxPacketBytes = 1_100;
const senderReportMs = 1_000;
const feedbackMs = 100;
/** Audio levels in dBov. */
const [speaking, silent] = [-30, -100];

type OnPacket = (packet: Buffer, isCurrent: boolean) => void;

interface Layer {
  stream: RtpStream;
  frameMs: number;
  bytesPerFrame: number;
  isFlat: boolean;
  dueAt: number;
  pictureId: number;
  wantsKey: boolean;
}

/**
 * A participant who sends Opus and layers of VP8 over real DTLS-SRTP at fixed rates, or only receives. It counts the packets that arrive,
 * and encodes and decodes nothing. Like a browser, it sends reports, feedback for the bandwidth estimate, and key frames on request.
 */
export class RtpPeer {
  /** What arrives on the current transport. */
  arrivals = new Arrivals();
  isSpeaking = false;
  /** The number of key-frame requests that this peer has received. */
  keyFrameRequests = 0;
  readonly #participant: BenchParticipant;
  readonly #onPacket: OnPacket;
  #sending: RtpTransport | null = null;
  /** Still gets what is sent, while the others move to the new transport. */
  #formerSending: RtpTransport | null = null;
  #receiving: RtpTransport | null = null;
  readonly #audio: RtpStream;
  /** The layers as declared to the server. */
  readonly #shapes: readonly LayerShape[];
  readonly #layers: Layer[];
  /** The index of the largest layer that is sent. */
  #top: number;
  readonly #reporterSsrc: number;
  /** The offset of this peer's sending times, so that peers do not all send in the same millisecond. */
  readonly #phaseMs: number;
  #audioDueAt = 0;
  #reportDueAt = 0;
  #feedbackDueAt = 0;
  #transportSequence = 0;
  #hasMicrophone = true;

  /**
   * Joins with a participant's connection and starts to produce.
   * @param phaseMs the offset of the peer's sending times, so that peers do not all send in the same millisecond
   * @param layers the layers of its video; empty for a viewer
   * @param onPacket called with every packet that arrives, and whether it arrived on the current transport
   * @param hasMicrophone whether it sends audio beside its video
   */
  static async enter(
    participant: BenchParticipant,
    phaseMs: number,
    layers: readonly LayerShape[],
    onPacket: OnPacket = () => undefined,
    hasMicrophone = true,
  ): Promise<RtpPeer> {
    const peer = new RtpPeer(participant, phaseMs, layers, onPacket);
    peer.#hasMicrophone = hasMicrophone;
    try {
      await peer.#open();
      return peer;
    } catch (error) {
      peer.close();
      throw error;
    }
  }

  /**
   * Joins again with new transports and produces again, after the server has moved the media. Call receive() and startAt() afterwards.
   * @param overlapMs how long the former transports stay open, and get what is sent
   */
  async reenter(overlapMs: number): Promise<void> {
    const [sending, receiving] = [this.#sending, this.#receiving];
    this.#formerSending = sending;
    const close = () => {
      sending?.close();
      receiving?.close();
      if (this.#formerSending === sending) this.#formerSending = null;
    };
    if (overlapMs > 0) setTimeout(close, overlapMs);
    else close();
    this.arrivals = new Arrivals();
    await this.#open();
  }

  async #open(): Promise<void> {
    const participant = this.#participant;
    const { sendTransport, recvTransport } = await participant.join();
    const { bindAddress } = participant;
    const arrivals = this.arrivals;
    const onPacket = (packet: Buffer) => {
      arrivals.take(packet);
      this.#onPacket(packet, arrivals === this.arrivals);
    };
    const open = async ({ id, ...end }: Transport, transport: RtpTransport) => {
      transport.answer((await participant.connect(id, transport)) ?? (end as ServerEnd));
      await transport.open();
    };
    const opening: Promise<void>[] = [];
    if (recvTransport) {
      this.#receiving = new RtpTransport(onPacket, bindAddress);
      opening.push(open(recvTransport, this.#receiving));
    }
    if (this.#layers.length > 0 && sendTransport) {
      this.#sending = new RtpTransport((packet) => this.#onReport(packet), bindAddress);
      opening.push(open(sendTransport, this.#sending));
    }
    await Promise.all(opening);
    if (this.#layers.length === 0) return;
    // In the order of a stream from OBS: see joinInSteps.ts.
    await participant.produce('video', this.#videoParameters);
    if (this.#hasMicrophone) await participant.produce('audio', this.#audioParameters);
  }

  private constructor(
    participant: BenchParticipant,
    phaseMs: number,
    layers: readonly LayerShape[],
    onPacket: OnPacket,
  ) {
    this.#participant = participant;
    this.#onPacket = onPacket;
    this.#phaseMs = phaseMs;
    const firstSsrc = randomInt(1_000, 2 ** 31);
    this.#reporterSsrc = firstSsrc + 100;
    this.#audio = newStream(firstSsrc, '0', payloadTypes.opus, 48_000);
    this.#shapes = layers;
    this.#top = layers.length - 1;
    this.#layers = layers.map(({ kbit, framesPerSecond, isFlat = false }, index) => ({
      stream: newStream(firstSsrc + 10 + index, '1', payloadTypes.vp8, 90_000),
      frameMs: 1_000 / framesPerSecond,
      bytesPerFrame: bytesPerFrame(kbit, 1_000 / framesPerSecond),
      isFlat,
      dueAt: 0,
      pictureId: 0,
      wantsKey: true,
    }));
  }

  /** The number of packets sent so far: of audio, and of the largest video layer that is sent. */
  get sent(): { audio: number; video: number } {
    return { audio: this.#audio.packets, video: this.#layers[this.#top]?.stream.packets ?? 0 };
  }

  get isSending(): boolean {
    return this.#sending !== null;
  }

  /** Stops sending the layers above this one. */
  sendUpTo(layer: number): void {
    this.#top = layer;
  }

  /** Sets the bitrate of the largest layer that is sent. */
  sendAt(kbit: number): void {
    const layer = this.#layers[this.#top];
    if (layer) layer.bytesPerFrame = bytesPerFrame(kbit, layer.frameMs);
  }

  receive(layer: number): Promise<void> {
    return this.#participant.receive(layer);
  }

  /** Starts or resumes sending at this time. Packets that were due during a pause are not sent. */
  startAt(now: number): void {
    const first = now + this.#phaseMs;
    this.#audioDueAt = first;
    for (const layer of this.#layers) layer.dueAt = first;
    this.#reportDueAt = first + audioPacketMs;
    this.#feedbackDueAt = first;
  }

  /** Sends all packets that are due. */
  tick(now: number): void {
    if (this.#sending) this.#sendDue(now, this.#sending);
    if (now < this.#feedbackDueAt) return;
    this.#feedbackDueAt = now + feedbackMs;
    for (const packet of this.arrivals.reports(now, this.#reporterSsrc)) this.#receiving?.send(packet);
  }

  close(): void {
    for (const transport of [this.#sending, this.#formerSending, this.#receiving]) transport?.close();
    this.#participant.close();
  }

  #sendDue(now: number, transport: RtpTransport): void {
    for (; this.#hasMicrophone && this.#audioDueAt <= now; this.#audioDueAt += audioPacketMs)
      this.#sendAudio(this.#audioDueAt);
    const sent = this.#layers.slice(0, this.#top + 1);
    for (const layer of sent) for (; layer.dueAt <= now; layer.dueAt += layer.frameMs) this.#sendFrame(layer);
    if (now < this.#reportDueAt) return;
    this.#reportDueAt = now + senderReportMs;
    const streams = sent.map((layer) => layer.stream);
    for (const stream of this.#hasMicrophone ? [this.#audio, ...streams] : streams)
      transport.send(senderReport(stream, timestampOf(stream, now)));
  }

  #sendAudio(at: number): void {
    const payload = Buffer.alloc((audioKbit * audioPacketMs) / 8, 0xa5);
    this.#send(this.#audio, { at, marker: false, audioLevel: this.isSpeaking ? speaking : silent, payload });
  }

  #sendFrame(layer: Layer): void {
    const { stream, bytesPerFrame, isFlat, dueAt: at, wantsKey: isKey } = layer;
    layer.wantsKey = false;
    const pictureId = layer.pictureId++;
    const packets = Math.ceil(bytesPerFrame / maxPacketBytes);
    for (let index = 0; index < packets; index++) {
      const bytes = Math.round(bytesPerFrame / packets);
      const payload = vp8Payload({ isKey, isFirst: index === 0, pictureId, bytes, isFlat });
      this.#send(stream, { at, marker: index === packets - 1, audioLevel: null, payload });
    }
  }

  #send(
    stream: RtpStream,
    { at, ...options }: { at: number; marker: boolean; audioLevel: number | null; payload: Buffer },
  ): void {
    const timestamp = timestampOf(stream, at);
    const transportSequence = this.#transportSequence++;
    const packet = nextPacket(stream, { ...options, timestamp, transportSequence });
    this.#sending?.send(packet);
    this.#formerSending?.send(packet);
  }

  #onReport(packet: Buffer): void {
    if (!isRtcp(packet)) return;
    const ssrcs = keyFramesAskedFor(packet);
    this.keyFrameRequests += ssrcs.length;
    for (const layer of this.#layers) if (ssrcs.includes(layer.stream.ssrc)) layer.wantsKey = true;
  }

  get #audioParameters(): RtpParameters {
    return {
      mid: '0',
      codecs: [
        {
          mimeType: 'audio/opus',
          payloadType: payloadTypes.opus,
          clockRate: 48_000,
          channels: 2,
          parameters: { useinbandfec: 1, usedtx: 1 },
          rtcpFeedback: [{ type: 'transport-cc' }],
        },
      ],
      headerExtensions: [
        ...extensions,
        { uri: 'urn:ietf:params:rtp-hdrext:ssrc-audio-level', id: extensionIds.audioLevel },
      ],
      encodings: [{ ssrc: this.#audio.ssrc }],
      rtcp: { cname: String(this.#audio.ssrc), reducedSize: true },
    };
  }

  /** Declares all layers, including those that are not sent. */
  get #videoParameters(): RtpParameters {
    const first = this.#layers[0]?.stream.ssrc ?? 0;
    return {
      mid: '1',
      codecs: [
        {
          mimeType: 'video/VP8',
          payloadType: payloadTypes.vp8,
          clockRate: 90_000,
          rtcpFeedback: [
            { type: 'transport-cc' },
            { type: 'ccm', parameter: 'fir' },
            { type: 'nack' },
            { type: 'nack', parameter: 'pli' },
          ],
        },
        {
          mimeType: 'video/rtx',
          payloadType: payloadTypes.rtx,
          clockRate: 90_000,
          parameters: { apt: payloadTypes.vp8 },
        },
      ],
      headerExtensions: extensions,
      encodings: this.#shapes.map(({ kbit }, index) => ({
        ssrc: first + index,
        rtx: { ssrc: first + 40 + index },
        maxBitrate: kbit * 1_000,
        scaleResolutionDownBy: 2 ** (this.#shapes.length - 1 - index),
      })),
      rtcp: { cname: String(this.#audio.ssrc), reducedSize: true },
    };
  }
}

const extensions = [
  { uri: 'urn:ietf:params:rtp-hdrext:sdes:mid', id: extensionIds.mid },
  { uri: 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time', id: extensionIds.absoluteSendTime },
  {
    uri: 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
    id: extensionIds.transportSequence,
  },
];

const newStream = (ssrc: number, mid: string, payloadType: number, clockRate: number): RtpStream => ({
  ssrc,
  mid,
  payloadType,
  clockRate,
  sequence: randomInt(2 ** 15),
  packets: 0,
  bytes: 0,
});

const bytesPerFrame = (kbit: number, frameMs: number) => (kbit * frameMs) / 8;

const timestampOf = ({ clockRate }: RtpStream, now: number) => Math.floor((now / 1_000) * clockRate);
