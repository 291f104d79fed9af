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
import { h264Repair, PacketRelay, type Passing } from './PacketRelay.ts';
import { SilenceFill } from './SilenceFill.ts';

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
  /** The same, of H264 only. */
  onH264Size?: (size: PictureSize) => void;
  /** Whether missing sound is replaced by silence. Not possible for packets from other hosts. @default false */
  fillsSilence?: boolean;
}

/** How ffmpeg processes the packets. */
export interface EgressPlan {
  /** The arguments of ffmpeg, beginning with egressArgs(). */
  args: string[];
  /** The tracks that ffmpeg receives. @default all */
  tracks?: OpenEgress['tracks'];
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
    const { tracks = opened.tracks } = plan;
    const { roomId, via } = this.#options;
    const { media, listen, ffmpeg: bin, log } = this.#deps;
    const { args, folder } = plan;
    let ffmpeg: Ffmpeg | undefined;
    const relays: PacketRelay[] = [];
    let keyFrameTimer: NodeJS.Timeout | undefined;
    const ports = { ...egress.ports };
    try {
      const relayed = tracks.flatMap((track) => {
        const passing = this.#passing(track);
        return passing ? [{ kind: kindOf(track.source), passing }] : [];
      });
      const held = await holdPairs(relayed.length, listen.ports);
      await releasePorts();
      await held.release();
      for (const [index, { kind, passing }] of relayed.entries()) {
        ports[kind] = held.ports[index] ?? 0;
        relays.push(await PacketRelay.open({ from: egress.ports[kind], to: ports[kind] }, passing));
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
      ffmpeg.input.end(egressSdp({ tracks }, { ip: egress.ip, ports }));
      const awaited = tracks.map(({ source }) => ports[kindOf(source)]);
      await untilListened(awaited, listenMs);
      const ids = tracks.map(({ consumerId }) => consumerId);
      await media.room(roomId).resumeConsumers({ peerId: this.peerId, consumerIds: ids });
      for (const relay of relays) relay.begin();
      plan.onBegun?.();
      if (tracks.some(({ source }) => kindOf(source) === 'video'))
        keyFrameTimer = setInterval(() => plan.needsKeyFrame() && this.#askForKeyFrame(), keyFrameMs);
      await this.#over.promise;
    } finally {
      clearInterval(keyFrameTimer);
      await ffmpeg?.stop();
      for (const relay of relays) relay.close();
      await plan.onEnded?.();
    }
  }

  /** What reads and completes the packets of a track; null if they go directly to ffmpeg. Those from other hosts are encrypted. */
  #passing({ from, source, rtpParameters }: OpenEgress['tracks'][number]): Passing | null {
    const { onSize: onAnySize, onH264Size, fillsSilence } = this.#options;
    const { codecs, encodings } = rtpParameters;
    const [codec] = codecs;
    if (from.srtpKeyBase64 !== null || !codec) return null;
    if (kindOf(source) === 'audio')
      return fillsSilence ? new SilenceFill(encodings?.[0]?.ssrc ?? 0, codec.payloadType) : null;
    const mimeType = codec.mimeType.toLowerCase();
    const isH264 = mimeType === 'video/h264';
    const onSize = onAnySize ?? (isH264 ? onH264Size : undefined);
    if (!isH264 && !onSize) return null;
    const repair = isH264 ? h264Repair() : () => undefined;
    const onPacket = (packet: Buffer) => {
      const size = onSize && pictureSize(mimeType, packet);
      if (size) onSize(size);
      repair(packet);
    };
    return { onPacket };
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
