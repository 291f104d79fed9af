import type { LiveStream, Parley, ParleyEvents, StreamChatMessage, StreamQuality, Viewer } from '@parley/sdk';
import { coalesced } from '../core/coalesced.ts';
import type { Services } from '../core/Services.ts';
import { lostDevice } from '../devices/lostDevice.ts';
import { Store } from '../core/Store.ts';
import { withChat } from '../conversation/withChat.ts';
import { isOwnRefusal, type Problem } from '../problems/explain.ts';
import { createSession } from '../session/SessionController.ts';
import { explainStream } from './explainStream.ts';
import { chatRead, withLatest, withoutMessage, withoutTrack, withTrack, type Tracks } from './streamState.ts';

export type VideoSource = 'camera' | 'screen' | 'none';

export interface LiveChoice {
  source: VideoSource;
  audio: boolean;
  quality: StreamQuality;
}

export interface StudioState {
  phase: 'loading' | 'missing' | 'foreign' | 'ready';
  stream: LiveStream | null;
  problem: Problem | null;
  /** Whether this device sends the stream. */
  sending: 'no' | 'starting' | 'yes';
  choice: LiveChoice | null;
  /** Whether this device is sending audio and video at the moment. */
  own: { audio: boolean; video: boolean };
  /** The media this device sends. A new object whenever the stream's tracks change. */
  local: { stream: MediaStream | null };
  /** Whether another device or program has taken over from this device. */
  wasReplaced: boolean;
  mediaFailed: boolean;
  /** Whether the host is watching the viewer preview. */
  preview: 'off' | 'starting' | 'on';
  tracks: Tracks;
  viewers: Viewer[];
  /** Oldest first. */
  chat: StreamChatMessage[];
}

const first: StudioState = {
  phase: 'loading',
  stream: null,
  problem: null,
  sending: 'no',
  choice: null,
  own: { audio: false, video: false },
  local: { stream: null },
  wasReplaced: false,
  mediaFailed: false,
  preview: 'off',
  tracks: new Map(),
  viewers: [],
  chat: [],
};

/** The maximum number of viewers and messages to load. The viewer count includes all viewers. */
const listed = 100;
/** The delay before the viewers are read again, so that simultaneous joins cause only one request. */
const rereadMs = 1_500;

/** The studio of one stream. Carries out the host's actions and keeps the state up to date with the SDK's events. */
export class StudioController {
  readonly store = new Store<StudioState>(first);
  readonly streamId: string;
  readonly #client: Parley;
  readonly #services: Services;
  readonly #stops: (() => void)[] = [];
  #rereading: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  constructor(services: Services, streamId: string) {
    this.#services = services;
    this.#client = services.client;
    this.streamId = streamId;
    this.#subscribeToStream();
    this.#subscribeToMedia();
  }

  /** The wallet that is signed in. */
  get address(): string {
    return this.#services.get(createSession).address ?? '';
  }

  get isSending(): boolean {
    return this.store.get().sending !== 'no';
  }

  readonly load = async (): Promise<void> => {
    const { streaming } = this.#client;
    try {
      const stream = await streaming.get(this.streamId);
      if (stream.host !== this.address) return this.#change({ phase: 'foreign', stream });
      this.#change({ phase: 'ready', stream, problem: null });
      if (stream.status === 'ended') return;
      const { chat: known } = this.store.get();
      const read = await streaming.getChat(this.streamId, { limit: chatRead });
      this.#change({ chat: withLatest(this.store.get().chat, known, read) });
      await this.#readViewers();
    } catch (error) {
      const { phase } = this.store.get();
      this.#change({ phase: phase === 'ready' ? phase : 'missing', problem: this.#explain(error) });
    }
  };

  readonly goLive = async (choice: LiveChoice): Promise<void> => {
    const { source, audio, quality } = choice;
    const { choice: former } = this.store.get();
    this.#change({ sending: 'starting', problem: null, wasReplaced: false, mediaFailed: false, choice });
    try {
      await this.hidePreview();
      const video = source === 'screen' ? source : source === 'camera';
      await this.#client.streaming.start({ streamId: this.streamId, video, audio, quality });
      this.#showLocal(this.#client.media.localStream(this.streamId));
      this.#change({ sending: 'yes', own: { ...this.store.get().own, audio } });
    } catch (error) {
      // For example, the user has closed the choice of a screen. What this device has sent before still reaches the viewers.
      const isSent = this.#client.media.localStream(this.streamId) !== null;
      this.#change({
        ...(isSent ? { sending: 'yes' as const, choice: former } : { sending: 'no' as const }),
        problem: isOwnRefusal(error) ? null : this.#explain(error),
      });
    }
  };

  readonly toggleAudio = () =>
    this.#toggle('audio', (on) =>
      on
        ? this.#client.streaming.unmuteAudio(this.streamId)
        : this.#client.streaming.muteAudio(this.streamId),
    );

  readonly toggleVideo = async (): Promise<void> => {
    const { choice, own } = this.store.get();
    // The browser asks the user to choose a screen each time, so a stopped screen share cannot be resumed. The user has to start it again.
    if (choice?.source === 'screen' && !own.video) return this.goLive({ ...choice, audio: own.audio });
    await this.#toggle('video', (on) =>
      on
        ? this.#client.streaming.unmuteVideo(this.streamId)
        : this.#client.streaming.muteVideo(this.streamId),
    );
  };

  readonly setDevice = async (kind: 'camera' | 'microphone', deviceId: string): Promise<void> => {
    await this.#try(() => this.#client.media.setDevice(kind, deviceId));
  };

  /** Starts the viewer preview. During the preview, the host counts as a viewer. */
  readonly showPreview = async (): Promise<void> => {
    this.#change({ preview: 'starting', problem: null });
    try {
      await this.#client.streaming.watch(this.streamId);
      this.#change({ preview: 'on' });
    } catch (error) {
      this.#change({ preview: 'off', problem: this.#explain(error) });
    }
  };

  readonly hidePreview = async (): Promise<void> => {
    if (this.store.get().preview === 'off') return;
    this.#change({ preview: 'off', tracks: new Map() });
    await this.#client.streaming.unwatch(this.streamId).catch(() => undefined);
  };

  readonly end = async (): Promise<void> => {
    await this.#client.streaming.end(this.streamId);
    this.#change({ stream: await this.#client.streaming.get(this.streamId), ...over });
  };

  /** Replaces the stream key. Links to a private stream become invalid. */
  readonly resetKey = async (): Promise<void> => {
    const stream = await this.#client.streaming.resetKey(this.streamId);
    // The server disconnects every publisher that uses the old key, including this device.
    this.#change({ stream });
  };

  /** Creates a link that opens a private stream for a day. */
  readonly makeLink = async (): Promise<{ url: string; expiresAt: Date }> => {
    const { token, expiresAt } = await this.#client.streaming.getViewerToken(this.streamId);
    const { stream } = this.store.get();
    return { url: `${stream?.watchUrl}?token=${encodeURIComponent(token)}`, expiresAt };
  };

  readonly say = async (content: string): Promise<void> => {
    const said = await this.#client.streaming.sendChat(this.streamId, content);
    this.#change({ chat: withChat(this.store.get().chat, said) });
  };

  readonly deleteMessage = (messageId: string) =>
    this.#try(async () => {
      await this.#client.streaming.deleteChat(this.streamId, messageId);
      this.#change({ chat: withoutMessage(this.store.get().chat, messageId) });
    });

  readonly ban = (wallet: string) =>
    this.#try(async () => {
      await this.#client.streaming.ban(this.streamId, wallet);
      await this.#readViewers();
    });

  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    if (this.#rereading !== null) clearTimeout(this.#rereading);
    if (this.store.get().preview !== 'off')
      void this.#client.streaming.unwatch(this.streamId).catch(() => undefined);
  }

  readonly #readViewers = coalesced(async () => {
    const viewers = await this.#client.streaming
      .getViewers(this.streamId, { limit: listed })
      .catch(() => null);
    if (viewers) this.#change({ viewers });
  });

  #rereadSoon(): void {
    this.#rereading ??= setTimeout(() => {
      this.#rereading = null;
      void this.#readViewers();
    }, rereadMs);
  }

  #subscribeToStream(): void {
    this.#on('stream:updated', (stream) => {
      if (stream.id === this.streamId) this.#updateStream(stream);
    });
    this.#on('stream:ended', (stream) => {
      if (stream.id !== this.streamId) return;
      this.#updateStream(stream);
      this.#change(over);
    });
    for (const name of ['stream:viewer:joined', 'stream:viewer:left'] as const)
      this.#on(name, ({ streamId }) => streamId === this.streamId && this.#rereadSoon());
    this.#on('stream:viewer:count', ({ streamId, count }) => {
      const { stream } = this.store.get();
      if (streamId !== this.streamId || !stream) return;
      this.#change({ stream: { ...stream, viewerCount: count } });
      this.#rereadSoon();
    });
    this.#on('stream:chat:message', (said) => {
      if (said.streamId === this.streamId) this.#change({ chat: withChat(this.store.get().chat, said) });
    });
    this.#on('stream:chat:deleted', ({ streamId, messageId }) => {
      if (streamId === this.streamId)
        this.#change({ chat: withoutMessage(this.store.get().chat, messageId) });
    });
    this.#on('stream:replaced', ({ streamId }) => {
      if (streamId === this.streamId) this.#change({ ...notSending, wasReplaced: true });
    });
    this.#on('session:missed', () => void this.load());
  }

  #subscribeToMedia(): void {
    this.#on('media:local', ({ id, stream }) => {
      if (id === this.streamId) this.#showLocal(stream);
    });
    this.#on('media:track', ({ id, source, track }) => {
      if (id === this.streamId) this.#change({ tracks: withTrack(this.store.get().tracks, source, track) });
    });
    this.#on('media:track:ended', ({ id, source, track }) => {
      if (id === this.streamId)
        this.#change({ tracks: withoutTrack(this.store.get().tracks, source, track) });
    });
    this.#on('media:failed', ({ id, error }) => {
      if (id !== this.streamId) return;
      // What else this device sends goes on.
      if (lostDevice(error)) this.#services.report(error);
      else this.#change({ mediaFailed: true });
    });
  }

  /** Shows what this device sends, after its tracks have changed. */
  #showLocal(stream: MediaStream | null): void {
    // A new object, so that components notice that the stream's tracks have changed.
    this.#change({ local: { stream } });
    this.#readOwnVideo();
    // This happens if the user stops sharing with the browser's button, or if the camera is unplugged. Another camera may replace it.
    for (const track of stream?.getVideoTracks() ?? []) track.addEventListener('ended', this.#readOwnVideo);
  }

  readonly #readOwnVideo = (): void => {
    const { own, local } = this.store.get();
    const tracks = local.stream?.getVideoTracks() ?? [];
    const video = tracks.some(({ readyState, enabled }) => readyState === 'live' && enabled);
    this.#change({ own: { ...own, video } });
  };

  /** Applies an event. Keeps the known stream key, because events do not contain it. */
  #updateStream(stream: LiveStream): void {
    const known = this.store.get().stream;
    if (known) this.#change({ stream: { ...stream, streamKey: known.streamKey } });
  }

  async #toggle(field: 'audio' | 'video', act: (value: boolean) => Promise<void>): Promise<void> {
    const { own } = this.store.get();
    const value = !own[field];
    this.#change({ own: { ...own, [field]: value } });
    if (!(await this.#try(() => act(value))))
      this.#change({ own: { ...this.store.get().own, [field]: !value } });
  }

  #on<Name extends keyof ParleyEvents>(name: Name, handler: (payload: ParleyEvents[Name]) => unknown): void {
    this.#stops.push(this.#client.on(name, (payload) => void handler(payload)));
  }

  async #try(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      this.#services.report(error);
      return false;
    }
  }

  #explain(error: unknown): Problem {
    return explainStream(error, this.#services.words);
  }

  #change(changes: Partial<StudioState>): void {
    if (!this.#closed) this.store.set({ ...this.store.get(), ...changes });
  }
}

const notSending = { sending: 'no' as const, local: { stream: null } };
const over: Partial<StudioState> = { ...notSending, preview: 'off', tracks: new Map(), viewers: [] };
