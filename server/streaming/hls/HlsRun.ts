import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { LocalMediaCluster } from '../../../media/LocalMediaCluster.ts';
import type { NewTap, OpenTap } from '../../../media/MediaCluster.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { publisherSeat } from '../../../signaling/streaming/StreamDoors.ts';
import { Ffmpeg } from '../Ffmpeg.ts';
import { tapSdp } from '../tapSdp.ts';
import type { TranscodeSlots } from '../TranscodeSlots.ts';
import { freePairs, untilListened } from '../udpPorts.ts';
import { hlsWords, playlistFile } from './hlsWords.ts';
import { readPlaylist } from './readPlaylist.ts';

export interface RunDeps {
  local: Pick<
    LocalMediaCluster,
    'openTap' | 'resumeConsumers' | 'requestKeyFrame' | 'leave' | 'peers' | 'on'
  >;
  slots: TranscodeSlots;
  ffmpeg: string;
  /** Where packets of other nodes come. */
  listen: { ip: string; ports: { min: number; max: number } };
  log: Logger;
}

interface RunOptions {
  roomId: string;
  number: number;
  folder: string;
  /** The picture is encoded whatever it is. */
  encode: boolean;
  onSegment: (segment: { name: string; init: string; seconds: number }) => void;
}

const lookMs = 150;
const keyFrameMs = 1_000;
const listenMs = 5_000;
/** Who sends nothing for so long has ffmpeg begin anew when it does. */
const stuckMs = 10_000;

/** One ffmpeg that makes segments of what a publisher sends, for as long as that stays the same. */
export class HlsRun {
  readonly #options: RunOptions;
  readonly #deps: RunDeps;
  readonly #peerId = newId('par');
  readonly #over = deferred();
  #next = 0;

  constructor(options: RunOptions, deps: RunDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  get peerId(): string {
    return this.#peerId;
  }

  /** It ends, and what it has is kept. */
  end(): void {
    this.#over.resolve();
  }

  /** @returns when it is over: what was sent has changed, ffmpeg has died, or it was ended. */
  async run(): Promise<void> {
    const { roomId } = this.#options;
    const { local, listen } = this.#deps;
    const [camera = 0, microphone = 0] = await freePairs(2, listen.ports);
    const tap: NewTap = {
      ...{ peerId: this.#peerId, tag: { via: 'hls' }, of: publisherSeat },
      ...{ ip: listen.ip, ports: { camera, microphone } },
    };
    const opened = await local.openTap(roomId, tap);
    try {
      // While nothing is sent it waits for something.
      if (opened.tracks.length === 0) await this.#over.promise;
      else await this.#package(opened, tap);
    } finally {
      await local.leave(roomId, this.#peerId).catch(() => undefined);
    }
  }

  async #package(opened: OpenTap, tap: NewTap): Promise<void> {
    const { roomId, number, folder } = this.#options;
    const { local, ffmpeg: bin, log } = this.#deps;
    const picture = opened.tracks.find(({ source }) => source === 'camera');
    const isH264 = picture?.rtpParameters.codecs[0]?.mimeType.toLowerCase() === 'video/h264';
    const needed = picture !== undefined && !isH264;
    const giveBack = needed || (picture && this.#options.encode) ? this.#deps.slots.take() : null;
    if (needed && !giveBack) {
      log.warn({ roomId }, 'no slot to encode a picture for HLS');
      return;
    }
    const words = hlsWords({
      run: number,
      encode: giveBack && picture ? picture.size : null,
      hasPicture: picture !== undefined,
      hasSound: opened.tracks.some(({ source }) => source === 'microphone'),
    });
    const timers: NodeJS.Timeout[] = [];
    const ffmpeg = new Ffmpeg({
      ...{ bin, words, folder },
      onExit: (said) => {
        log.debug({ roomId, said }, 'ffmpeg for HLS ended');
        this.end();
      },
    });
    try {
      log.info({ roomId, encodes: giveBack !== null, ffmpeg: ffmpeg.pid }, 'HLS is made');
      ffmpeg.input.end(tapSdp(opened, tap));
      await untilListened(
        opened.tracks.map(({ source }) => tap.ports[source]),
        listenMs,
      );
      const ids = opened.tracks.map(({ consumerId }) => consumerId);
      await local.resumeConsumers(roomId, this.#peerId, ids);
      const stuck = setTimeout(() => this.end(), stuckMs);
      timers.push(
        stuck,
        setInterval(() => void this.#look(stuck), lookMs),
      );
      // What is encoded gets its key frames there, once it has begun.
      const needsKeyFrames = () => giveBack === null || this.#next === 0;
      if (picture) timers.push(setInterval(() => needsKeyFrames() && this.#askForKeyFrame(), keyFrameMs));
      await this.#over.promise;
    } finally {
      for (const timer of timers) clearInterval(timer);
      await ffmpeg.stop();
      giveBack?.();
      await this.#look(null);
    }
  }

  /** Publishers who can't do that, RTMP's among them, send one when they do. */
  #askForKeyFrame(): void {
    this.#deps.local.requestKeyFrame(this.#options.roomId, this.#peerId).catch(() => this.end());
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

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
