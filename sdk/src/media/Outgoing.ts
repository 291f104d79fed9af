import type { AppData, Producer, Transport } from 'mediasoup-client/types';
import type { Scope, Source } from '../../protocol/media.ts';
import type { EventOf } from '../../protocol/wire.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { MediaDevice } from './device.ts';
import { encodingOf } from './encodings.ts';
import { isScreen } from './Incoming.ts';
import type { LocalTrack } from './LocalTrack.ts';
import type { Quality } from './qualities.ts';
import type { Producing } from './transports.ts';
import type { VideoCodec } from '../types.ts';

/** One source that this device sends. The producer is null until the server has created its own. */
export interface OutgoingSource {
  source: Source;
  local: LocalTrack;
  codec: VideoCodec;
  paused: boolean;
  producer: Producer | null;
}

interface OutgoingOptions {
  device: MediaDevice;
  scope: Scope;
  /** The quality of the camera, in a stream. */
  quality?: Quality | undefined;
}

/** The tracks this device sends to one room, and their producers. */
export class Outgoing {
  /** Camera and microphone. */
  readonly localStream = new MediaStream();
  /** The shared screen and its audio. */
  readonly localScreen = new MediaStream();
  readonly #options: OutgoingOptions;
  readonly #sources = new Map<Source, OutgoingSource>();
  /** Sources the user has switched off, published or not. */
  readonly #off = new Set<Source>();
  /** How often the producers were forgotten. */
  #drops = 0;
  #closed = false;

  constructor(options: OutgoingOptions) {
    this.#options = options;
  }

  get all(): OutgoingSource[] {
    return [...this.#sources.values()];
  }

  get(source: Source): OutgoingSource | undefined {
    return this.#sources.get(source);
  }

  /** Whether this source is being sent: false when it is paused or was never published. */
  isSending(source: Source): boolean {
    return this.#sources.get(source)?.paused === false;
  }

  /** Adds a source. @returns null if the room was left, or the camera was switched off, while the device was being opened */
  add(source: Source, local: LocalTrack, codec: VideoCodec): OutgoingSource | null {
    const paused = this.#off.has(source);
    if (this.#closed || (paused && opensAgain(source, local))) {
      local.stop();
      return null;
    }
    local.isEnabled = !paused;
    const outgoing: OutgoingSource = { source, local, codec, paused, producer: null };
    this.#sources.set(source, outgoing);
    this.#localOf(source).addTrack(local.track);
    return outgoing;
  }

  /** Replaces the track of a source, without renegotiation. A captured track switches a camera on. */
  async replace(outgoing: OutgoingSource, local: LocalTrack): Promise<void> {
    const { source, producer, local: former } = outgoing;
    const isOff = this.#off.has(source);
    // The room was left, the source removed or the camera switched off while the device was being opened.
    if (this.#sources.get(source) !== outgoing || (isOff && opensAgain(source, local))) return local.stop();
    const stream = this.#localOf(source);
    stream.removeTrack(former.track);
    if (former.input !== local.input) former.stop();
    else if (former.track !== local.track) former.stopOutput();
    outgoing.local = local;
    local.isEnabled = !isOff;
    stream.addTrack(local.track);
    const replaced = producer?.replaceTrack({ track: local.track });
    if (!isOff) this.unpause(source);
    await replaced;
  }

  /**
   * Sends the track of another device. If only one device can be open at a time, the old one is closed first.
   * @param reopen opens the old device again if it was closed in vain
   */
  async switchDevice(
    source: Source,
    open: () => Promise<LocalTrack>,
    reopen?: () => Promise<LocalTrack>,
  ): Promise<void> {
    const outgoing = this.#sources.get(source);
    if (!outgoing) return;
    const send = async (local: LocalTrack) => {
      // Switching a camera on opens it. A track of the app that was published meanwhile stays.
      if ((outgoing.paused && source === 'camera') || outgoing.local.isOwn) local.stop();
      else await this.replace(outgoing, local);
    };
    const local = await open().catch((error: unknown) => {
      if (!(error instanceof ParleyError && error.code === 'CONFLICT') || outgoing.local.isOwn) throw error;
      outgoing.local.stop();
      return open().catch(async (failure: unknown) => {
        // The app needs the original error.
        await reopen?.()
          .then(send)
          .catch(() => undefined);
        throw failure;
      });
    });
    await send(local);
  }

  remove(outgoing: OutgoingSource): void {
    const { source, local } = outgoing;
    if (this.#sources.get(source) === outgoing) this.#sources.delete(source);
    this.#localOf(source).removeTrack(local.track);
    local.stop();
  }

  /** Stops sending a source immediately. A captured camera is switched off. */
  pause(source: Source): void {
    this.#off.add(source);
    const outgoing = this.#sources.get(source);
    if (!outgoing) return;
    outgoing.paused = true;
    outgoing.producer?.pause();
    if (opensAgain(source, outgoing.local)) outgoing.local.stop();
    else outgoing.local.isEnabled = false;
  }

  /** Called before a camera is opened. Only a pause() after this keeps the camera off. */
  beginOpening(source: Source): void {
    this.#off.delete(source);
  }

  unpause(source: Source): void {
    this.#off.delete(source);
    const outgoing = this.#sources.get(source);
    if (!outgoing) return;
    outgoing.paused = false;
    outgoing.local.isEnabled = true;
    outgoing.producer?.resume();
  }

  /** Creates the producer of a source. */
  async produce(outgoing: OutgoingSource, transport: Transport): Promise<void> {
    const { source, local, paused } = outgoing;
    const { track } = local;
    if (this.#sources.get(source) !== outgoing) return;
    if (local.isEnded) {
      // A camera that is off has no track to send. Switching it on publishes a new one.
      this.remove(outgoing);
      return;
    }
    const { device, scope, quality } = this.#options;
    const { width, height } = local.getSettings();
    const producing: Producing = { source, paused, size: width && height ? { width, height } : undefined };
    const drops = this.#drops;
    // `stopTracks` is false because the tracks are used again after the transport has closed.
    const producer = await transport.produce({
      track,
      appData: producing as unknown as AppData,
      stopTracks: false,
      ...encodingOf({ ...outgoing, track: local, scope, quality }, await device.prepared()),
    });
    await producing.request?.catch((error: unknown) => {
      producer.close();
      throw error;
    });
    // Another session sends the source now.
    if (drops !== this.#drops) return;
    outgoing.producer = producer;
    // In the meantime, another device was opened or the source was paused.
    if (outgoing.local !== local) await producer.replaceTrack({ track: outgoing.local.track });
    if (outgoing.paused) producer.pause();
  }

  /** Stops sending the layers of a video that no subscriber needs. */
  async limitLayers({ source, layer }: Pick<EventOf<'media:layers'>, 'source' | 'layer'>): Promise<void> {
    const producer = this.#sources.get(source)?.producer;
    if (!producer || producer.closed) return;
    // A single encoding is either sent completely or not at all, even if it contains several layers.
    const highest = Math.max(0, (producer.rtpParameters.encodings?.length ?? 1) - 1);
    await producer.setMaxSpatialLayer(Math.min(layer, highest));
  }

  /** Forgets the producers. Called when the transport has been closed, and with it all producers. */
  dropProducers(): void {
    this.#drops++;
    for (const outgoing of this.#sources.values()) outgoing.producer = null;
  }

  /** Goes on in a conference, with a video codec that it accepts. */
  continueIn(conference: { codec: VideoCodec }): void {
    this.#options.scope = 'conference';
    for (const outgoing of this.all) if (outgoing.codec === 'vp9') outgoing.codec = conference.codec;
  }

  /** Stops and forgets sources. */
  drop(sources: Source[]): void {
    for (const outgoing of this.all) if (sources.includes(outgoing.source)) this.remove(outgoing);
  }

  /** Stops the capture of all tracks. */
  close(): void {
    this.#closed = true;
    for (const { local } of this.#sources.values()) local.stop();
    this.#sources.clear();
  }

  #localOf(source: Source): MediaStream {
    return isScreen(source) ? this.localScreen : this.localStream;
  }
}

export const isProduced = ({ producer }: OutgoingSource): boolean => producer !== null && !producer.closed;

/** Whether switching a source off stops its track, because switching it on opens the device again. */
const opensAgain = (source: Source, local: LocalTrack): boolean => source === 'camera' && !local.isOwn;
