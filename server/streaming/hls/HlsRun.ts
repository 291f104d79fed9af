import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalMediaCluster } from '../../../media/cluster/LocalMediaCluster.ts';
import type { OpenEgress } from '../../../media/MediaCluster.ts';
import { publisherIdentity } from '../../../signaling/streaming/StreamGateway.ts';
import { walletOf } from '../walletOf.ts';
import { EgressRun, type EgressDeps, type EgressPlan } from '../EgressRun.ts';
import type { FfmpegSlots } from '../FfmpegSlots.ts';
import { hlsArgs, playlistFile } from './hlsArgs.ts';
import { readPlaylist } from './readPlaylist.ts';

export interface RunDeps extends Omit<EgressDeps, 'media'> {
  local: EgressDeps['media'] & Pick<LocalMediaCluster, 'peers' | 'on'>;
  slots: FfmpegSlots;
}

interface RunOptions {
  roomId: string;
  number: number;
  folder: string;
  /** The picture is encoded whatever it is. */
  encode: boolean;
  /** There is no place for it now, or none for a picture that has to be encoded. */
  onRefused: () => void;
  onSegment: (segment: { name: string; init: string; seconds: number }) => void;
}

const lookMs = 150;
/** Who sends nothing for so long has ffmpeg begin anew when it does. */
const stuckMs = 10_000;

/** One ffmpeg that makes segments of what a publisher sends, for as long as that stays the same. */
export class HlsRun {
  readonly #options: RunOptions;
  readonly #deps: RunDeps;
  readonly #egress: EgressRun;
  #next = 0;

  constructor(options: RunOptions, deps: RunDeps) {
    this.#options = options;
    this.#deps = deps;
    const egress = { roomId: options.roomId, of: publisherIdentity, via: 'hls' };
    this.#egress = new EgressRun(egress, { ...deps, media: deps.local });
  }

  get peerId(): string {
    return this.#egress.peerId;
  }

  /** It ends, and what it has is kept. */
  end(): void {
    this.#egress.end();
  }

  /** @returns when it is over: what was sent has changed, ffmpeg has died, or it was ended. */
  run(): Promise<void> {
    return this.#egress.run((opened) => this.#plan(opened));
  }

  async #plan({ tracks }: OpenEgress): Promise<EgressPlan | null> {
    const { roomId, number, folder, onRefused } = this.#options;
    const { slots, local, log } = this.#deps;
    const picture = tracks.find(({ source }) => source === 'camera');
    const isH264 = picture?.rtpParameters.codecs[0]?.mimeType.toLowerCase() === 'video/h264';
    const needed = picture !== undefined && !isH264;
    const owner = (await local.peers(roomId)).map(({ tag }) => walletOf(tag)).find((found) => found !== null);
    const mine = [owner ?? roomId, `HLS ${roomId}`] as const;
    const givePlace = slots.processes.take(...mine);
    const giveEncoder =
      givePlace && (needed || (picture && this.#options.encode)) ? slots.encoders.take(...mine) : null;
    if (!givePlace || (needed && !giveEncoder)) {
      givePlace?.();
      onRefused();
      return null;
    }
    const args = hlsArgs({
      run: number,
      encode: giveEncoder && picture ? picture.size : null,
      hasPicture: picture !== undefined,
      hasSound: tracks.some(({ source }) => source === 'microphone'),
    });
    log.info({ roomId, encodes: giveEncoder !== null }, 'HLS is made');
    const timers: NodeJS.Timeout[] = [];
    return {
      ...{ args, folder },
      // What is encoded gets its key frames there, once it has begun.
      needsKeyFrame: () => giveEncoder === null || this.#next === 0,
      onBegun: () => {
        const stuck = setTimeout(() => this.end(), stuckMs);
        timers.push(
          stuck,
          setInterval(() => void this.#look(stuck), lookMs),
        );
      },
      onEnded: async () => {
        for (const timer of timers) clearInterval(timer);
        giveEncoder?.();
        givePlace();
        await this.#look(null);
      },
    };
  }

  async #look(stuck: NodeJS.Timeout | null): Promise<void> {
    const { folder, number, onSegment } = this.#options;
    const text = await readFile(join(folder, playlistFile), 'utf8').catch(() => null);
    if (text === null) return;
    const { first, segments } = readPlaylist(text);
    for (const [index, { name, seconds }] of segments.entries()) {
      // Two who look at the same moment tell it once.
      if (first + index < this.#next) continue;
      this.#next = first + index + 1;
      stuck?.refresh();
      onSegment({ name, init: `${number}-init.mp4`, seconds });
    }
  }
}
