import type { Page } from 'playwright-core';

/*
 * A video whose frames can be checked: a grid of dark and light cells of which a sixteenth changes with each frame, in an order that the
 * receiver knows. A frame decoded against the wrong reference frames matches no phase of the pattern.
 */

export interface PatternSize {
  width: number;
  height: number;
  framesPerSecond?: number;
}

export interface Checked {
  frames: number;
  /** The number of frames in which more than a twentieth of the cells are wrong. */
  broken: number;
  /** The largest share of wrong cells in one frame. */
  worst: number;
  /** Heights that were shown, in order. */
  heights: number[];
}

declare global {
  interface Window {
    pattern: {
      send: (size: PatternSize) => MediaStreamTrack;
      /** Checks every frame this element shows from now on. */
      check: (video: HTMLVideoElement) => Checked;
      /** Sets the delay between receiving and decoding, for current and later tracks. */
      buffer: (ms: number) => void;
    };
    /** By the id of the element. */
    checked: Record<string, Checked>;
  }
}

/** Defines `window.pattern` in the page. */
export const addPattern = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const [columns, rows, phases] = [16, 9, 32];
    const [dark, light] = [40, 215];
    const wrongShare = 0.05;
    const cells = Array.from({ length: columns * rows }, (_, index) => index);
    const offsetOf = (cell: number) => ((cell * 2_654_435_761) >>> 16) % phases;
    const isLight = (cell: number, phase: number) => (offsetOf(cell) + phase) % phases < phases / 2;

    const paint = (context: CanvasRenderingContext2D, phase: number) => {
      const { width, height } = context.canvas;
      const [across, down] = [width / columns, height / rows];
      for (const cell of cells) {
        const value = isLight(cell, phase) ? light : dark;
        context.fillStyle = `rgb(${value} ${value} ${value})`;
        context.fillRect((cell % columns) * across, Math.floor(cell / columns) * down, across, down);
      }
    };

    const send = ({ width, height, framesPerSecond = 10 }: PatternSize) => {
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      const context = canvas.getContext('2d') as CanvasRenderingContext2D;
      let phase = 0;
      paint(context, phase);
      setInterval(() => paint(context, ++phase), 1_000 / framesPerSecond);
      const track = canvas.captureStream(framesPerSecond).getVideoTracks()[0] as MediaStreamTrack;
      track.contentHint = 'motion';
      return track;
    };

    /** The share of wrong cells in the phase that fits best; null if the frame is black, as Chromium shows an ended track. */
    const wrongIn = (context: CanvasRenderingContext2D): number | null => {
      const { data } = context.getImageData(0, 0, columns, rows);
      const levels = cells.map((cell) => data[cell * 4 + 1] ?? 0);
      if (levels.every((level) => level < dark / 2)) return null;
      const shown = levels.map((level) => level > (dark + light) / 2);
      const wrong = Array.from(
        { length: phases },
        (_, phase) => cells.filter((cell) => isLight(cell, phase) !== shown[cell]).length,
      );
      return Math.min(...wrong) / cells.length;
    };

    const check = (video: HTMLVideoElement): Checked => {
      const canvas = Object.assign(document.createElement('canvas'), { width: columns, height: rows });
      const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D;
      context.imageSmoothingQuality = 'medium';
      const checked: Checked = { frames: 0, broken: 0, worst: 0, heights: [] };
      const onFrame = () => {
        context.drawImage(video, 0, 0, columns, rows);
        video.requestVideoFrameCallback(onFrame);
        const wrong = wrongIn(context);
        if (wrong === null) return;
        checked.frames++;
        if (wrong > wrongShare) checked.broken++;
        checked.worst = Math.max(checked.worst, wrong);
        if (checked.heights.at(-1) !== video.videoHeight) checked.heights.push(video.videoHeight);
      };
      video.requestVideoFrameCallback(onFrame);
      return checked;
    };

    const receivers: RTCRtpReceiver[] = [];
    let keepMs: number | null = null;
    const Connection = window.RTCPeerConnection;
    window.RTCPeerConnection = class extends Connection {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        this.addEventListener('track', ({ receiver }) => {
          receivers.push(receiver);
          if (keepMs !== null) receiver.jitterBufferTarget = keepMs;
        });
      }
    };
    const buffer = (ms: number) => {
      keepMs = ms;
      for (const receiver of receivers) receiver.jitterBufferTarget = ms;
    };
    window.pattern = { send, check, buffer };
    window.checked = {};
  });

/** Checks every frame this element shows from now on. */
export const checkFrames = (page: Page, id: string): Promise<void> =>
  page.evaluate((element) => {
    const video = document.getElementById(element) as HTMLVideoElement;
    window.checked[element] = window.pattern.check(video);
  }, id);

export const framesChecked = async (page: Page, id: string): Promise<Checked> =>
  page.evaluate((element) => window.checked[element] as Checked, id);

/** Delays the decoding of everything this page receives from now on, as on a network with jitter or on a busy machine. */
export const bufferFrames = (page: Page, ms: number): Promise<void> =>
  page.evaluate((keepMs) => window.pattern.buffer(keepMs), ms);

/** Shows the video of this element at this height, or hides it if the height is 0, so that the server chooses another layer. */
export const showFrames = (page: Page, id: string, height: number): Promise<void> =>
  page.evaluate(
    ([element, size]) => {
      const video = document.getElementById(element) as HTMLVideoElement;
      const style = { position: 'fixed', top: size > 0 ? '0' : '-2000px', left: '0' };
      Object.assign(video.style, style, {
        height: `${size || 180}px`,
        width: `${((size || 180) * 16) / 9}px`,
      });
      const [participant = '', source] = element.split(' ');
      window.parley.media.attach(video, { participant, source: source as 'camera' });
    },
    [id, height] as const,
  );
