/*
 * A clock in a video. It shows milliseconds as a grid of black and white cells, which stay readable with any codec, and a checksum that
 * reveals frames in which two times are mixed. The functions run in Chromium, so they cannot share code.
 */

declare global {
  interface Window {
    /** For each frame that was shown, the milliseconds from drawing it to showing it. */
    delays: number[];
  }
}

/** Replaces the camera with the clock, in 720p at 30 frames per second. */
export const clockAsCamera = () => {
  const [columns, rows, bits] = [8, 4, 24];
  const canvas = Object.assign(document.createElement('canvas'), { width: 1280, height: 720 });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas');
  const [width, height] = [canvas.width / columns, canvas.height / rows];
  const draw = () => {
    const time = Date.now() % 2 ** bits;
    const sum = ((time & 0xff) + ((time >> 8) & 0xff) + ((time >> 16) & 0xff) + 0x5a) & 0xff;
    for (let cell = 0; cell < columns * rows; cell++) {
      const bit = cell < bits ? (time >> cell) & 1 : (sum >> (cell - bits)) & 1;
      context.fillStyle = bit ? '#fff' : '#000';
      context.fillRect((cell % columns) * width, Math.floor(cell / columns) * height, width, height);
    }
  };
  draw();
  setInterval(draw, 1_000 / 30);
  const video = canvas.captureStream(30).getVideoTracks();
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async ({ audio } = {}) => {
    const audioTracks = audio ? (await original({ audio: true })).getAudioTracks() : [];
    // The tracks are cloned, so that stopping one of them does not stop the others.
    return new MediaStream([...video.map((track) => track.clone()), ...audioTracks]);
  };
};

/** Reads the clock from each frame that the page's video element shows, and adds its delay to `window.delays`. */
export const readClock = () => {
  const [columns, rows, bits, scale] = [8, 4, 24, 8];
  const canvas = Object.assign(document.createElement('canvas'), {
    width: columns * scale,
    height: rows * scale,
  });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const video = document.querySelector('video');
  if (!context || !video) throw new Error('no canvas or no video element');
  window.delays = [];
  const read = () => {
    const now = Date.now();
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let [time, sum] = [0, 0];
    for (let cell = 0; cell < columns * rows; cell++) {
      const x = (cell % columns) * scale + scale / 2;
      const y = Math.floor(cell / columns) * scale + scale / 2;
      const isWhite = (data[(y * canvas.width + x) * 4] ?? 0) > 127;
      if (isWhite && cell < bits) time |= 1 << cell;
      if (isWhite && cell >= bits) sum |= 1 << (cell - bits);
    }
    const expected = ((time & 0xff) + ((time >> 8) & 0xff) + ((time >> 16) & 0xff) + 0x5a) & 0xff;
    if (sum === expected) window.delays.push((now - time + 2 ** bits) % 2 ** bits);
    video.requestVideoFrameCallback(read);
  };
  video.requestVideoFrameCallback(read);
};
