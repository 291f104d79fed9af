import { ParleyError, type LiveStream, type Parley } from '@parley/sdk';
import { Store } from '../../session/Store.ts';
import { explainStream } from '../explainStream.ts';
import { moodOf, withoutTrack, withTrack } from '../streamState.ts';
import { GuestViewer } from './GuestViewer.ts';
import type { Received } from './received.ts';
import type { StreamViewer, ViewerEvents } from './StreamViewer.ts';
import { WalletViewer } from './WalletViewer.ts';
import { nothingYet, refusals, type WatchState } from './watchState.ts';

interface Watched {
  streamId: string;
  /** Of the link: opens a private stream. */
  token: string | null;
  /** Null for somebody without a wallet. */
  client: Parley | null;
  displayName: string;
}

const lookMs = 1_000;
/** WebRTC that finds no way for so long is given up: a firewall lets nothing through. */
const webrtcSeconds = 6;
/** By a way that is there, no picture has come for so long: the host has switched it off. */
const pauseSeconds = 3;
/** A connection that was there and broke is set up again so often in a row. */
const tries = 2;
const hlsAgainMs = 2_500;

/** One stream on its public page: takes the best way that works, and says what is going on. */
export class WatchController {
  readonly store = new Store<WatchState>(nothingYet);
  readonly #watched: Watched;
  #viewer: StreamViewer | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;
  #again: ReturnType<typeof setTimeout> | null = null;
  #waited = 0;
  /** By WebRTC, when it was looked at last; null while there was no way yet. */
  #received: Received | null = null;
  /** Seconds without a picture. */
  #dark = 0;
  #tried = 0;
  #isBeginning = false;
  #closed = false;

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  readonly open = async (): Promise<void> => {
    this.#viewer?.close();
    this.#closed = false;
    const { client, streamId, token, displayName } = this.#watched;
    const events = this.#events();
    const viewer = client
      ? new WalletViewer({ client, streamId, token, displayName, events })
      : new GuestViewer({ streamId, token, events });
    this.#viewer = viewer;
    this.#change({ ...nothingYet, stream: this.store.get().stream, way: firstWay() });
    [this.#waited, this.#tried, this.#dark] = [0, 0, 0];
    this.#received = null;
    try {
      await viewer.open();
      if (this.store.get().phase === 'loading') this.#change({ phase: 'open' });
      this.#timer ??= setInterval(() => this.#look(), lookMs);
      this.#look();
    } catch (error) {
      this.#refuse(error);
    }
  };

  readonly say = async (content: string): Promise<void> => {
    await this.#viewer?.say(content);
  };

  /** The player has given up. */
  readonly playlistFailed = (): void => {
    this.#change({ isStuck: true });
    this.#again ??= setTimeout(() => {
      this.#again = null;
      if (this.#mood === 'live') void this.#playByHls();
      else this.#change({ playlist: null });
    }, hlsAgainMs);
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

  /** Every second: whether what should come does. */
  #look(): void {
    const { phase, way, tracks, playlist } = this.store.get();
    if (phase !== 'open' || this.#mood !== 'live' || !this.#viewer?.isConnected) {
      [this.#waited, this.#dark] = [0, 0];
      return;
    }
    if (way === 'hls') {
      if (!playlist && this.#again === null) void this.#playByHls();
      return;
    }
    if (tracks.size > 0 && (this.#viewer.isReached || this.#received)) return void this.#listen(this.#viewer);
    if (tracks.size === 0) void this.#receive();
    this.#received = null;
    this.#tellOff(true, null);
    if (++this.#waited > webrtcSeconds) this.#fallBack();
  }

  /** There is a way: what comes by it? Browsers go on showing the last picture where none comes any more. */
  async #listen(viewer: StreamViewer): Promise<void> {
    this.#waited = 0;
    const now = await viewer.received().catch(() => null);
    const before = this.#received;
    // Out of sight it is not to come.
    if (!now || viewer !== this.#viewer || document.hidden) return;
    this.#received = now;
    const [isHeard, isSeen] = [now.audio > (before?.audio ?? 0), now.video > (before?.video ?? 0)];
    if (isHeard || isSeen) this.#tried = 0;
    this.#tellOff(isSeen, isHeard ? 'picture' : 'all');
  }

  /** @param off what it is called once it has lasted */
  #tellOff(isSeen: boolean, off: WatchState['off']): void {
    this.#dark = isSeen ? 0 : this.#dark + 1;
    const told = this.#dark >= pauseSeconds ? off : null;
    if (this.store.get().off !== told) this.#change({ off: told });
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
    this.#look();
  }

  async #playByHls(): Promise<void> {
    const { stream } = this.store.get();
    const viewer = this.#viewer;
    if (!stream || !viewer) return;
    // Of this origin, whatever the server's address is called from outside.
    const url = new URL(new URL(stream.playbackUrl).pathname, location.origin);
    // Set immediately, so that it is not requested a second time.
    this.#again ??= setTimeout(() => (this.#again = null), hlsAgainMs);
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
        if (++this.#tried > tries) this.#fallBack();
      },
      refused: (reason) => this.#out(reason),
      change: (changes) => this.#change(changes(this.store.get())),
    };
  }

  #refuse(error: unknown): void {
    const { extra, details, code } = error instanceof ParleyError ? error : {};
    if (extra && 'missingRequirements' in extra) {
      this.#change({ access: extra as unknown as WatchState['access'] });
      return this.#out('lacking');
    }
    const named = details?.map((detail) => detail.code) ?? [];
    if (named.includes('stream_ended')) return void this.#viewer?.open().catch(() => undefined);
    const reason = named.find((name) => name in refusals);
    if (reason) return this.#out(reason);
    if (named.includes('token_needed')) return this.#out('private');
    const { phase } = this.store.get();
    if (phase === 'open') return this.#change({ isStuck: true });
    const isOwn =
      code === 'CONFLICT' && error instanceof ParleyError && error.message.includes('localStream');
    if (isOwn) return this.#out('own');
    this.#change({ phase: 'missing', problem: explainStream(error) });
  }

  #out(reason: string): void {
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
