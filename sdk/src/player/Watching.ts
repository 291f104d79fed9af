import { ParleyError } from '../../protocol/errors.ts';
import { callApp } from '../connection/Listeners.ts';
import type { LiveStream, Observable } from '../types.ts';
import { ClientSource } from './ClientSource.ts';
import { OpenSource } from './OpenSource.ts';
import type { PlayerSource, SourceEvents } from './PlayerSource.ts';
import type { PlayerState, WatchedStream, WatchOptions } from './playerTypes.ts';
import type { Received } from './received.ts';
import { Screen } from './Screen.ts';

const checkMs = 1_000;
/** The maximum wait for a WebRTC connection, which a firewall may prevent, for example. After it, HLS is used. */
const webrtcSeconds = 6;
/** If no video packets arrive on an established connection for this long, the host is assumed to have turned the video off. */
const pauseSeconds = 3;
/** The maximum number of times in a row that a lost WebRTC connection is set up again. */
const maxReconnects = 2;
const hlsRetryMs = 2_500;

/** The reasons for which a player gives up. With others, it tries again. */
const finalReasons: readonly string[] = [
  ...['token_needed', 'token_void', 'gated', 'requirement_missing', 'banned', 'revoked', 'replaced'],
  ...['access_lost', 'access_unknown', 'other_network'],
];
const isFinal = (reason: string) => finalReasons.includes(reason);

/** The state of a player that has not begun. */
export const initialPlayerState: PlayerState = {
  phase: 'loading',
  stream: null,
  way: 'webrtc',
  hasMedia: false,
  isStuck: false,
  off: null,
  isSilenced: false,
  tracks: new Map(),
  reason: null,
  access: null,
  error: null,
};

/** A stream that is being watched. Uses WebRTC, or HLS if WebRTC does not work, and keeps the state up to date. */
export class Watching implements WatchedStream {
  readonly #options: WatchOptions & { baseUrl: string };
  readonly #listeners = new Set<() => void>();
  readonly #screen: Screen;
  #state = initialPlayerState;
  #source: PlayerSource | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;
  #again: ReturnType<typeof setTimeout> | null = null;
  #playlist: { url: string } | null = null;
  /** Whether the playlist can no longer be played. It is then replaced. */
  #hasPlaylistFailed = false;
  #waited = 0;
  /** The packet counts at the last check; null until the connection is established. */
  #received: Received | null = null;
  /** Seconds without video packets. */
  #dark = 0;
  #reconnects = 0;
  #isBeginning = false;
  #closed = false;

  constructor(options: WatchOptions & { baseUrl: string }) {
    this.#options = options;
    this.#screen = new Screen({
      onPlaylistFailed: () => this.#playlistFailed(),
      onPlays: () => {
        if (this.#state.isStuck) this.#change({ isStuck: false });
      },
      onSilenced: (isSilenced) => {
        if (isSilenced !== this.#state.isSilenced) this.#change({ isSilenced });
      },
    });
    if (options.element) this.show(options.element);
  }

  readonly state: Observable<PlayerState> = {
    get: () => this.#state,
    subscribe: (listener) => {
      this.#listeners.add(listener);
      return () => void this.#listeners.delete(listener);
    },
  };

  show(element: HTMLVideoElement): () => void {
    return this.#screen.use(element);
  }

  async retry(): Promise<void> {
    this.#source?.close();
    if (this.#closed) return;
    const source = this.#createSource();
    this.#source = source;
    [this.#waited, this.#reconnects, this.#dark] = [0, 0, 0];
    [this.#received, this.#playlist] = [null, null];
    this.#hasPlaylistFailed = false;
    const { stream, isSilenced } = this.#state;
    this.#change({ ...initialPlayerState, stream, isSilenced, way: firstWay() });
    try {
      await source.open();
      if (source !== this.#source) return;
      if (this.#state.phase === 'loading') this.#change({ phase: 'open' });
      this.#timer ??= setInterval(() => this.#check(), checkMs);
      this.#check();
    } catch (error) {
      if (source === this.#source) this.#refuse(error);
    }
  }

  stop(): void {
    this.#closed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#again !== null) clearTimeout(this.#again);
    this.#source?.close();
    this.#screen.close();
    this.#listeners.clear();
  }

  #createSource(): PlayerSource {
    const { client, streamId, baseUrl, token = null, displayName = '' } = this.#options;
    const events = this.#events();
    return client
      ? new ClientSource({ client, streamId, token, displayName, events })
      : new OpenSource({ baseUrl, streamId, token, events, isFinal });
  }

  get #isLive(): boolean {
    const { stream } = this.#state;
    return stream?.status === 'live' && stream.isSending;
  }

  /** Checks every second whether media is arriving. */
  #check(): void {
    const { phase, way, tracks } = this.#state;
    if (phase !== 'open' || !this.#isLive || !this.#source?.isConnected) {
      [this.#waited, this.#dark] = [0, 0];
      if (this.#hasPlaylistFailed && !this.#isLive) this.#setPlaylist(null);
      return;
    }
    if (way === 'hls') {
      if ((!this.#playlist || this.#hasPlaylistFailed) && this.#again === null) void this.#playByHls();
      return;
    }
    if (tracks.size > 0 && (this.#source.isReached || this.#received))
      return void this.#checkPackets(this.#source);
    if (tracks.size === 0) void this.#receive();
    this.#received = null;
    this.#updateOff(true, null);
    if (++this.#waited > webrtcSeconds) this.#fallBack();
  }

  /** Detects from the packet counts that the host has turned off a source, because browsers keep showing the last frame. */
  async #checkPackets(source: PlayerSource): Promise<void> {
    this.#waited = 0;
    const now = await source.received().catch(() => null);
    const before = this.#received;
    // A hidden page is not checked, because nothing is sent to it.
    if (!now || source !== this.#source || document.hidden) return;
    this.#received = now;
    const [hasNewAudio, hasNewVideo] = [now.audio > (before?.audio ?? 0), now.video > (before?.video ?? 0)];
    if (hasNewAudio || hasNewVideo) this.#reconnects = 0;
    this.#updateOff(hasNewVideo, hasNewAudio ? 'video' : 'all');
  }

  /** @param off the state to show once the video has been missing for long enough */
  #updateOff(hasNewVideo: boolean, off: PlayerState['off']): void {
    this.#dark = hasNewVideo ? 0 : this.#dark + 1;
    const shown = this.#dark >= pauseSeconds ? off : null;
    if (this.#state.off !== shown) this.#change({ off: shown });
  }

  async #receive(): Promise<void> {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      await this.#source?.receive();
    } catch (error) {
      this.#refuse(error);
    } finally {
      this.#isBeginning = false;
    }
  }

  #fallBack(): void {
    this.#source?.stopReceiving();
    this.#change({ way: 'hls', tracks: new Map() });
    this.#check();
  }

  async #playByHls(): Promise<void> {
    const { stream } = this.#state;
    const source = this.#source;
    if (!stream || !source) return;
    // The server is reached by the same address as before, because its public URL may have another host name.
    const url = new URL(new URL(stream.playbackUrl).pathname, this.#options.baseUrl);
    // Set immediately, so that the next checks do not request the playlist a second time.
    this.#again ??= setTimeout(() => (this.#again = null), hlsRetryMs);
    try {
      const token = await source.token();
      if (token) url.searchParams.set('token', token);
      if (source === this.#source) this.#setPlaylist({ url: url.href });
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The next check requests the playlist again, also if that fails or takes long. */
  #playlistFailed(): void {
    this.#hasPlaylistFailed = true;
    this.#change({ isStuck: true });
  }

  #setPlaylist(playlist: { url: string } | null): void {
    this.#playlist = playlist;
    this.#hasPlaylistFailed = false;
    this.#change({});
  }

  #events(): SourceEvents {
    const withTrack = (change: (tracks: Map<string, MediaStreamTrack>) => void) => {
      const tracks = new Map(this.#state.tracks);
      change(tracks);
      this.#change({ tracks });
    };
    return {
      stream: (stream) => {
        if (stream.status === 'ended') this.#over(stream);
        else this.#change({ stream, error: null });
      },
      viewerCount: (viewerCount) => {
        const { stream } = this.#state;
        if (stream) this.#change({ stream: { ...stream, viewerCount } });
      },
      track: (source, track) => withTrack((tracks) => tracks.set(source, track)),
      trackEnded: (source, track) => {
        // Another track may have replaced it already.
        if (this.#state.tracks.get(source) === track) withTrack((tracks) => tracks.delete(source));
      },
      mediaLost: () => {
        this.#change({ tracks: new Map() });
        if (++this.#reconnects > maxReconnects) this.#fallBack();
      },
      refused: (reason) => this.#showRefusal(reason),
    };
  }

  #refuse(cause: unknown): void {
    const error = cause instanceof ParleyError ? cause : unknownError(cause);
    const { extra, reason } = error;
    if (extra && 'missingRequirements' in extra) {
      this.#change({ access: extra as unknown as PlayerState['access'] });
      return this.#showRefusal('requirement_missing');
    }
    if (reason === 'stream_ended') return void this.#source?.open().catch(() => undefined);
    if (isFinal(reason)) return this.#showRefusal(reason);
    if (this.#state.phase === 'open') return this.#change({ isStuck: true });
    if (reason === 'own_stream') return this.#showRefusal(reason);
    this.#change({ phase: 'failed', error });
  }

  #showRefusal(reason: string): void {
    this.#source?.stopReceiving();
    this.#playlist = null;
    this.#change({ ...gone, phase: 'refused', reason });
  }

  #over(stream: LiveStream): void {
    this.#source?.close(true);
    this.#playlist = null;
    this.#change({ ...gone, phase: 'ended', stream });
  }

  #change(changes: Partial<PlayerState>): void {
    if (this.#closed) return;
    const state = { ...this.#state, ...changes };
    const isOpen = state.phase === 'open' && state.stream?.status !== 'idle';
    const playlist = state.way === 'hls' ? this.#playlist : null;
    const hasTracks = state.way === 'webrtc' && state.tracks.size > 0;
    this.#state = { ...state, hasMedia: isOpen && (playlist !== null || hasTracks) };
    if (state.tracks !== this.#shownTracks.tracks) this.#shownTracks = { tracks: state.tracks };
    this.#screen.show(isOpen ? (playlist ?? (hasTracks ? this.#shownTracks : null)) : null);
    callApp(() => this.#options.onState?.(this.#state));
    for (const listener of [...this.#listeners]) callApp(listener);
  }

  /** The tracks of the state, in one object as long as they are the same. */
  #shownTracks: { tracks: PlayerState['tracks'] } = { tracks: initialPlayerState.tracks };
}

const gone: Partial<PlayerState> = { tracks: new Map(), isStuck: false, off: null };

const firstWay = (): PlayerState['way'] => (typeof RTCPeerConnection === 'undefined' ? 'hls' : 'webrtc');

const unknownError = (cause: unknown) =>
  new ParleyError('INTERNAL', `The stream could not be opened: ${String(cause)}`, { cause });
