/** A picture of a video track. `close` must be called when it has been processed. */
export interface Frame {
  image: CanvasImageSource;
  width: number;
  height: number;
  /** Microseconds. */
  timestamp: number;
  close: () => void;
}

interface FrameReader {
  /** The next picture; null at the end. */
  read: () => Promise<Frame | null>;
  close: () => void;
}

interface FrameWriter {
  track: MediaStreamTrack;
  /** Sends what is on the canvas. */
  write: (timestamp: number) => Promise<void>;
}

/** Classes of Chromium that TypeScript's DOM library lacks. With them, a page in the background processes all pictures. */
interface TrackClasses {
  MediaStreamTrackProcessor?: new (options: { track: MediaStreamTrack }) => {
    readable: ReadableStream<VideoFrame>;
  };
  MediaStreamTrackGenerator?: new (options: { kind: 'video' }) => MediaStreamTrack & {
    writable: WritableStream<VideoFrame>;
  };
}

const classes = (): TrackClasses => globalThis as TrackClasses;

/** Reads the pictures of a track. Those that arrive while one is processed are skipped. */
export async function readFrames(track: MediaStreamTrack): Promise<FrameReader> {
  const { MediaStreamTrackProcessor: Processor } = classes();
  if (!Processor) return readByVideo(track);
  const reader = new Processor({ track }).readable.getReader();
  return {
    read: async () => {
      const { value: frame } = await reader.read();
      if (!frame) return null;
      const { displayWidth: width, displayHeight: height, timestamp } = frame;
      return { image: frame, width, height, timestamp, close: () => frame.close() };
    },
    close: () => void reader.cancel().catch(() => undefined),
  };
}

/** Writes pictures from a canvas to a new track. */
export function writeFrames(canvas: HTMLCanvasElement): FrameWriter {
  const { MediaStreamTrackGenerator: Generator } = classes();
  if (!Generator) {
    const [track] = canvas.captureStream().getVideoTracks() as [MediaStreamTrack];
    return { track, write: () => Promise.resolve() };
  }
  const track = new Generator({ kind: 'video' });
  const writer = track.writable.getWriter();
  const write = async (timestamp: number) => {
    const frame = new VideoFrame(canvas, { timestamp });
    try {
      await writer.write(frame);
    } finally {
      // Once the track has been stopped, the stream does not take the picture, and so does not close it.
      frame.close();
    }
  };
  return { track, write };
}

async function readByVideo(track: MediaStreamTrack): Promise<FrameReader> {
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true });
  video.srcObject = new MediaStream([track]);
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  let isOver = false;
  await video.play();
  return {
    read: async () => {
      await Promise.race([ended, new Promise((resolve) => video.requestVideoFrameCallback(resolve))]);
      if (isOver) return null;
      const { videoWidth: width, videoHeight: height } = video;
      return { image: video, width, height, timestamp: performance.now() * 1_000, close: () => {} };
    },
    close: () => {
      isOver = true;
      end();
      video.srcObject = null;
    },
  };
}
