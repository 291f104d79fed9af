import type { Call, Parley, PushNotification } from '@parley/sdk';
import { AppState, Platform } from 'react-native';
import { RTCAudioSession } from 'react-native-webrtc';
import { callUuid } from './callUuid.ts';
import { isFollowed } from './followApp.ts';

type Event = { callUUID: string };

/** An event of before the app listened, by the name that the native code gives it. */
type EarlyEvent = { name: string; data: unknown };

/** The part of react-native-callkeep that SystemCalls uses. */
export interface CallKeep {
  addEventListener(type: 'answerCall' | 'endCall', handler: (event: Event) => void): { remove(): void };
  addEventListener(
    type: 'didReceiveStartCallAction',
    handler: (event: Partial<Event>) => void,
  ): { remove(): void };
  addEventListener(
    type: 'didPerformSetMutedCallAction',
    handler: (event: Event & { muted: boolean }) => void,
  ): { remove(): void };
  addEventListener(
    type: 'didActivateAudioSession' | 'didDeactivateAudioSession',
    handler: () => void,
  ): { remove(): void };
  addEventListener(type: 'didLoadWithEvents', handler: (events: EarlyEvent[]) => void): { remove(): void };
  clearInitialEvents?(): void;
  displayIncomingCall(
    uuid: string,
    handle: string,
    name?: string,
    handleType?: 'generic',
    hasVideo?: boolean,
  ): void;
  startCall(uuid: string, handle: string, name?: string, handleType?: 'generic', hasVideo?: boolean): void;
  answerIncomingCall(uuid: string): void;
  endCall(uuid: string): void;
  reportConnectingOutgoingCallWithUUID(uuid: string): void;
  reportConnectedOutgoingCallWithUUID(uuid: string): void;
  reportEndCallWithUUID(uuid: string, reason: number): void;
  setCurrentCallActive(uuid: string): void;
  backToForeground(): void;
}

/** Options of SystemCalls. */
export interface SystemCallsOptions {
  /** The default export of react-native-callkeep, after its `setup()`. */
  callKeep: CallKeep;
  /** Returns the name to show for a wallet address. @default the address */
  nameOf?: (address: string) => string;
  /** Called when a call cannot be answered, declined or ended, with the reason. @default nothing */
  onError?: (error: unknown) => void;
}

/** Why a call on the phone's call screen is over: the constants of react-native-callkeep. */
const reasons = { failed: 1, remoteEnded: 2, unanswered: 3, answeredElsewhere: 4, declinedElsewhere: 5 };

interface Known {
  id: string;
  /** The room that the call has become. */
  roomId?: string;
  isIncoming: boolean;
  /** Whether this device has answered it, or it is an outgoing call. */
  isOurs: boolean;
  /** Whether it is an outgoing call that was answered. */
  isConnected?: boolean;
  /** Ends following what becomes of it. */
  unfollow?: () => void;
}

/**
 * Shows calls on the phone's own call screen (CallKit on iPhones, ConnectionService on Android), and carries out what the user does there.
 * An app that uses it starts, answers and ends calls here, and uses `client.calls` for everything else.
 * @example
 * await RNCallKeep.setup(options);
 * const calls = new SystemCalls(client, { callKeep: RNCallKeep });
 */
export class SystemCalls {
  readonly #client: Parley;
  readonly #callKeep: CallKeep;
  readonly #nameOf: (address: string) => string;
  readonly #onError: (error: unknown) => void;
  readonly #calls = new Map<string, Known>();
  /** The UUIDs of outgoing calls that the system does not show yet. Until it does, it ignores what becomes of them. */
  readonly #opening = new Set<string>();
  /** The UUIDs of calls that the user has ended, until the server knows. */
  readonly #ending = new Set<string>();
  readonly #stops: (() => void)[];
  /** Whether a push has woken the app in the background, where it is connected only for its calls. */
  #isWoken = false;

  /**
   * Begins to show calls.
   * @param client the client
   * @param options react-native-callkeep, and how to show names and errors
   */
  constructor(client: Parley, { callKeep, nameOf, onError }: SystemCallsOptions) {
    this.#client = client;
    this.#callKeep = callKeep;
    this.#nameOf = nameOf ?? ((address) => address);
    this.#onError = onError ?? (() => undefined);
    const { failed, remoteEnded, unanswered, answeredElsewhere } = reasons;
    const subscriptions = [
      callKeep.addEventListener('didLoadWithEvents', (events) => this.#happened(events)),
      callKeep.addEventListener('answerCall', ({ callUUID }) => void this.#answered(callUUID)),
      callKeep.addEventListener('endCall', ({ callUUID }) => void this.#ended(callUUID)),
      callKeep.addEventListener('didReceiveStartCallAction', ({ callUUID = '' }) => this.#shown(callUUID)),
      callKeep.addEventListener('didPerformSetMutedCallAction', ({ callUUID, muted }) =>
        this.#muted(callUUID, muted),
      ),
      // CallKit decides when the app may use the microphone.
      callKeep.addEventListener('didActivateAudioSession', () => RTCAudioSession.audioSessionDidActivate()),
      callKeep.addEventListener('didDeactivateAudioSession', () =>
        RTCAudioSession.audioSessionDidDeactivate(),
      ),
    ];
    this.#stops = [
      ...subscriptions.map((subscription) => () => subscription.remove()),
      client.on('call:incoming', ({ id, from, type }) => {
        // After a push, the event may come only when the user has declined the call already.
        if (!this.#ending.has(callUuid(id))) this.#show(id, from, type === 'video');
      }),
      client.on('call:answered', (call) => this.#remoteAnswered(call)),
      client.on('call:declined', ({ id }) =>
        this.#close(id, this.#known(id)?.isIncoming ? reasons.declinedElsewhere : remoteEnded),
      ),
      client.on('call:missed', ({ id }) => this.#close(id, unanswered)),
      client.on('call:ended', ({ id }) => this.#close(id, remoteEnded)),
      // The user continues the call on another device.
      client.on('media:replaced', ({ scope, id }) => {
        if (scope === 'call') this.#close(id, answeredElsewhere);
      }),
      client.on('connection:changed', ({ state }) => {
        // The media has ended with the session, without events of the calls.
        if (state === 'closed') for (const { id } of [...this.#calls.values()]) this.#close(id, failed);
        // If this fails, the next connection tries again.
        else void this.#closeOver().catch(() => undefined);
      }),
      () => this.#calls.forEach(({ unfollow }) => unfollow?.()),
    ];
  }

  /**
   * Calls a wallet, and shows the call on the phone's call screen, unless it is over before this device's media is ready.
   * @param options those of `client.calls.start()`
   * @returns the call, which may be answered or over
   * @throws ParleyError as `client.calls.start()`
   */
  async start(options: Parameters<Parley['calls']['start']>[0]): Promise<Call> {
    const call = await this.#client.calls.start(options);
    const { id, status } = call;
    const uuid = callUuid(id);
    const known = this.#calls.get(uuid);
    // The other wallet has called at the same moment, so that the server has answered its call.
    if (known?.isIncoming && !known.isOurs) {
      known.isOurs = true;
      this.#callKeep.answerIncomingCall(uuid);
    }
    // A second press of a button returns the same call.
    if (known || (status !== 'ringing' && status !== 'active')) return call;
    this.#add(uuid, { id, isIncoming: false, isOurs: true, isConnected: status === 'active' });
    this.#opening.add(uuid);
    this.#callKeep.startCall(uuid, options.to, this.#nameOf(options.to), 'generic', options.type === 'video');
    return call;
  }

  /**
   * Answers a call that rings, as if the user had done so on the phone's call screen: for a button of the app.
   * @param callId the id of the call
   */
  answer(callId: string): void {
    this.#callKeep.answerIncomingCall(callUuid(callId));
  }

  /**
   * Ends a call, or declines it while it rings, as if the user had done so on the phone's call screen: for a button of the app. Leaves the
   * room that the call has become.
   * @param callId the id of the call
   */
  end(callId: string): void {
    this.#callKeep.endCall(callUuid(callId));
  }

  /**
   * Takes a push that has woken the app: shows the call, or closes the call screen when the call is over. Then connects, so that the call
   * can be answered, and closes the call screen if it is over by then. If the app is in the background, disconnects when its calls are over,
   * so that messages arrive by push again. Other pushes have no effect.
   * @param push the field `parley` of a VoIP push on an iPhone, or the `data` of an FCM message on Android
   * @throws ParleyError NETWORK_ERROR: the server did not answer. The client continues to try
   */
  async wake(push: Partial<Record<keyof PushNotification | 'sender', unknown>>): Promise<void> {
    const { kind, id, type, outcome } = push;
    // FCM does not let servers use `from`. Some packages put the id of the Firebase project there.
    const from = push.sender ?? push.from;
    if (kind !== 'call' || typeof id !== 'string' || typeof from !== 'string') return;
    if (outcome !== undefined) {
      // The outcome is that of the ringing. It may tell of this device's own answer.
      if (!this.#known(id)?.isOurs) this.#close(id, reasons.remoteEnded);
      return;
    }
    this.#isWoken ||= AppState.currentState === 'background';
    this.#show(id, from, type === 'video');
    await this.#client.resume();
    await this.#closeOver();
  }

  /** Stops. The calls on the phone's call screen stay there. */
  close(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #known(callId: string): Known | undefined {
    return this.#calls.get(callUuid(callId));
  }

  /** Remembers a call that the phone shows, and follows it to the room that it may become. */
  #add(uuid: string, known: Known): Known {
    this.#calls.set(uuid, known);
    const state = this.#client.calls.state(known.id);
    known.unfollow = state.subscribe(() => {
      const movedTo = state.get().call?.movedTo;
      if (movedTo) this.#followTo(movedTo, known);
    });
    return known;
  }

  /** The call goes on in a room, with the same audio session. The call screen stays until the device has left the room. */
  #followTo(roomId: string, known: Known): void {
    const room = this.#client.conference.state(roomId);
    // The app does not follow calls to rooms, so that the call ends here.
    if (room.get().phase === 'left') return;
    known.unfollow?.();
    known.roomId = roomId;
    known.unfollow = room.subscribe(() => {
      const { phase, movedTo } = room.get();
      if (phase !== 'left') return;
      if (movedTo) this.#followTo(movedTo.id, known);
      else this.#close(known.id, reasons.remoteEnded);
    });
  }

  #forget(uuid: string): boolean {
    this.#calls.get(uuid)?.unfollow?.();
    return this.#calls.delete(uuid);
  }

  #show(id: string, from: string, hasVideo: boolean): void {
    const uuid = callUuid(id);
    // A call that a push has announced also arrives as an event.
    if (this.#calls.has(uuid)) return;
    this.#add(uuid, { id, isIncoming: true, isOurs: false });
    this.#callKeep.displayIncomingCall(uuid, from, this.#nameOf(from), 'generic', hasVideo);
  }

  /** Closes calls that no longer ring. The push that says so may be lost or late, and their events came while this device was not connected. */
  async #closeOver(): Promise<void> {
    const shown = [...this.#calls.values()].filter(({ isIncoming, isOurs }) => isIncoming && !isOurs);
    if (shown.length === 0 || this.#client.state !== 'connected') return;
    const running = await this.#client.calls.getActive();
    for (const known of shown) {
      const status = running.find(({ id }) => id === known.id)?.status;
      // The user may have answered it meanwhile.
      if (known.isOurs || status === 'ringing') continue;
      this.#close(known.id, status === 'active' ? reasons.answeredElsewhere : reasons.unanswered);
    }
  }

  /** Handles that the system shows an outgoing call, which may have been answered or ended meanwhile. */
  #shown(uuid: string): void {
    // Not one that was started elsewhere, for example in the phone's list of calls.
    if (!this.#opening.delete(uuid.toLowerCase())) return;
    const known = this.#calls.get(uuid.toLowerCase());
    if (!known) return this.#callKeep.reportEndCallWithUUID(uuid, reasons.remoteEnded);
    if (Platform.OS === 'ios') this.#callKeep.reportConnectingOutgoingCallWithUUID(uuid);
    if (known.isConnected) this.#connected(uuid);
  }

  #connected(uuid: string): void {
    if (Platform.OS === 'ios') this.#callKeep.reportConnectedOutgoingCallWithUUID(uuid);
    else this.#callKeep.setCurrentCallActive(uuid);
  }

  /** The id of a call by its UUID. The system may have shown it before this code ran. @returns null if it no longer exists */
  async #find(uuid: string): Promise<Known | null> {
    const known = this.#calls.get(uuid.toLowerCase());
    if (known) return known;
    await this.#client.resume();
    const call = (await this.#client.calls.getActive()).find(({ id }) => callUuid(id) === uuid.toLowerCase());
    if (!call) return null;
    const found = { id: call.id, isIncoming: true, isOurs: false };
    return this.#calls.get(uuid.toLowerCase()) ?? this.#add(uuid.toLowerCase(), found);
  }

  /** Carries out what happened on the call screen before this code ran: the user may answer while a push still starts the app. */
  #happened(events: EarlyEvent[]): void {
    // Otherwise an iPhone reports them to a later listener again.
    this.#callKeep.clearInitialEvents?.();
    for (const { name, data } of events) {
      const { callUUID = '' } = (data ?? {}) as Partial<Event>;
      if (name === 'RNCallKeepPerformAnswerCallAction') void this.#answered(callUUID);
      if (name === 'RNCallKeepPerformEndCallAction') void this.#ended(callUUID);
      if (name === 'RNCallKeepDidActivateAudioSession') RTCAudioSession.audioSessionDidActivate();
      if (name === 'RNCallKeepDidDeactivateAudioSession') RTCAudioSession.audioSessionDidDeactivate();
    }
  }

  async #answered(uuid: string): Promise<void> {
    try {
      const known = await this.#find(uuid);
      if (!known) return this.#callKeep.reportEndCallWithUUID(uuid, reasons.unanswered);
      const isAnswered = known.isOurs;
      known.isOurs = true;
      if (Platform.OS === 'android') {
        this.#callKeep.setCurrentCallActive(uuid);
        this.#callKeep.backToForeground();
      }
      if (!isAnswered) await this.#client.calls.answer(known.id);
    } catch (error) {
      this.#forget(uuid.toLowerCase());
      this.#callKeep.reportEndCallWithUUID(uuid, reasons.failed);
      this.#onError(error);
    }
  }

  async #ended(uuid: string): Promise<void> {
    const key = uuid.toLowerCase();
    this.#ending.add(key);
    try {
      const known = await this.#find(uuid);
      this.#forget(key);
      if (!known) return;
      const { calls, conference } = this.#client;
      const { id, roomId, isIncoming, isOurs } = known;
      const end = () => calls.end(id);
      // It also rings on until the microphone is open. The server refuses to decline it if the answer of this device was faster.
      const rings = !isOurs || calls.state(id).get().phase === 'ringing';
      if (roomId) await conference.leave(roomId);
      else if (isIncoming && rings) await calls.decline(id).catch(end);
      else await end();
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#ending.delete(key);
      this.#suspendInBackground();
    }
  }

  #muted(uuid: string, muted: boolean): void {
    const known = this.#calls.get(uuid.toLowerCase());
    if (!known) return;
    const { calls, conference } = this.#client;
    const { id, roomId } = known;
    const inRoom = (room: string) => (muted ? conference.muteAudio(room) : conference.unmuteAudio(room));
    const inCall = () => (muted ? calls.mute(id) : calls.unmute(id));
    (roomId ? inRoom(roomId) : inCall()).catch(this.#onError);
  }

  #remoteAnswered({ id }: Call): void {
    const known = this.#known(id);
    if (!known) return;
    if (known.isIncoming && !known.isOurs) return this.#close(id, reasons.answeredElsewhere);
    if (known.isIncoming) return;
    known.isConnected = true;
    this.#connected(callUuid(id));
  }

  #close(id: string, reason: number): void {
    const uuid = callUuid(id);
    if (!this.#forget(uuid)) return;
    this.#callKeep.reportEndCallWithUUID(uuid, reason);
    this.#suspendInBackground();
  }

  /** Disconnects an app in the background that a push has woken, or that followApp() follows, once its last call is over. */
  #suspendInBackground(): void {
    if (this.#calls.size > 0 || !(this.#isWoken || isFollowed(this.#client))) return;
    this.#isWoken = false;
    if (AppState.currentState === 'background') this.#client.suspend();
  }
}
