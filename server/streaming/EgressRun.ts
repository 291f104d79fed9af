import type { Logger } from 'pino';
import type { MediaCluster, NewEgress, OpenEgress } from '../../media/MediaCluster.ts';
import { kindOf, type EgressView } from '../../media/plainRtp.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { Ffmpeg } from './Ffmpeg.ts';
import { H264Relay } from './H264Relay.ts';
import { egressSdp } from './egressSdp.ts';
import { holdPairs, untilListened } from './udpPorts.ts';

export interface EgressDeps {
  media: Pick<MediaCluster, 'openEgress' | 'resumeConsumers' | 'requestKeyFrame' | 'leave'>;
  ffmpeg: string;
  /** Where packets of other nodes come. */
  listen: { ip: string; ports: { min: number; max: number } };
  log: Logger;
}

interface EgressOptions {
  roomId: string;
  /** Whose, by seat. */
  of: string;
  /** @default camera */
  shows?: EgressView;
  /** What it is for. */
  via: string;
  /** What of it is taken, once that is known: until then it is asked for, and nothing is made of it. @default picture and sound, at once */
  sources?: Promise<ReadonlySet<Source>>;
}

/** What ffmpeg makes of what comes. */
export interface EgressPlan {
  /** Beginning with egressArgs(). */
  args: string[];
  /** Where it writes. */
  folder: string;
  /** Asked every second, where there is a picture. */
  needsKeyFrame: () => boolean;
  /** Packets begin to come. */
  onBegun?: () => void;
  /** ffmpeg has ended, and written all it had; or it could not begin. */
  onEnded?: () => Promise<void> | void;
}

/** @returns null where nothing can be made of it */
type PlanFor = (opened: OpenEgress) => Promise<EgressPlan | null> | EgressPlan | null;

const keyFrameMs = 1_000;
const listenMs = 5_000;

/** One ffmpeg that is fed with what somebody in a room sends, for as long as that stays the same. */
export class EgressRun {
  readonly peerId = newId('par');
  readonly #options: EgressOptions;
  readonly #deps: EgressDeps;
  readonly #over = deferred();

  constructor(options: EgressOptions, deps: EgressDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** It ends, and what it has is kept. */
  end(): void {
    this.#over.resolve();
  }

  /**
   * @returns when it is over: what was sent has changed, ffmpeg has died, or it was ended
   */
  async run(plan: PlanFor): Promise<void> {
    const { roomId, of, shows = 'camera', via, sources } = this.#options;
    const { media, listen } = this.#deps;
    const { ports, release } = await holdPairs(2, listen.ports);
    const [video = 0, audio = 0] = ports;
    const egress: NewEgress = {
      ...{ peerId: this.peerId, tag: { socketId: null, via }, of, shows },
      ...{ ip: listen.ip, ports: { video, audio } },
    };
    try {
      const { tracks } = await media.openEgress(roomId, egress);
      const taken = sources && (await Promise.race([sources, this.#over.promise]));
      if (sources && !taken) return;
      const opened = { tracks: tracks.filter(({ source }) => taken?.has(source) ?? true) };
      // While nothing is sent it waits for something.
      if (opened.tracks.length === 0) await this.#over.promise;
      else await this.#feed(opened, egress, plan, release);
    } finally {
      await release();
      await media.leave(roomId, this.peerId).catch(() => undefined);
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
    let relay: H264Relay | undefined;
    let asking: NodeJS.Timeout | undefined;
    const ports = { ...egress.ports };
    try {
      const behind = opened.tracks.some(isRelayed) ? await holdPairs(1, listen.ports) : null;
      await releasePorts();
      if (behind) {
        [ports.video = 0] = behind.ports;
        await behind.release();
        relay = await H264Relay.open({ from: egress.ports.video, to: ports.video });
      }
      ffmpeg = new Ffmpeg({
        ...{ bin, args, folder },
        onExit: (said) => {
          log.debug({ roomId, via, said }, 'ffmpeg of a tap ended');
          this.end();
        },
      });
      log.debug({ roomId, via, ffmpeg: ffmpeg.pid }, 'ffmpeg of a tap begins');
      ffmpeg.input.end(egressSdp(opened, { ip: egress.ip, ports }));
      const awaited = opened.tracks.map(({ source }) => ports[kindOf(source)]);
      await untilListened(awaited, listenMs);
      const ids = opened.tracks.map(({ consumerId }) => consumerId);
      await media.resumeConsumers(roomId, this.peerId, ids);
      plan.onBegun?.();
      if (opened.tracks.some(({ source }) => kindOf(source) === 'video'))
        asking = setInterval(() => plan.needsKeyFrame() && this.#askForKeyFrame(), keyFrameMs);
      await this.#over.promise;
    } finally {
      clearInterval(asking);
      await ffmpeg?.stop();
      relay?.close();
      await plan.onEnded?.();
    }
  }

  /** Publishers who can't do that, RTMP's among them, send one when they do. */
  #askForKeyFrame(): void {
    this.#deps.media.requestKeyFrame(this.#options.roomId, this.peerId).catch(() => this.end());
  }
}

/** What comes encrypted, from another host, can't be looked into. */
const isRelayed = ({ from, rtpParameters }: OpenEgress['tracks'][number]) =>
  from.srtpKeyBase64 === null && rtpParameters.codecs[0]?.mimeType.toLowerCase() === 'video/h264';

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
