import wrtc from '@roamhq/wrtc';

const { RTCAudioSource, RTCVideoSource } = wrtc.nonstandard;

/** The microphone and camera of a bot in Node.js: ten milliseconds of noise, repeated, and a grey frame. */
export class BotMedia {
  readonly #timers: NodeJS.Timeout[] = [];

  /** Defines the two globals that the SDK needs, as docs/guides/app-developer.md describes, and no other browser API. */
  constructor() {
    Object.assign(globalThis, { RTCPeerConnection: wrtc.RTCPeerConnection, MediaStream: wrtc.MediaStream });
  }

  readonly getUserMedia = ({ audio, video }: MediaStreamConstraints): Promise<MediaStream> => {
    const stream = new wrtc.MediaStream();
    if (audio) {
      const source = new RTCAudioSource();
      const samples = Int16Array.from({ length: 480 }, () => Math.random() * 10_000);
      const audioFrame = {
        samples,
        sampleRate: 48_000,
        bitsPerSample: 16,
        channelCount: 1,
        numberOfFrames: 480,
      };
      this.#timers.push(setInterval(() => source.onData(audioFrame), 10));
      stream.addTrack(source.createTrack());
    }
    if (video) {
      const source = new RTCVideoSource();
      const frame = { width: 320, height: 180, data: new Uint8Array(320 * 180 * 1.5).fill(128) };
      this.#timers.push(setInterval(() => source.onFrame(frame), 100));
      stream.addTrack(source.createTrack());
    }
    return Promise.resolve(stream);
  };

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }
}
