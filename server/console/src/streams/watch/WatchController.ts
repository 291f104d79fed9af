import { Store } from '@parley/react';
import { ParleyError, type Guest, type LiveStream, type Parley } from '@parley/sdk';
import { explainStream } from '../explainStream.ts';
import { moodOf, withoutTrack, withTrack } from '../streamState.ts';
import { AnonymousViewer } from './AnonymousViewer.ts';
import type { Received } from './received.ts';
import { SdkViewer } from './SdkViewer.ts';
import type { StreamViewer, ViewerEvents } from './StreamViewer.ts';
import { nothingYet, refusals, type WatchState } from './watchState.ts';

interface Watched {
  streamId: string;
  /** The token in the link, which opens a private stream. */
  token: string | null;
  /** null for a viewer with neither a wallet nor a participant token. */
  client: Parley | null;
  /** What the participant token says; null without one. */
  guest: Guest | null;
  displayName: string;
}

const checkMs = 1_000;
/** The maximum wait for a WebRTC connection, which a firewall may prevent, for example. After it, HLS is used. */
const webrtcSeconds = 6;
/** If no video packets arrive on an established connection for this long, the host is assumed to have turned the video off. */
const pauseSeconds = 3;
/** The maximum number of times in a row that a lost WebRTC connection is set up again. */
const maxReconnects = 2;
const hlsRetryMs = 2_500;

/** The stream on its public page. Uses WebRTC, or HLS if WebRTC does not work, and keeps the state up to date. */
export class WatchController {
  readonly store = new Store<WatchState>(nothingYet);
  readonly #watched: Watched;
  #viewer: StreamViewer | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;
  #again: ReturnType<typeof setTimeout> | null = null;
  #waited = 0;
  /** The packet counts at the last check; null until the connection is established. */
  #received: Received | null = null;
  /** Seconds without video packets. */
  #dark = 0;
  #reconnects = 0;
  #isBeginning = false;
  #closed = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  /** What the participant token of the viewer says; null without one. */
  get guest(): Guest | null {
    return this.#watched.guest;
  }

  readonly open = async (): Promise<void> => {
    this.#viewer?.close();
    this.#closed = false;
    const { client, streamId, token, displayName, guest } = this.#watched;
    const events = this.#events();
    const viewer = client
      ? new SdkViewer({ client, streamId, token, displayName, isGuest: guest !== null, events })
      : new AnonymousViewer({ streamId, token, events });
    this.#viewer = viewer;
    this.#change({ ...nothingYet, stream: this.store.get().stream, way: firstWay() });
    [this.#waited, this.#reconnects, this.#dark] = [0, 0, 0];
    this.#received = null;
    try {
      await viewer.open();
      if (this.store.get().phase === 'loading') this.#change({ phase: 'open' });
      this.#timer ??= setInterval(() => this.#check(), checkMs);
      this.#check();
    } catch (error) {
      this.#refuse(error);
    }
  };

  readonly say = async (content: string): Promise<void> => {
    await this.#viewer?.say(content);
  };

  /** Called when the HLS player has failed. */
  readonly playlistFailed = (): void => {
    this.#change({ isStuck: true });
    this.#again ??= setTimeout(() => {
      this.#again = null;
      if (this.#mood === 'live') void this.#playByHls();
      else this.#change({ playlist: null });
    }, hlsRetryMs);
  };

  readonly plays = (): void => {
    if (this.store.get().isStuck) this.#change({ isStuck: false });
  };

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    if (this.#again !== null) clearTimeout(this.#again);
    this.#viewer?.close();
  }

  get #mood() {
    const { stream } = this.store.get();
    return stream && moodOf(stream);
  }

  /** Checks every second whether media is arriving. */
  #check(): void {
    const { phase, way, tracks, playlist } = this.store.get();
    if (phase !== 'open' || this.#mood !== 'live' || !this.#viewer?.isConnected) {
      [this.#waited, this.#dark] = [0, 0];
      return;
    }
    if (way === 'hls') {
      if (!playlist && this.#again === null) void this.#playByHls();
      return;
    }
    if (tracks.size > 0 && (this.#viewer.isReached || this.#received))
      return void this.#checkPackets(this.#viewer);
    if (tracks.size === 0) void this.#receive();
    this.#received = null;
    this.#updateOff(true, null);
    if (++this.#waited > webrtcSeconds) this.#fallBack();
  }

  /** Detects from the packet counts that the host has turned off a source, because browsers keep showing the last frame. */
  async #checkPackets(viewer: StreamViewer): Promise<void> {
    this.#waited = 0;
    const now = await viewer.received().catch(() => null);
    const before = this.#received;
    // A hidden page is not checked, because nothing is sent to it.
    if (!now || viewer !== this.#viewer || document.hidden) return;
    this.#received = now;
    const [hasNewAudio, hasNewVideo] = [now.audio > (before?.audio ?? 0), now.video > (before?.video ?? 0)];
    if (hasNewAudio || hasNewVideo) this.#reconnects = 0;
    this.#updateOff(hasNewVideo, hasNewAudio ? 'video' : 'all');
  }

  /** @param off the state to show once the video has been missing for long enough */
  #updateOff(hasNewVideo: boolean, off: WatchState['off']): void {
    this.#dark = hasNewVideo ? 0 : this.#dark + 1;
    const shown = this.#dark >= pauseSeconds ? off : null;
    if (this.store.get().off !== shown) this.#change({ off: shown });
  }

  async #receive(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      await this.#viewer?.receive();
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#isBeginning = false;
    }
  }

  #fallBack(): void {
    this.#viewer?.stopReceiving();
    this.#change({ way: 'hls', tracks: new Map() });
    this.#check();
  }

  async #playByHls(): Promise<void> {
    const { stream } = this.store.get();
    const viewer = this.#viewer;
    if (!stream || !viewer) return;
    // Uses this page's origin, because the server's public URL may have another host name.
    const url = new URL(new URL(stream.playbackUrl).pathname, location.origin);
    // Set immediately, so that the next check does not request the playlist a second time.
    this.#again ??= setTimeout(() => (this.#again = null), hlsRetryMs);
    try {
      const token = await viewer.token();
      if (token) url.searchParams.set('token', token);
      if (viewer === this.#viewer) this.#change({ playlist: { url: url.href } });
    } catch (error) {
      this.#refuse(error);
    }
  }

  #events(): ViewerEvents {
    return {
      stream: (stream) => {
        if (stream.status === 'ended') return this.#over(stream);
        this.#change({ stream, problem: null });
      },
      track: (source, track) => this.#change({ tracks: withTrack(this.store.get().tracks, source, track) }),
      trackEnded: (source, track) =>
        this.#change({ tracks: withoutTrack(this.store.get().tracks, source, track) }),
      mediaLost: () => {
        this.#change({ tracks: new Map() });
        if (++this.#reconnects > maxReconnects) this.#fallBack();
      },
      refused: (reason) => this.#showRefusal(reason),
      change: (changes) => this.#change(changes(this.store.get())),
    };
  }

  #refuse(error: unknown): void {
    const { extra, reason = '' } = error instanceof ParleyError ? error : {};
    if (extra && 'missingRequirements' in extra) {
      this.#change({ access: extra as unknown as WatchState['access'] });
      return this.#showRefusal('lacking');
    }
    if (reason === 'stream_ended') return void this.#viewer?.open().catch(() => undefined);
    if (reason in refusals) return this.#showRefusal(reason);
    if (reason === 'token_needed') return this.#showRefusal('private');
    const { phase } = this.store.get();
    if (phase === 'open') return this.#change({ isStuck: true });
    if (reason === 'own_stream') return this.#showRefusal('own');
    this.#change({ phase: 'missing', problem: explainStream(error) });
  }

  #showRefusal(reason: string): void {
    this.#viewer?.stopReceiving();
    this.#change({ ...gone, phase: 'refused', refusal: refusals[reason] ?? null });
  }

  #over(stream: LiveStream): void {
    this.#viewer?.close(true);
    this.#change({ ...gone, phase: 'over', stream });
  }

  #change(changes: Partial<WatchState>): void {
    if (!this.#closed) this.store.set({ ...this.store.get(), ...changes });
  }
}

const gone: Partial<WatchState> = { tracks: new Map(), playlist: null, isStuck: false, off: null };

const firstWay = (): WatchState['way'] => (typeof RTCPeerConnection === 'undefined' ? 'hls' : 'webrtc');
