import type { Call, CallType, Parley } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { explain, isOwnRefusal } from '../problems/explain.ts';
import {
  next,
  noCalls,
  shownCalls,
  type CallsEvent,
  type CallsState,
  type OwnCalls,
  type RunningCall,
} from './callState.ts';

interface CameraChoice {
  /** Whether to open the camera in a video call. @default true */
  camera?: boolean;
}

/** Carries out the user's actions. The media of the current call is that of the SDK's state of it. */
export class CallController {
  readonly store = new Store<CallsState>(noCalls);
  #own: OwnCalls = noCalls;
  #followedId: string | null = null;
  #unfollow = () => {};
  readonly #services: Services;
  readonly #client: Parley;
  /** Rises with each call opened here, each hang-up and the end of the session. A response for an older number is of an abandoned call, or of a button that was pressed twice. */
  #attempt = 0;
  /** The latest start of a call; null once the call is shown, or was ended because it was abandoned meanwhile. */
  #starting: Promise<void> | null = null;

  constructor(services: Services) {
    this.#services = services;
    this.#client = services.client;
    this.#watch();
    if (this.#client.state === 'connected') void this.sync();
  }

  readonly start = async (to: string, type: CallType): Promise<void> => {
    if (this.store.get().current) return;
    const attempt = this.#attempt;
    // Until an abandoned call is over, its events would be taken for those of this one, and the SDK would return it for the same callee.
    while (this.#starting) await this.#starting;
    if (attempt !== this.#attempt) return;
    const cameraOn = type === 'video';
    this.#send({ is: 'opening', peer: to, type, direction: 'outgoing', id: null, cameraOn });
    const starting = this.#enter({ to, type }, () => this.#client.calls.start({ to, type }));
    this.#starting = starting.finally(() => (this.#starting = null));
    await starting;
  };

  /** Answers a ringing call after ending the current one. @param options.camera false keeps the camera off in a video call */
  readonly answer = async (call: Call, { camera = true }: CameraChoice = {}): Promise<void> => {
    const { id, from: peer, type } = call;
    // Another press of the button has begun to answer it.
    if (this.store.get().current?.id === id) return;
    const ending = this.hangUp();
    const attempt = this.#attempt;
    await ending;
    if (attempt !== this.#attempt) return;
    const cameraOn = camera && type === 'video';
    this.#send({ is: 'opening', peer, type, direction: 'incoming', id, cameraOn });
    await this.#enter(null, async () => {
      await this.#client.calls.answer(id, { video: cameraOn });
      return { ...call, status: 'active' };
    });
  };

  readonly decline = async (call: Call): Promise<void> => {
    this.#send({ is: 'refused', callId: call.id });
    const reason = this.store.get().current ? 'busy' : 'declined';
    await this.#try(() => this.#client.calls.decline(call.id, { reason }));
    // Sent again to reload the history, which contains the call only now. The server notifies only the wallet's other devices.
    this.#send({ is: 'refused', callId: call.id });
  };

  readonly hangUp = async (): Promise<void> => {
    const { current } = this.store.get();
    if (!current) return;
    this.#attempt += 1;
    this.#send({ is: 'left', at: Date.now() });
    // A call without an id is ended by #enter, as soon as the server has assigned one.
    if (current.id) await this.#end(current.id);
  };

  /** Moves a call's media to this device. @param options.camera false keeps the camera off in a video call */
  readonly rejoin = async (
    { id, peer, type }: RunningCall,
    { camera = true }: CameraChoice = {},
  ): Promise<void> => {
    if (this.store.get().current) return;
    const attempt = this.#attempt;
    const active = await this.#client.calls.getActive().catch(() => []);
    if (attempt !== this.#attempt) return;
    const running = active.find((call) => call.id === id);
    const direction = running?.direction ?? 'outgoing';
    const cameraOn = camera && type === 'video';
    this.#send({ is: 'opening', peer, type, direction, id, cameraOn });
    await this.#enter(null, async () => {
      await this.#client.calls.rejoin(id, { video: cameraOn });
      return { ...running, id, status: running?.status ?? 'active' } as Call;
    });
  };

  readonly hangUpElsewhere = async ({ id }: RunningCall): Promise<void> => {
    await this.#end(id);
    await this.sync();
  };

  readonly toggleMicrophone = (): Promise<void> =>
    this.#toggle('muted', (id, muted) =>
      muted ? this.#client.calls.unmute(id) : this.#client.calls.mute(id),
    );

  readonly toggleCamera = (): Promise<void> =>
    this.#toggle('cameraOn', (id, on) =>
      on ? this.#client.calls.disableVideo(id) : this.#client.calls.enableVideo(id),
    );

  /** Shares a screen that the user chooses, or stops this. Call it in a click. */
  readonly toggleScreen = async (): Promise<void> => {
    const { current } = this.store.get();
    const id = current?.id;
    if (!id) return;
    const { calls } = this.#client;
    await this.#try(() => (current.isSharing ? calls.stopScreenShare(id) : calls.startScreenShare(id)));
  };

  /** Starts a recording, or stops the one this wallet started. The state changes once the server has notified both parties. */
  readonly toggleRecording = async (): Promise<void> => {
    const { current } = this.store.get();
    const id = current?.id;
    if (!id) return;
    const { calls } = this.#client;
    await this.#try(async () => {
      await (current.recordedBy === null ? calls.startRecording(id) : calls.stopRecording(id));
    });
  };

  /**
   * Adds people: the call becomes a room, to which both parties' devices move.
   * @throws ParleyError as `client.calls.addPeople()`
   */
  readonly addPeople = async (addresses: string[]): Promise<void> => {
    const id = this.store.get().current?.id;
    if (id) await this.#client.calls.addPeople(id, addresses);
  };

  /** Shows the current call as a small window, or large again. */
  readonly minimise = (isMinimised: boolean): void => this.#send({ is: 'minimised', isMinimised });

  /** Sets up audio and video again after a permanent failure. */
  readonly repair = async (): Promise<void> => {
    const { current } = this.store.get();
    const id = current?.id;
    if (!id) return;
    const isDone = await this.#try(async () => {
      await this.#client.calls.rejoin(id, { video: current.cameraOn });
      // Restores the previous state: a muted microphone stays muted, and a camera added to an audio call is sent again.
      if (current.muted) await this.#client.calls.mute(id);
      if (current.type === 'audio' && current.cameraOn) await this.#client.calls.enableVideo(id);
    });
    // A device that cannot join the media has left the call, which goes on without it.
    if (!isDone && !this.#client.calls.state(id).get().isHere) this.#send({ is: 'movedAway', id });
  };

  /** Dismisses the summary or problem of the last call. */
  readonly dismiss = (): void => this.#send({ is: 'dismissed' });

  /** Loads the ringing and active calls from the server. Called after signing in and after a lost connection. */
  async sync(): Promise<void> {
    await this.#try(async () => {
      for (;;) {
        const before = this.#own;
        const calls = await this.#client.calls.getActive();
        // What was read may be older than an event that has arrived meanwhile.
        if (before === this.#own) return this.#send({ is: 'synced', calls });
      }
    });
  }

  /** Handles `call:moved`. Only apps that show rooms do, because a device moves only if its app listens. */
  moved(callId: string): void {
    this.#send({ is: 'movedToRoom', callId });
  }

  async #enter(wanted: { to: string; type: CallType } | null, enter: () => Promise<Call>): Promise<void> {
    const attempt = ++this.#attempt;
    try {
      const call = await enter();
      if (attempt === this.#attempt) this.#send({ is: 'entered', call, at: Date.now() });
      else await this.#end(call.id);
    } catch (error) {
      // The call has ended, or another device answered it, so the failure does not matter.
      if (attempt !== this.#attempt || !this.store.get().current) return;
      const problem = explain(error, this.#services.words.problems);
      this.#send({ is: 'failed', problem: { problem, wanted } });
      if (this.#client.state === 'connected') await this.sync();
    }
  }

  async #toggle(
    field: 'muted' | 'cameraOn',
    change: (id: string, value: boolean) => Promise<void>,
  ): Promise<void> {
    const { current } = this.store.get();
    if (!current?.id) return;
    const { id, [field]: before } = current;
    const wanted = { ...this.#own.current?.wanted, [field]: !before };
    this.#send({ is: 'wanted', wanted });
    await this.#try(() => change(id, before));
    // Unless the user has switched it again in the meantime.
    if (this.#own.current?.wanted === wanted) this.#send({ is: 'wanted', wanted: {} });
  }

  /** Ends a call, or declines it if it still rings here. A failed request is ignored, because the server also ends a call whose party is gone. */
  async #end(id: string): Promise<void> {
    const { calls } = this.#client;
    const { phase, call } = calls.state(id).get();
    const rings = phase === 'ringing' && call?.direction === 'incoming';
    const end = () => calls.end(id);
    // The server refuses to decline it if the answer of this device was faster.
    await (rings ? calls.decline(id).catch(end) : end()).catch(() => undefined);
    this.#send({ is: 'refused', callId: id });
  }

  async #try(action: () => Promise<void>): Promise<boolean> {
    try {
      await action();
      return true;
    } catch (error) {
      if (!isOwnRefusal(error)) this.#services.report(error);
      return false;
    }
  }

  #watch(): void {
    const client = this.#client;
    client.on('connection:changed', ({ state }) => {
      if (state === 'connected') void this.sync();
      if (state !== 'closed') return;
      this.#attempt += 1;
      this.#send({ is: 'closed' });
    });
    client.on('call:incoming', (call) => this.#send({ is: 'incoming', call }));
    client.on('call:answered', (call) => this.#send({ is: 'answered', call, at: Date.now() }));
    for (const name of ['call:ended', 'call:declined', 'call:missed'] as const) {
      client.on(name, (call) => this.#send({ is: 'over', call, at: Date.now() }));
    }
    client.on('media:local', ({ scope, id }) => {
      if (scope === 'call') this.#send({ is: 'identified', id });
    });
    client.on('media:replaced', ({ id }) => this.#send({ is: 'movedAway', id }));
  }

  #send(event: CallsEvent): void {
    this.#own = next(this.#own, event);
    const id = this.#own.current?.id ?? null;
    if (id !== this.#followedId) {
      this.#unfollow();
      this.#followedId = id;
      this.#unfollow = id === null ? () => {} : this.#client.calls.state(id).subscribe(this.#show);
    }
    this.#show();
  }

  readonly #show = (): void => {
    const shared = this.#client.calls.state(this.#followedId ?? '').get();
    this.store.set(shownCalls(this.#own, shared));
  };
}
