import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { NewEgress, OpenEgress } from '../../media/roomOperations.ts';
import { kindOf, type EgressView } from '../../media/plainRtp.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { Ffmpeg } from './Ffmpeg.ts';
import { egressSdp } from './egressSdp.ts';
import { pictureSize, type PictureSize } from './pictureSize.ts';
import { holdPairs, untilListened } from './udpPorts.ts';
import { h264Repair, VideoRelay } from './VideoRelay.ts';

export interface EgressDeps {
  media: Pick<MediaCluster, 'room'>;
  ffmpeg: string;
  /** The address and ports that receive packets from other nodes. */
  listen: { ip: string; ports: { min: number; max: number } };
  log: Logger;
}

interface EgressOptions {
  roomId: string;
  /** The identity whose media is received. */
  of: string;
  /** @default camera */
  shows?: EgressView;
  /** The purpose, for example `hls`. */
  via: string;
  /**
   * The sources to use. The egress opens at once, but ffmpeg does not start until this resolves.
   * @default video and audio, without waiting
   */
  sources?: Promise<ReadonlySet<Source>>;
  /** Called with the size of the picture at each key frame. Not called for packets from other hosts, which are encrypted. */
  onSize?: (size: PictureSize) => void;
}

/** How ffmpeg processes the packets. */
export interface EgressPlan {
  /** The arguments of ffmpeg, beginning with egressArgs(). */
  args: string[];
  /** The folder ffmpeg writes to. */
  folder: string;
  /** Called every second if there is video. Returns whether to request a key frame. */
  needsKeyFrame: () => boolean;
  /** Called when packets start to arrive. */
  onBegun?: () => void;
  /** Called when ffmpeg has ended and written everything, or could not start. */
  onEnded?: () => Promise<void> | void;
}

/** @returns null if ffmpeg should not run for these tracks */
type PlanFor = (opened: OpenEgress) => Promise<EgressPlan | null> | EgressPlan | null;

const keyFrameMs = 1_000;
const listenMs = 5_000;

/** One ffmpeg process that receives one participant's media until the tracks change. */
export class EgressRun {
  readonly peerId = newId('par');
  readonly #options: EgressOptions;
  readonly #deps: EgressDeps;
  readonly #over = deferred();

  constructor(options: EgressOptions, deps: EgressDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Ends the run. Data received so far is kept. */
  end(): void {
    this.#over.resolve();
  }

  /** Resolves when the tracks have changed, ffmpeg has died, or end() was called. */
  async run(plan: PlanFor): Promise<void> {
    const { roomId, of, shows = 'camera', via, sources } = this.#options;
    const { media, listen } = this.#deps;
    const { ports, release } = await holdPairs(2, listen.ports);
    const [video = 0, audio = 0] = ports;
    const egress: NewEgress = {
      peerId: this.peerId,
      tag: { socketId: null, via },
      of,
      shows,
      ip: listen.ip,
      ports: { video, audio },
    };
    try {
      const { tracks } = await media.room(roomId).openEgress(egress);
      const taken = sources && (await Promise.race([sources, this.#over.promise]));
      if (sources && !taken) return;
      const opened = { tracks: tracks.filter(({ source }) => taken?.has(source) ?? true) };
      // Without tracks the run waits until the media changes.
      if (opened.tracks.length === 0) await this.#over.promise;
      else await this.#feed(opened, egress, plan, release);
    } finally {
      await release();
      await media
        .room(roomId)
        .leave({ peerId: this.peerId })
        .catch(() => undefined);
    }
  }

  async #feed(
    opened: OpenEgress,
    egress: NewEgress,
    planFor: PlanFor,
    releasePorts: () => Promise<void>,
  ): Promise<void> {
    const plan = await planFor(opened);
    if (!plan) return;
    const { roomId, via } = this.#options;
    const { media, listen, ffmpeg: bin, log } = this.#deps;
    const { args, folder } = plan;
    let ffmpeg: Ffmpeg | undefined;
    let relay: VideoRelay | undefined;
    let keyFrameTimer: NodeJS.Timeout | undefined;
    const ports = { ...egress.ports };
    try {
      const onPacket = opened.tracks.map((track) => this.#reader(track)).find((reader) => reader !== null);
      const relayPorts = onPacket ? await holdPairs(1, listen.ports) : null;
      await releasePorts();
      if (relayPorts && onPacket) {
        [ports.video = 0] = relayPorts.ports;
        await relayPorts.release();
        relay = await VideoRelay.open({ from: egress.ports.video, to: ports.video }, onPacket);
      }
      ffmpeg = new Ffmpeg({
        bin,
        args,
        folder,
        onExit: (output) => {
          log.debug({ roomId, via, output }, 'egress ffmpeg ended');
          this.end();
        },
      });
      log.debug({ roomId, via, ffmpeg: ffmpeg.pid }, 'egress ffmpeg started');
      ffmpeg.input.end(egressSdp(opened, { ip: egress.ip, ports }));
      const awaited = opened.tracks.map(({ source }) => ports[kindOf(source)]);
      await untilListened(awaited, listenMs);
      const ids = opened.tracks.map(({ consumerId }) => consumerId);
      await media.room(roomId).resumeConsumers({ peerId: this.peerId, consumerIds: ids });
      plan.onBegun?.();
      if (opened.tracks.some(({ source }) => kindOf(source) === 'video'))
        keyFrameTimer = setInterval(() => plan.needsKeyFrame() && this.#askForKeyFrame(), keyFrameMs);
      await this.#over.promise;
    } finally {
      clearInterval(keyFrameTimer);
      await ffmpeg?.stop();
      relay?.close();
      await plan.onEnded?.();
    }
  }

  /** What reads and repairs the packets of a track; null if they go directly to ffmpeg. Those from other hosts are encrypted. */
  #reader({ from, rtpParameters }: OpenEgress['tracks'][number]): ((packet: Buffer) => void) | null {
    const { onSize } = this.#options;
    const mimeType = rtpParameters.codecs[0]?.mimeType.toLowerCase() ?? '';
    const isH264 = mimeType === 'video/h264';
    if (from.srtpKeyBase64 !== null || !(isH264 || (onSize && mimeType.startsWith('video/')))) return null;
    const repair = isH264 ? h264Repair() : () => undefined;
    return (packet) => {
      const size = onSize && pictureSize(mimeType, packet);
      if (size) onSize(size);
      repair(packet);
    };
  }

  /** Publishers that cannot send key frames on request, such as RTMP publishers, send them at their own interval. */
  #askForKeyFrame(): void {
    this.#deps.media
      .room(this.#options.roomId)
      .requestKeyFrame({ peerId: this.peerId })
      .catch(() => this.end());
  }
}

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
