import type { LiveStream, Parley, ParleyEvents, StreamChatMessage, StreamQuality, Viewer } from '@parley/sdk';
import { withChat } from '../conversation/withChat.ts';
import { coalesced } from '../data/coalesced.ts';
import { Store } from '../session/Store.ts';
import type { Problem } from '../ui/explain.ts';
import { explainStream, isOwnRefusal } from './explainStream.ts';
import { withoutMessage, withoutTrack, withTrack, type Tracks } from './streamState.ts';

export type VideoSource = 'camera' | 'screen' | 'none';

export interface LiveChoice {
  picture: VideoSource;
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
  /** What of it is sent at the moment. */
  own: { audio: boolean; video: boolean };
  /** What this device sends. The object stays the same while what is in it changes. */
  local: { stream: MediaStream | null };
  /** Another device or program has taken over from this one. */
  wasReplaced: boolean;
  mediaFailed: boolean;
  /** Whether the host looks at what viewers get. */
  preview: 'off' | 'starting' | 'on';
  tracks: Tracks;
  viewers: Viewer[];
  /** The oldest first. */
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

/** So many are listed; the count tells of all. */
const listed = 100;
/** A crowd that comes at once is read once. */
const lookAgainMs = 1_500;

/** One stream on its host's page: carries out what the host wants, and shows what the SDK tells. */
export class StudioController {
  readonly store = new Store<StudioState>(first);
  readonly streamId: string;
  readonly address: string;
  readonly #client: Parley;
  readonly #report: (error: unknown) => void;
  readonly #stops: (() => void)[] = [];
  #looking: ReturnType<typeof setTimeout> | null = null;
  #closed = false;

  /** @param report shows a failure that ends nothing */
  constructor(client: Parley, address: string, streamId: string, report: (error: unknown) => void) {
    this.#client = client;
    this.address = address;
    this.streamId = streamId;
    this.#report = report;
    this.#hearOfStream();
    this.#hearOfMedia();
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
      const chat = await streaming.getChat(this.streamId, { limit: listed });
      this.#change({ chat: withChat(this.store.get().chat, ...chat) });
      await this.#readViewers();
    } catch (error) {
      const { phase } = this.store.get();
      this.#change({ phase: phase === 'ready' ? phase : 'missing', problem: explainStream(error) });
    }
  };

  readonly goLive = async (choice: LiveChoice): Promise<void> => {
    const { picture, audio, quality } = choice;
    this.#change({ sending: 'starting', problem: null, wasReplaced: false, mediaFailed: false, choice });
    try {
      await this.hidePreview();
      const video = picture === 'screen' ? picture : picture === 'camera';
      await this.#client.streaming.start({ streamId: this.streamId, video, audio, quality });
      const stream = this.#client.media.localStream(this.streamId);
      this.#change({ sending: 'yes', own: { audio, video: picture !== 'none' }, local: { stream } });
      const [shown] = stream?.getVideoTracks() ?? [];
      // By the browser's own button, or a camera that was pulled out.
      shown?.addEventListener('ended', () =>
        this.#change({ own: { ...this.store.get().own, video: false } }),
      );
    } catch (error) {
      this.#change({ sending: 'no', problem: isOwnRefusal(error) ? null : explainStream(error) });
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
    // Which screen it is the browser asks each time.
    if (choice?.picture === 'screen' && !own.video) return this.goLive({ ...choice, audio: own.audio });
    await this.#toggle('video', (on) =>
      on
        ? this.#client.streaming.unmuteVideo(this.streamId)
        : this.#client.streaming.muteVideo(this.streamId),
    );
  };

  readonly setDevice = async (kind: 'camera' | 'microphone', deviceId: string): Promise<void> => {
    await this.#try(() => this.#client.media.setDevice(kind, deviceId));
  };

  /** What viewers get, for the host to see; who looks is a viewer. */
  readonly showPreview = async (): Promise<void> => {
    this.#change({ preview: 'starting', problem: null });
    try {
      await this.#client.streaming.watch(this.streamId);
      this.#change({ preview: 'on' });
    } catch (error) {
      this.#change({ preview: 'off', problem: explainStream(error) });
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

  /** The key is another one from here on, and links to a private stream are void. */
  readonly resetKey = async (): Promise<void> => {
    const stream = await this.#client.streaming.resetKey(this.streamId);
    // Every sender with the old key is disconnected, this device too.
    this.#change({ stream });
  };

  /** A link that opens a private stream for a day. */
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
    if (this.#looking !== null) clearTimeout(this.#looking);
    if (this.store.get().preview !== 'off')
      void this.#client.streaming.unwatch(this.streamId).catch(() => undefined);
  }

  readonly #readViewers = coalesced(async () => {
    const viewers = await this.#client.streaming
      .getViewers(this.streamId, { limit: listed })
      .catch(() => null);
    if (viewers) this.#change({ viewers });
  });

  #lookSoon(): void {
    this.#looking ??= setTimeout(() => {
      this.#looking = null;
      void this.#readViewers();
    }, lookAgainMs);
  }

  #hearOfStream(): void {
    this.#on('stream:updated', (stream) => {
      if (stream.id === this.streamId) this.#news(stream);
    });
    this.#on('stream:ended', (stream) => {
      if (stream.id !== this.streamId) return;
      this.#news(stream);
      this.#change(over);
    });
    for (const name of ['stream:viewer:joined', 'stream:viewer:left'] as const)
      this.#on(name, ({ streamId }) => streamId === this.streamId && this.#lookSoon());
    this.#on('stream:viewer:count', ({ streamId, count }) => {
      const { stream } = this.store.get();
      if (streamId !== this.streamId || !stream) return;
      this.#change({ stream: { ...stream, viewerCount: count } });
      this.#lookSoon();
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

  #hearOfMedia(): void {
    this.#on('media:local', ({ id, stream }) => {
      // Another object, so that what is in the stream is looked at again.
      if (id === this.streamId) this.#change({ local: { stream } });
    });
    this.#on('media:track', ({ id, source, track }) => {
      if (id === this.streamId) this.#change({ tracks: withTrack(this.store.get().tracks, source, track) });
    });
    this.#on('media:track:ended', ({ id, source, track }) => {
      if (id === this.streamId)
        this.#change({ tracks: withoutTrack(this.store.get().tracks, source, track) });
    });
    this.#on('media:failed', ({ id }) => {
      if (id === this.streamId) this.#change({ mediaFailed: true });
    });
  }

  /** Events do not carry the stream key; only responses do. */
  #news(stream: LiveStream): void {
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
      this.#report(error);
      return false;
    }
  }

  #change(changes: Partial<StudioState>): void {
    if (!this.#closed) this.store.set({ ...this.store.get(), ...changes });
  }
}

const notSending = { sending: 'no' as const, local: { stream: null } };
const over: Partial<StudioState> = { ...notSending, preview: 'off', tracks: new Map(), viewers: [] };
