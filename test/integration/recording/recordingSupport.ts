import { execFileSync } from 'node:child_process';
import type { WireRecording } from '../../../sdk/protocol/recordings.ts';
import { installed } from '../../harness/run/installed.ts';
import { ServerProcess, type Settings } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { createToken, type WantedToken } from '../../harness/clients/TestGuest.ts';
import { RawMediaClient } from '../../harness/clients/RawMediaClient.ts';
import { queryDatabase } from '../money/accountSupport.ts';
import { download } from '../files/mediaSupport.ts';
import { closeSockets, newWallet, signIn } from '../support.ts';

/** A server that stores recorded chunks after half a second, and people whose devices send real audio and video. */
export class RecordingServer {
  readonly server: ServerProcess;
  readonly #devices: RawMediaClient[] = [];

  static async start(settings: Settings = {}): Promise<RecordingServer> {
    return new RecordingServer(await ServerProcess.start({ RECORDING_CHUNK_SECONDS: '0.5', ...settings }));
  }

  private constructor(server: ServerProcess) {
    this.server = server;
  }

  async person() {
    const wallet = newWallet();
    const { token } = await signIn(this.server.url, wallet);
    return { device: await this.device(token), address: wallet.address, token };
  }

  /** A guest with a participant token for this room. */
  async guest(roomId: string, wanted: WantedToken) {
    const { token, identity } = await createToken(this.server.database, roomId, wanted);
    return { device: await this.device(token), address: identity, token };
  }

  async device(token: string): Promise<RawMediaClient> {
    const device = await RawMediaClient.connect(this.server.url, token);
    this.#devices.push(device);
    return device;
  }

  query(text: string, values: unknown[] = []): Promise<unknown[]> {
    return queryDatabase(this.server, text, values);
  }

  /** Waits until `people` wallets have a recorded part of more than `bytes` bytes, of their screens if `isScreen`. */
  async recorded(recordingId: string, bytes: number, people: number, isScreen = false): Promise<void> {
    const text = `SELECT wallet FROM recording_parts WHERE recording_id = $1 AND bytes > $2 AND is_screen = $3 GROUP BY wallet`;
    await until(
      async () => (await this.query(text, [recordingId, bytes, isScreen])).length === people,
      `${people} people have ${bytes} bytes each`,
    );
  }

  /** Closes all devices. */
  leave(): void {
    for (const device of this.#devices.splice(0)) device.close();
  }

  async dispose(): Promise<void> {
    this.leave();
    closeSockets();
    await this.server.dispose();
  }
}

/** Waits until the recording can be downloaded. */
export async function ready(device: RawMediaClient, recordingId: string): Promise<WireRecording> {
  await device.events.first<WireRecording>(
    'recording:updated',
    ({ id, status }) => id === recordingId && status === 'ready',
  );
  return device.ask('recordings.get', { recordingId });
}

/** Owner, kind, codecs and length of each file of a recording. */
export const contentsOf = (recording: WireRecording) =>
  Promise.all(
    recording.files.map(async ({ url, walletAddress, isScreen }) => {
      const { video, audio, seconds } = probeMedia((await download(url)).bytes);
      return { walletAddress, isScreen, video, audio, isLong: seconds > 0.5 };
    }),
  );

/** Probes a media file with ffprobe, which decodes all of it. */
export function probeMedia(bytes: Buffer) {
  const args = ['-v', 'error', '-count_frames', '-show_streams', '-show_format', '-of', 'json', '-'];
  const ffprobe = installed('ffmpeg').replace(/ffmpeg$/, 'ffprobe');
  const text = execFileSync(ffprobe, args, { input: bytes, maxBuffer: 10_000_000 }).toString();
  const { streams, format } = JSON.parse(text) as {
    streams: { codec_type: string; codec_name: string; nb_read_frames: string }[];
    format: { duration: string };
  };
  const of = (type: string) => streams.find((stream) => stream.codec_type === type);
  return {
    video: of('video')?.codec_name ?? null,
    audio: of('audio')?.codec_name ?? null,
    frames: Number(of('video')?.nb_read_frames ?? 0),
    seconds: Number(format.duration),
  };
}
