import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import type { OpenEgress, PeerInfo } from '../../../media/roomOperations.ts';
import type { Source } from '../../../sdk/protocol/media.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { walletOf } from '../walletOf.ts';
import { EgressRun, type EgressDeps, type EgressPlan } from '../EgressRun.ts';
import type { FfmpegSlots } from '../FfmpegSlots.ts';
import { hasShape, shaped, type PictureSize } from '../pictureSize.ts';
import { hlsArgs, playlistFile } from './hlsArgs.ts';
import { readPlaylist } from './readPlaylist.ts';

export interface RunDeps extends Omit<EgressDeps, 'media'> {
  local: Pick<LocalMediaCluster, 'room' | 'on'>;
  slots: FfmpegSlots;
}

interface RunOptions {
  roomId: string;
  number: number;
  folder: string;
  /** Whether to encode the video even if it could be copied. */
  encode: boolean;
  /** The latest known shape of the picture; null for the one that its publisher has told. */
  shape: PictureSize | null;
  /** The size of the picture in earlier runs; null if there was none. */
  lastSize: PictureSize | null;
  /** Called at each key frame. */
  onShape: (shape: PictureSize) => void;
  /** Called if no ffmpeg slot is free, or no encoder slot for video that must be encoded. */
  onRefused: () => void;
  onSegment: (segment: { name: string; seconds: number }) => void;
}

type Tracks = OpenEgress['tracks'];

const lookMs = 150;
/** If no segment appears for this time, ffmpeg is restarted. */
const stuckMs = 10_000;
/** A run with another shape begins when the shape has been the same for this time: a window may be resized in many steps. */
const turnMs = 500;
/** The size of the black picture of a publisher that has sent none. */
const unknownSize = { width: 640, height: 360 };

/**
 * One ffmpeg process that makes segments of a publisher's media until its tracks change. They always have picture and sound, black or silent
 * if necessary, because players such as hls.js stop when one of them is added or removed.
 */
export class HlsRun {
  readonly #options: RunOptions;
  readonly #deps: RunDeps;
  readonly #egress: EgressRun;
  #next = 0;
  /** The shape of the segments; null while it is not known. */
  #shape: PictureSize | null = null;
  #turnTimer: NodeJS.Timeout | undefined;
  /** The tracks of the egress, and those of them that ffmpeg receives. */
  #opened: Tracks = [];
  #received: Tracks = [];

  constructor(options: RunOptions, deps: RunDeps) {
    this.#options = options;
    this.#deps = deps;
    const onSize = (size: PictureSize) => this.#onSize(size);
    const egress = { roomId: options.roomId, of: publisherIdentity, via: 'hls', onSize, fillsSilence: true };
    this.#egress = new EgressRun(egress, { ...deps, media: deps.local });
  }

  get peerId(): string {
    return this.#egress.peerId;
  }

  /** Ends the run. Data received so far is kept. */
  end(): void {
    this.#egress.end();
  }

  /** Called when the publisher has switched something on or off. Ends the run if ffmpeg has to receive other tracks now. */
  async onSwitched(): Promise<void> {
    const peers = await this.#deps.local.room(this.#options.roomId).peers({});
    if (!isDeepStrictEqual(toReceive(this.#opened, peers), this.#received)) this.end();
  }

  /** Resolves when the tracks have changed, ffmpeg has died, or end() was called. */
  run(): Promise<void> {
    return this.#egress.run((opened) => this.#plan(opened));
  }

  async #plan({ tracks }: OpenEgress): Promise<EgressPlan | null> {
    const { roomId, number, folder, onRefused, lastSize, shape } = this.#options;
    const { slots, local, log } = this.#deps;
    const peers = await local.room(roomId).peers({});
    const owner = peers.map(({ tag }) => walletOf(tag)).find((found) => found !== null);
    const camera = tracks.find(({ source }) => source === 'camera');
    const size = camera && (shape ? shaped(camera.size, shape) : camera.size);
    const received = toReceive(tracks, peers);
    [this.#opened, this.#received] = [tracks, received];
    const has = (wanted: Source) => received.some(({ source }) => source === wanted);
    const hasVideo = camera !== undefined && has('camera');
    const black = hasVideo ? null : (lastSize ?? size ?? unknownSize);
    const needed = hasVideo && camera.rtpParameters.codecs[0]?.mimeType.toLowerCase() !== 'video/h264';
    const mine = [owner ?? roomId, `HLS ${roomId}`] as const;
    const releaseSlot = slots.processes.take(...mine);
    const releaseEncoder =
      releaseSlot && (needed || (hasVideo && this.#options.encode)) ? slots.encoders.take(...mine) : null;
    if (!releaseSlot || (needed && !releaseEncoder)) {
      releaseSlot?.();
      onRefused();
      return null;
    }
    const encode = releaseEncoder && size ? size : null;
    this.#shape = encode;
    const isSilent = !has('microphone');
    const args = hlsArgs({ run: number, encode, black, isSilent });
    log.info({ roomId, encodes: releaseEncoder !== null, isBlack: !hasVideo, isSilent }, 'HLS run started');
    const timers: NodeJS.Timeout[] = [];
    return {
      args,
      tracks: received,
      folder,
      // The encoder makes its own key frames once it has started.
      needsKeyFrame: () => releaseEncoder === null || this.#next === 0,
      onBegun: () => {
        const stuck = setTimeout(() => this.end(), stuckMs);
        timers.push(
          stuck,
          setInterval(() => void this.#readSegments(stuck), lookMs),
        );
      },
      onEnded: async () => {
        for (const timer of [...timers, this.#turnTimer]) clearInterval(timer);
        releaseEncoder?.();
        releaseSlot();
        await this.#readSegments(null);
      },
    };
  }

  /** Ends the run when the picture has another shape, because all segments of a run have one size. */
  #onSize(size: PictureSize): void {
    this.#options.onShape(size);
    this.#shape ??= size;
    clearTimeout(this.#turnTimer);
    if (hasShape(size, this.#shape)) return;
    if (this.#next === 0) this.end();
    else this.#turnTimer = setTimeout(() => this.end(), turnMs);
  }

  async #readSegments(stuck: NodeJS.Timeout | null): Promise<void> {
    const { folder, onSegment } = this.#options;
    const text = await readFile(join(folder, playlistFile), 'utf8').catch(() => null);
    if (text === null) return;
    const { first, segments } = readPlaylist(text);
    for (const [index, { name, seconds }] of segments.entries()) {
      // Concurrent calls must not report a segment twice.
      if (first + index < this.#next) continue;
      this.#next = first + index + 1;
      stuck?.refresh();
      onSegment({ name, seconds });
    }
  }
}

/** The tracks that are sent. The egress fills the gaps of a microphone itself, unless its packets are encrypted. */
function toReceive(tracks: Tracks, peers: PeerInfo[]): Tracks {
  // Nobody but the publisher sends in the room of a stream.
  const sent = new Set(peers.flatMap(({ sending }) => sending));
  return tracks.filter(
    ({ source, from }) => sent.has(source) || (source === 'microphone' && from.srtpKeyBase64 === null),
  );
}
