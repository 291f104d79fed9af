import { WebSocket } from 'ws';
import { until } from '../../harness/until.ts';

/** A WebSocket for frames that no Socket.IO client would send. */
export async function openRawDevice(url: string, auth: object) {
  const raw = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`);
  const frames: string[] = [];
  let closed = false;
  raw.on('message', (data: Buffer) => frames.push(data.toString()));
  raw.on('close', () => (closed = true));
  raw.on('error', () => {});
  await until(() => frames.some((frame) => frame.startsWith('0')), 'the engine is open');
  raw.send(`40${JSON.stringify(auth)}`);
  await until(() => frames.some((frame) => frame.startsWith('4')), 'the handshake is answered');
  return {
    raw,
    frames,
    isClosed: () => closed,
    stopReading: () => raw.pause(),
    /** Waits for a frame with this start. */
    frame: (start: string) => until(() => frames.find((frame) => frame.startsWith(start)), start),
  };
}
