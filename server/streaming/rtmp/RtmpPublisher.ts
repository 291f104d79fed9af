import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';
import type { Logger } from 'pino';
import type { MediaCluster, NewIngest, ReturningPeer } from '../../../media/MediaCluster.ts';
import { newSrtpKey } from '../../../media/plainRtp.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { StreamGateway } from '../../../signaling/streaming/StreamGateway.ts';
import { Ffmpeg } from '../Ffmpeg.ts';
import type { FfmpegSlots } from '../FfmpegSlots.ts';
import type { ByteBudget } from './ByteBudget.ts';
import { ingestArgs } from './ingestArgs.ts';
import { keyFrame, pictureHeader, RecentTags, video } from './RecentTags.ts';
import type { RtmpConnection } from './RtmpConnection.ts';
import { VideoForm } from './VideoForm.ts';

export interface PublisherDeps {
  gateway: StreamGateway;
  cluster: MediaCluster;
  slots: FfmpegSlots;
  /** What all publishers together may keep since their last key frames. */
  recent: ByteBudget;
  ffmpeg: string;
  log: Logger;
}

/** So many pictures tell whether there are B-frames, as a rule. */
const firstPictures = 12;
/** Who sends no picture, or few, is not waited for. */
const lookMs = 1_500;
const retryDelaysMs = [100, 500, 2_000, 5_000];
/** An ffmpeg that never brought anything is not installed, or can't read this. */
const mostFailures = 5;
/** ffmpeg that is fed and gives nothing is of no use. */
const stuckMs = 10_000;
/** What waits for ffmpeg: beyond that the publisher waits. */
const mostWaitingBytes = 4 * 1024 * 1024;
const h264 = 7;
const coded = 1;

/**
 * One publisher on the RTMP port, let in by its key: what it sends is looked at first, then it takes the stream over, and one ffmpeg
 * after another brings it into the room for as long as it is connected.
 */
export class RtmpPublisher {
  readonly id = newId('par');
  readonly streamId: string;
  readonly #host: string;
  readonly #connection: RtmpConnection;
  readonly #deps: PublisherDeps;
  readonly #log: Logger;
  readonly #form = new VideoForm();
  readonly #recent: RecentTags;
  #state: 'looking' | 'claiming' | 'running' | 'over' = 'looking';
  #ffmpeg: Ffmpeg | null = null;
  /** As this ffmpeg was told. */
  #running = { transcode: false, sound: false };
  #givePlace: (() => void) | null = null;
  #giveEncoder: (() => void) | null = null;
  #lookTimer: NodeJS.Timeout | null = null;
  #hasFlowed = false;
  /** As which it is in the room, once it has taken the stream over. */
  #peer: ReturningPeer | null = null;
  #ending: Promise<void> | null = null;

  /** @param stream and the wallet it belongs to */
  constructor(
    { streamId, host }: { streamId: string; host: string },
    connection: RtmpConnection,
    deps: PublisherDeps,
  ) {
    this.streamId = streamId;
    this.#host = host;
    this.#connection = connection;
    this.#deps = deps;
    this.#recent = new RecentTags(deps.recent);
    this.#log = deps.log.child({ streamId, publisherId: this.id });
  }

  /** It was let in, and has not taken the stream over yet. */
  get isArriving(): boolean {
    return this.#state === 'looking' || this.#state === 'claiming';
  }

  get hasEnded(): boolean {
    return this.#isOver;
  }

  onPacket(packet: AvPacket): void {
    if (this.#state === 'over') return;
    this.#lookTimer ??= setTimeout(() => void this.#begin(), lookMs);
    if (packet.codec_type === video && !this.#look(packet)) return;
    const tag = this.#recent.add(packet);
    if (this.#state === 'looking' && this.#form.pictures >= firstPictures) void this.#begin();
    if (this.#state === 'running') this.#feed(tag);
  }

  /** Its media is lost, or about to be: it goes into the room anew. */
  onMediaLost(): void {
    this.#ffmpeg?.kill();
  }

  /** Another with the same key has come, before this one has taken the stream over. */
  replace(): void {
    this.#refuse('A newer publisher with this stream key has connected.');
  }

  /** It is gone, or is to go. */
  end(): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  /** @returns false for what can't be taken */
  #look({ codec_id: codec, flags, data, size, dts, pts }: AvPacket): boolean {
    if (codec !== h264) {
      this.#refuse('This server takes H264 pictures: choose another encoder.');
      return false;
    }
    if (flags === pictureHeader) this.#form.begin(data.subarray(5, size));
    else if (data[1] === coded) {
      // Three bytes, signed.
      const shownAfter = ((pts - dts) << 8) >> 8;
      this.#form.look({ dts, shownAfter, isKey: flags === keyFrame });
    }
    return true;
  }

  #feed(tag: Buffer): void {
    const ffmpeg = this.#ffmpeg;
    if (!ffmpeg?.isRunning) return;
    const { transcode, sound } = this.#running;
    if ((this.#form.reason !== null && !transcode) || (this.#recent.hasSound && !sound)) {
      this.#log.info({ why: this.#form.reason ?? 'sound' }, 'what RTMP brings has changed');
      ffmpeg.kill();
      return;
    }
    ffmpeg.input.write(tag);
    if (ffmpeg.input.writableLength > mostWaitingBytes) {
      this.#connection.pause();
      ffmpeg.input.once('drain', () => this.#connection.resume());
      void ffmpeg.exited.then(() => this.#connection.resume());
    }
  }

  async #begin(): Promise<void> {
    if (this.#state !== 'looking') return;
    this.#state = 'claiming';
    if (this.#lookTimer) clearTimeout(this.#lookTimer);
    // Before anybody is cut off for it.
    if (!this.#hasPlace() || !this.#hasEncoder()) return;
    const { gateway } = this.#deps;
    try {
      this.#peer = await gateway.claim(this.streamId, {
        publisherId: this.id,
        via: 'rtmp',
        onReplaced: () => this.#refuse('Somebody else publishes now, or the stream has ended.'),
      });
    } catch (error) {
      return this.#refuse(inputArgs(error));
    }
    if (this.#isOver) return void gateway.lost(this.streamId, this.id).catch(this.#warn);
    this.#state = 'running';
    await this.#run();
  }

  /** One ffmpeg after another. */
  async #run(): Promise<void> {
    for (let failures = 0; !this.#isOver;) {
      if (!this.#hasEncoder()) return;
      const startedAt = Date.now();
      try {
        await this.#runOnce();
      } catch (err) {
        this.#log.warn({ err }, 'RTMP could not be brought into the room');
      }
      // One that ran for a while has earned another at once.
      failures = Date.now() - startedAt > stuckMs ? 0 : failures + 1;
      if (failures >= mostFailures && !this.#hasFlowed)
        return this.#refuse('This server can’t read what you send, or has no ffmpeg that could.');
      if (!this.#isOver) await delay(retryDelaysMs[Math.min(failures, retryDelaysMs.length) - 1] ?? 0);
    }
  }

  async #runOnce(): Promise<void> {
    const { gateway, ffmpeg: bin } = this.#deps;
    const ingest = await this.#openIngest();
    if (this.#isOver) return;
    const transcode = this.#form.reason !== null;
    this.#running = { transcode, sound: ingest.tracks.some(({ source }) => source === 'microphone') };
    let flows = false;
    const stuck = setTimeout(() => this.#ffmpeg?.kill(), stuckMs);
    const ffmpeg = new Ffmpeg({
      bin,
      ...ingestArgs(ingest, { transcode }),
      onExit: (said) => !this.#isOver && this.#log.warn({ said }, 'ffmpeg for RTMP ended'),
      onProgress: () => {
        stuck.refresh();
        this.#hasFlowed = true;
        if (!flows) gateway.flows(this.streamId, this.id).catch(this.#warn);
        flows = true;
      },
    });
    this.#ffmpeg = ffmpeg;
    this.#log.info({ transcode: this.#form.reason, ffmpeg: ffmpeg.pid }, 'publishes by RTMP');
    for (const tag of this.#recent.replay()) ffmpeg.input.write(tag);
    await ffmpeg.exited;
    clearTimeout(stuck);
    this.#ffmpeg = null;
  }

  async #openIngest() {
    const { cluster } = this.#deps;
    // ffmpeg takes no larger ones.
    const ssrc = () => randomInt(1, 0x7fffffff);
    if (!this.#peer) throw new Error('it has not taken the stream over');
    const { peerId, identity, tag } = this.#peer;
    const ingest: NewIngest = {
      ...{ peerId, identity, tag },
      srtpKeyBase64: newSrtpKey(),
      tracks: [
        ...(this.#recent.hasPicture ? [{ source: 'camera' as const, ssrc: ssrc() }] : []),
        ...(this.#recent.hasSound ? [{ source: 'microphone' as const, ssrc: ssrc() }] : []),
      ],
    };
    if (ingest.tracks.length === 0) throw new Error('neither picture nor sound has come yet');
    try {
      return await cluster.openIngest(this.streamId, ingest);
    } catch (error) {
      if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
      await cluster.openRoom(this.streamId);
      return cluster.openIngest(this.streamId, ingest);
    }
  }

  /** Who takes over from another of the same stream needs no further one. */
  #hasPlace(): boolean {
    this.#givePlace = this.#deps.slots.processes.take(this.#host, `RTMP ${this.streamId}`);
    if (this.#givePlace) return true;
    this.#refuse(
      'This server can’t take another stream now: it has as many as it may, of all wallets or of yours. End one, or try again later.',
    );
    return false;
  }

  /** Where one is needed. */
  #hasEncoder(): boolean {
    if (this.#form.reason === null || this.#giveEncoder) return true;
    this.#giveEncoder = this.#deps.slots.encoders.take(this.#host, `RTMP ${this.streamId}`);
    if (this.#giveEncoder) return true;
    this.#refuse(
      `This server can’t convert another picture now (${this.#form.reason}). Send H264 without B-frames, with a key frame every 1 to 2 s.`,
    );
    return false;
  }

  #refuse(why: string): void {
    if (this.#isOver) return;
    this.#log.info({ why }, 'RTMP publisher sent away');
    this.#connection.refuse(why);
    void this.end();
  }

  async #end(): Promise<void> {
    this.#state = 'over';
    const { gateway, cluster } = this.#deps;
    if (this.#lookTimer) clearTimeout(this.#lookTimer);
    this.#recent.close();
    await this.#ffmpeg?.stop();
    this.#giveEncoder?.();
    this.#givePlace?.();
    if (!this.#peer) return;
    await gateway.lost(this.streamId, this.id).catch(this.#warn);
    await cluster.leave(this.streamId, this.#peer.peerId).catch(this.#warn);
    this.#log.info('RTMP publisher gone');
  }

  /** Read anew each time: it changes while something else is waited for. */
  get #isOver(): boolean {
    return this.#state === 'over';
  }

  readonly #warn = (err: unknown): void => this.#log.warn({ err }, 'a stream could not be told of RTMP');
}

function inputArgs(error: unknown): string {
  return error instanceof ParleyError ? error.message : 'Something failed on the server: try again.';
}
