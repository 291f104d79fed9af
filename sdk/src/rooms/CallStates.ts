import type { Listeners } from '../connection/Listeners.ts';
import type { Media } from '../media/media.ts';
import type { Call, Observable, ParleyEvents } from '../types.ts';
import { followMedia, localOf, noMedia } from './MediaStates.ts';
import { isPoor, type CallState, type Trouble } from './stateTypes.ts';
import { States } from './States.ts';

const nothing: CallState = {
  ...noMedia,
  phase: 'unknown',
  call: null,
  isHere: false,
  remote: null,
  isAway: false,
  isMuted: false,
  isCameraOn: false,
  isRecording: false,
  quality: { own: null, remote: null },
  trouble: null,
};

/** The states of calls for apps, kept up to date with the events. */
export class CallStates {
  readonly #media: Media;
  readonly #states = new States<CallState>({
    initial: nothing,
    isOver: ({ phase }) => phase === 'over' || phase === 'unknown',
  });

  constructor(media: Media, events: Listeners<ParleyEvents>) {
    this.#media = media;
    followMedia({ scope: 'call', media, events }, this.#states, (id, changes) => {
      this.#change(id, changes);
      if (changes.local) this.refresh(id);
    });
    this.#follow(events);
  }

  of(callId: string): Observable<CallState> {
    return this.#states.observable(callId);
  }

  /**
   * The server has let this device into a call.
   * @param isHere false if the call was over, or this device had left it, before the answer
   */
  entered(call: Call, isHere: boolean): void {
    const { phase } = this.#states.get(call.id);
    if (!isHere && phase === 'over') return;
    const { isPlaybackBlocked } = this.#media;
    this.#take(call, isHere ? { isHere, isPlaybackBlocked, mediaError: null } : {});
  }

  /** This device is no longer in a call that goes on. */
  leftHere(callId: string): void {
    const { call } = this.#states.get(callId);
    if (call) this.#states.change(callId, { ...nothing, call, phase: phaseOf(call) });
  }

  /** This device has declined the call, or left it. @param since what is known of the call since then */
  left(callId: string, since: Partial<Call> = {}): void {
    const { phase, call } = this.#states.get(callId);
    if (phase === 'ringing' || phase === 'active')
      this.#states.change(callId, { ...nothing, phase: 'over', call: call && { ...call, ...since } });
  }

  /** Reads what this device sends. */
  refresh(callId: string): void {
    const outgoing = this.#media.session(callId)?.outgoing;
    const [remote = null] = this.#media.participants(callId);
    this.#change(callId, {
      remote,
      isMuted: outgoing ? !outgoing.isSending('microphone') : false,
      isCameraOn: outgoing?.isSending('camera') ?? false,
    });
  }

  #follow(events: Listeners<ParleyEvents>): void {
    const onEnded = (call: Call) => {
      if (this.#states.get(call.id).phase !== 'unknown')
        this.#states.change(call.id, { ...nothing, phase: 'over', call });
    };
    events.observe({
      'call:incoming': (call) => this.#take(call),
      'call:answered': (call) => this.#take(call),
      'call:ended': onEnded,
      'call:declined': onEnded,
      'call:missed': onEnded,
      'call:moved': ({ callId, room }) =>
        this.left(callId, { status: 'ended', endReason: 'moved', movedTo: room.id }),
      'call:participant:updated': (remote) => this.#change(remote.roomId, { remote }),
      'call:participant:away': ({ callId, isAway }) => this.#change(callId, { isAway }),
      'call:recording': ({ callId, recording: isRecording, by }) => {
        const { call } = this.#states.get(callId);
        const recordedBy = isRecording ? by : null;
        this.#change(callId, { isRecording, call: call && { ...call, isRecording, recordedBy } });
      },
      'call:quality': ({ callId, isOwn, sending, receiving }) => {
        const { quality } = this.#states.get(callId);
        const changed = { [isOwn ? 'own' : 'remote']: { sending, receiving } };
        this.#change(callId, { quality: { ...quality, ...changed } });
      },
      'media:track': ({ scope, id, participant }) => {
        if (scope === 'call') this.#change(id, { remote: participant });
      },
      'media:replaced': ({ id }) => this.leftHere(id),
      'connection:changed': ({ state }) => {
        if (state === 'closed') for (const id of this.#states.current) this.left(id);
      },
    });
  }

  #take(call: Call, more: Partial<CallState> = {}): void {
    const phase = phaseOf(call);
    const { isRecording } = call;
    this.#states.change(call.id, { call, phase, isRecording, ...more });
    if (more.isHere) {
      this.#change(call.id, { local: localOf(this.#media, call.id) });
      this.refresh(call.id);
    }
  }

  /** Changes the state of a call that is not over. */
  #change(callId: string, changes: Partial<CallState>): void {
    const before = this.#states.get(callId);
    if (before.phase !== 'ringing' && before.phase !== 'active') return;
    this.#states.change(callId, { ...changes, trouble: troubleOf({ ...before, ...changes }) });
  }
}

const phaseOf = ({ status }: Call): CallState['phase'] =>
  status === 'ringing' || status === 'active' ? status : 'over';

/** If the media of both is poor, the network of this device is the likely cause. */
function troubleOf({ isHere, isReconnecting, isAway, quality }: CallState): Trouble | null {
  if (!isHere) return null;
  if (isReconnecting) return 'reconnecting';
  if (isAway) return 'other-away';
  if (isPoor(quality.own)) return 'own-network';
  return isPoor(quality.remote) ? 'other-network' : null;
}
