import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  audio,
  audioHeader,
  keyFrame,
  video,
  videoHeader,
  type AvPacket,
} from '../../../platform/internals/nodeMediaServer/flv.ts';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { NewIngest, ReturningPeer } from '../../../media/roomOperations.ts';
import { newSrtpKey, type PlainSource } from '../../../media/plainRtp.ts';
import { isSuperseded } from '../../../media/room/Revisions.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { VideoSize } from '../../../sdk/protocol/media.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import { Ffmpeg } from '../Ffmpeg.ts';
import type { FfmpegSlots } from '../FfmpegSlots.ts';
import type { ByteBudget } from './ByteBudget.ts';
import { ingestArgs } from './ingestArgs.ts';
import { RecentTags } from './RecentTags.ts';
import type { RtmpConnection } from './RtmpConnection.ts';
import { VideoForm } from './VideoForm.ts';

export interface PublisherDeps {
  gateway: StreamGateway;
  cluster: MediaCluster;
  slots: FfmpegSlots;
  /** The memory for the tags since each publisher's last key frame, shared by all publishers. */
  recent: ByteBudget;
  ffmpeg: string;
  log: Logger;
}

/** The number of frames to inspect, usually enough to detect B-frames. */
const inspectedFrames = 12;
/** The inspection ends after this time, even if few or no frames have arrived. */
const inspectMs = 1_500;
const retryDelaysMs = [100, 500, 2_000, 5_000];
/**
 * The publisher is refused after this many failures in a row without any output. The cause is then a missing ffmpeg, or media it cannot
 * read.
 */
const maxFailures = 5;
/** An ffmpeg without output for this time is restarted, unless it has had no input either for half of it. */
const stuckMs = 10_000;
/** The maximum number of bytes that may wait for ffmpeg. Above this, the publisher has to wait. */
const maxWaitingBytes = 4 * 1024 * 1024;
const h264 = 7;
const coded = 1;
/** The bytes before the decoder configuration, in messages that contain one. */
const [videoHeadBytes, audioHeadBytes] = [5, 2];
const replacedMessage = 'Another publisher has taken over, or the stream has ended.';

/**
 * One publisher on the RTMP port, admitted by its key. Its media is inspected first; then the publisher claims the stream. While it is
 * connected, ffmpeg sends its media to the room: one process at a time, replaced when it ends.
 */
export class RtmpPublisher {
  readonly id = newId('par');
  readonly streamId: string;
  readonly #key: string;
  readonly #host: string;
  readonly #connection: RtmpConnection;
  readonly #deps: PublisherDeps;
  readonly #log: Logger;
  readonly #form = new VideoForm();
  readonly #recent: RecentTags;
  #state: 'looking' | 'claiming' | 'running' | 'over' = 'looking';
  #ffmpeg: Ffmpeg | null = null;
  /** The settings of the running ffmpeg. */
  #running = { transcode: false, sound: false, picture: false, size: undefined as VideoSize | undefined };
  #releaseSlot: (() => void) | null = null;
  #releaseEncoder: (() => void) | null = null;
  #inspectTimer: NodeJS.Timeout | null = null;
  #hasFlowed = false;
  /** When ffmpeg was last given input, by performance.now(). */
  #fedAt = 0;
  /** The peer in the room, once the stream is claimed. */
  #peer: ReturningPeer | null = null;
  #ending: Promise<void> | null = null;

  /** @param stream the stream, its key and the wallet it belongs to */
  constructor(
    { streamId, key, host }: { streamId: string; key: string; host: string },
    connection: RtmpConnection,
    deps: PublisherDeps,
  ) {
    this.streamId = streamId;
    this.#key = key;
    this.#host = host;
    this.#connection = connection;
    this.#deps = deps;
    this.#recent = new RecentTags(deps.recent);
    this.#log = deps.log.child({ streamId, publisherId: this.id });
  }

  /** Whether the publisher is admitted but has not claimed the stream yet. */
  get isArriving(): boolean {
    return this.#state === 'looking' || this.#state === 'claiming';
  }

  get hasEnded(): boolean {
    return this.#isOver;
  }

  onPacket(packet: AvPacket): void {
    if (this.#state === 'over' || isEmptyHeader(packet)) return;
    // Data such as the encoder's settings may come seconds before a camera is ready.
    if (packet.codec_type === video || packet.codec_type === audio)
      this.#inspectTimer ??= setTimeout(() => void this.#begin(), inspectMs);
    if (packet.codec_type === video && !this.#inspect(packet)) return;
    const tag = this.#recent.add(packet);
    if (this.#state === 'looking' && this.#form.frames >= inspectedFrames) void this.#begin();
    if (this.#state === 'running') this.#feed(tag);
  }

  /** Called when its media in the room is lost or about to be lost. Restarts ffmpeg, so that the media enters the room again. */
  onMediaLost(): void {
    this.#ffmpeg?.kill();
  }

  /** Refuses this publisher, because another one with the same key has connected before this one claimed the stream. */
  replace(): void {
    this.#refuse('A newer publisher with this stream key has connected.');
  }

  /** Ends the publisher. Idempotent. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  /** @returns false if the codec is not supported */
  #inspect({ codec_id: codec, flags, data, size, dts, pts }: AvPacket): boolean {
    if (codec !== h264) {
      this.#refuse('This server accepts only H264 video. Choose an H264 encoder.');
      return false;
    }
    if (flags === videoHeader) this.#form.begin(data.subarray(videoHeadBytes, size));
    else if (data[1] === coded) {
      // The composition time: a signed number of three bytes.
      const shownAfter = ((pts - dts) << 8) >> 8;
      this.#form.inspect({ dts, shownAfter, isKey: flags === keyFrame });
    }
    return true;
  }

  #feed(tag: Buffer): void {
    const ffmpeg = this.#ffmpeg;
    if (!ffmpeg?.isRunning) return;
    const { transcode, sound, picture, size } = this.#running;
    const { hasAudio, hasVideo } = this.#recent;
    const isNew = (hasAudio && !sound) || (hasVideo && !picture);
    // ffmpeg would keep the shape in which it began, and so would HLS and recordings.
    const hasTurned = !isDeepStrictEqual(this.#form.size, size);
    if ((this.#form.reason !== null && !transcode) || isNew || hasTurned) {
      const reason = isNew ? 'another track' : hasTurned ? 'another size' : this.#form.reason;
      this.#log.info({ reason }, 'RTMP media has changed; ffmpeg is restarted');
      ffmpeg.kill();
      return;
    }
    ffmpeg.input.write(tag);
    this.#fedAt = performance.now();
    // Many tags may come in one read. One listener is enough for them.
    if (ffmpeg.input.writableLength <= maxWaitingBytes || ffmpeg.input.listenerCount('drain') > 0) return;
    this.#connection.pause();
    ffmpeg.input.once('drain', () => this.#connection.resume());
  }

  async #begin(): Promise<void> {
    if (this.#state !== 'looking') return;
    this.#state = 'claiming';
    if (this.#inspectTimer) clearTimeout(this.#inspectTimer);
    // Taken before the claim, so that a publisher without slots does not replace another one.
    if (!this.#takeSlot() || !this.#takeEncoder()) return;
    const { gateway } = this.#deps;
    try {
      this.#peer = await gateway.claim(this.streamId, {
        publisherId: this.id,
        key: this.#key,
        via: 'rtmp',
        onReplaced: () => this.#refuse(replacedMessage),
      });
    } catch (error) {
      return this.#refuse(messageOf(error));
    }
    if (this.#isOver) return void gateway.lost(this.streamId, this.id).catch(this.#warn);
    this.#state = 'running';
    await this.#run();
  }

  /** Runs one ffmpeg after another. */
  async #run(): Promise<void> {
    for (let failures = 0; !this.#isOver;) {
      if (!this.#takeEncoder()) return;
      const startedAt = performance.now();
      try {
        await this.#runOnce();
      } catch (err) {
        // The room may know of another publisher before this node does.
        if (isSuperseded(err)) return this.#refuse(replacedMessage);
        this.#log.warn({ err }, 'RTMP ingest failed');
      }
      // After a longer run the next one starts immediately.
      failures = performance.now() - startedAt > stuckMs ? 0 : failures + 1;
      if (failures >= maxFailures && !this.#hasFlowed)
        return this.#refuse(
          'This server cannot decode your stream. Send H264 video and AAC audio. If you do, ask the operator to check ffmpeg.',
        );
      if (!this.#isOver) await delay(retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 0);
    }
  }

  async #runOnce(): Promise<void> {
    const { ffmpeg: bin } = this.#deps;
    const { size } = this.#form;
    const ingest = await this.#openIngest();
    // The end may have left the room before this peer entered it.
    if (this.#isOver) return this.#leave();
    const transcode = this.#form.reason !== null;
    const has = (wanted: PlainSource) => ingest.tracks.some(({ source }) => source === wanted);
    this.#running = { transcode, sound: has('microphone'), picture: has('camera'), size };
    const look = () => {
      // While the publisher sends nothing, a new ffmpeg would only send again what viewers have seen.
      if (performance.now() - this.#fedAt < stuckMs / 2) this.#ffmpeg?.kill();
      else stuck.refresh();
    };
    const stuck = setTimeout(look, stuckMs);
    const ffmpeg = new Ffmpeg({
      bin,
      ...ingestArgs(ingest, { transcode }),
      onExit: (output) => !this.#isOver && this.#log.warn({ output }, 'RTMP ffmpeg ended'),
      onProgress: () => {
        stuck.refresh();
        this.#hasFlowed = true;
      },
    });
    this.#ffmpeg = ffmpeg;
    this.#log.info({ transcode: this.#form.reason, ffmpeg: ffmpeg.pid }, 'RTMP ingest started');
    for (const tag of this.#recent.replay()) ffmpeg.input.write(tag);
    await ffmpeg.exited;
    clearTimeout(stuck);
    this.#ffmpeg = null;
    this.#connection.resume();
  }

  async #openIngest() {
    const { cluster } = this.#deps;
    // ffmpeg accepts no larger SSRCs.
    const ssrc = () => randomInt(1, 0x7fffffff);
    if (!this.#peer) throw new Error('the stream is not claimed yet');
    const { peerId, identity, revision, tag } = this.#peer;
    const ingest: NewIngest = {
      peerId,
      identity,
      revision,
      tag,
      size: this.#form.size,
      srtpKeyBase64: newSrtpKey(),
      tracks: [
        ...(this.#recent.hasVideo ? [{ source: 'camera' as const, ssrc: ssrc() }] : []),
        ...(this.#recent.hasAudio ? [{ source: 'microphone' as const, ssrc: ssrc() }] : []),
      ],
    };
    if (ingest.tracks.length === 0) throw new Error('neither audio nor video has arrived yet');
    try {
      return await cluster.room(this.streamId).openIngest(ingest);
    } catch (error) {
      if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
      await cluster.openRoom(this.streamId);
      return cluster.room(this.streamId).openIngest(ingest);
    }
  }

  /** Takes an ffmpeg slot. A publisher that replaces another one of the same stream shares its slot. */
  #takeSlot(): boolean {
    this.#releaseSlot = this.#deps.slots.processes.take(this.#host, `RTMP ${this.streamId}`);
    if (this.#releaseSlot) return true;
    this.#refuse(
      'This server has no capacity for another stream, in total or for your wallet. End a stream, or try again later.',
    );
    return false;
  }

  /** Takes an encoder slot if the video must be encoded. */
  #takeEncoder(): boolean {
    if (this.#form.reason === null || this.#releaseEncoder) return true;
    this.#releaseEncoder = this.#deps.slots.encoders.take(this.#host, `RTMP ${this.streamId}`);
    if (this.#releaseEncoder) return true;
    this.#refuse(
      `This server has no capacity to convert your video now (${this.#form.reason}). Send H264 without B-frames, with a key frame every 1 to 2 s.`,
    );
    return false;
  }

  #refuse(reason: string): void {
    if (this.#isOver) return;
    this.#log.info({ reason }, 'RTMP publisher refused');
    this.#connection.refuse(reason);
    void this.end();
  }

  async #end(): Promise<void> {
    this.#state = 'over';
    const { gateway } = this.#deps;
    if (this.#inspectTimer) clearTimeout(this.#inspectTimer);
    this.#recent.close();
    await this.#ffmpeg?.stop();
    this.#releaseEncoder?.();
    this.#releaseSlot?.();
    if (!this.#peer) return;
    await gateway.lost(this.streamId, this.id).catch(this.#warn);
    await this.#leave();
    this.#log.info('RTMP publisher ended');
  }

  async #leave(): Promise<void> {
    await this.#deps.cluster.room(this.streamId).leave({ peerId: this.id }).catch(this.#warn);
  }

  /** A getter, because the state changes during awaits and TypeScript would narrow it. */
  get #isOver(): boolean {
    return this.#state === 'over';
  }

  readonly #warn = (err: unknown): void =>
    this.#log.warn({ err }, 'reporting an RTMP publisher to its stream failed');
}

/** Some cameras send empty codec headers before the real ones. */
function isEmptyHeader({ codec_type: type, flags, size }: AvPacket): boolean {
  if (type === video) return flags === videoHeader && size <= videoHeadBytes;
  return type === audio && flags === audioHeader && size <= audioHeadBytes;
}

function messageOf(error: unknown): string {
  return error instanceof ParleyError ? error.message : 'The server failed. Try again.';
}
