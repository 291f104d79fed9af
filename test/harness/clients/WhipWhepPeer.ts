import { setTimeout as delay } from 'node:timers/promises';
import wrtc from '@roamhq/wrtc';
import { until } from '../until.ts';

const { RTCAudioSource, RTCVideoSource } = wrtc.nonstandard;
const [width, height, framesPerSecond] = [320, 240, 10];

/** A WHIP or WHEP client that uses neither a browser nor Parley's code, only a connection of libwebrtc. */
export class WhipWhepPeer {
  readonly #connection = new wrtc.RTCPeerConnection();
  readonly #tracks: MediaStreamTrack[] = [];
  #video: InstanceType<typeof RTCVideoSource> | null = null;
  #ticking: NodeJS.Timeout | undefined;

  /** Sends a grey video, and an audio track without packets. @param isPaused whether it only connects, until it is resumed */
  static async publish(url: string, key: string, isPaused = false): Promise<WhipWhepPeer> {
    const peer = new WhipWhepPeer();
    const [audio, video] = [new RTCAudioSource(), new RTCVideoSource()];
    for (const source of [audio, video]) {
      const track = source.createTrack();
      peer.#tracks.push(track);
      peer.#connection.addTransceiver(track, { direction: 'sendonly' });
    }
    peer.#video = video;
    if (!isPaused) peer.resume();
    await peer.#begin(url, key);
    return peer;
  }

  static async watch(url: string, token: string): Promise<WhipWhepPeer> {
    const peer = new WhipWhepPeer();
    for (const kind of ['audio', 'video']) peer.#connection.addTransceiver(kind, { direction: 'recvonly' });
    await peer.#begin(url, token);
    return peer;
  }

  get state(): RTCPeerConnectionState {
    return this.#connection.connectionState;
  }

  /** Whether video arrives. RTCP alone would be only one packet a second. */
  async receivesVideo(): Promise<boolean> {
    const before = await this.#packets();
    await delay(1_000);
    return (await this.#packets()) > before + framesPerSecond / 2;
  }

  /** Stops sending video. The connection stays open. */
  pause(): void {
    clearInterval(this.#ticking);
  }

  resume(): void {
    const frame = { width, height, data: new Uint8Array(width * height * 1.5).fill(128) };
    this.#ticking = setInterval(() => this.#video?.onFrame(frame), 1_000 / framesPerSecond);
  }

  close(): void {
    this.pause();
    this.#connection.close();
    for (const track of this.#tracks) track.stop();
  }

  async #packets(): Promise<number> {
    const stats = [...(await this.#connection.getStats()).values()] as RTCTransportStats[];
    return stats.find(({ type }) => type === 'transport')?.packetsReceived ?? 0;
  }

  async #begin(url: string, token: string): Promise<void> {
    const offer = await this.#connection.createOffer();
    await this.#connection.setLocalDescription(offer);
    const headers = { 'Content-Type': 'application/sdp', Authorization: `Bearer ${token}` };
    const response = await fetch(url, { method: 'POST', headers, body: offer.sdp ?? '' });
    const sdp = await response.text();
    if (response.status !== 201) throw new Error(`${url}: ${response.status} ${sdp}`);
    await this.#connection.setRemoteDescription({ type: 'answer', sdp });
    await until(() => this.state === 'connected', 'the connection');
  }
}
