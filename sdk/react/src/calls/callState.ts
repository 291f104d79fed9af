import type { Call, CallType, MediaTrack, Participant, Source } from '@parley/sdk';
import type { Problem } from '../problems/explain.ts';

/** The call on the screen. */
export interface CurrentCall {
  /** null until the server has assigned it. */
  id: string | null;
  peer: string;
  type: CallType;
  direction: Call['direction'];
  /** `opening`: waiting for the camera, the microphone and the server. */
  status: 'opening' | 'ringing' | 'active';
  /** In milliseconds, by this computer's clock so that the timer starts at zero; null until the call is active. */
  activeSince: number | null;
  local: MediaStream | null;
  remote: MediaStream | null;
  remoteCamera: boolean;
  remoteSound: boolean;
  /** The screen that the other party shares; null if it shares none. */
  remoteScreen: MediaStream | null;
  /** The other party's sources, as last reported; null until they are reported. */
  peerSends: { audio: boolean; video: boolean } | null;
  /** The other party has lost its connection, so its video has stopped. */
  peerAway: boolean;
  muted: boolean;
  cameraOn: boolean;
  /** This device shares its screen. */
  isSharing: boolean;
  mediaFailed: boolean;
  /** The wallet that records the call; null if there is no recording. */
  recordedBy: string | null;
}

/** An active call of this wallet whose media is not on this page: it was started before a reload, or is on another device. */
export interface RunningCall {
  id: string;
  peer: string;
  type: CallType;
}

export interface CallSummary {
  peer: string;
  type: CallType;
  direction: Call['direction'];
  outcome: 'ended' | 'declined' | 'missed';
  reason: string | null;
  seconds: number | null;
}

export interface CallProblem {
  problem: Problem;
  /** The call that the user may try again; null if it cannot be repeated. */
  wanted: { to: string; type: CallType } | null;
}

export interface CallsState {
  current: CurrentCall | null;
  /** Calls ringing on this page, oldest first. */
  incoming: Call[];
  running: RunningCall[];
  summary: CallSummary | null;
  problem: CallProblem | null;
  /** The call is shown as a small window, so that the rest of the page can be used. */
  isMinimised: boolean;
  /** Rises whenever calls may have ended. The history is then loaded again. */
  endings: number;
}

export const noCalls: CallsState = {
  current: null,
  incoming: [],
  running: [],
  summary: null,
  problem: null,
  isMinimised: false,
  endings: 0,
};

export type CallsEvent =
  | {
      is: 'opening';
      peer: string;
      type: CallType;
      direction: Call['direction'];
      id: string | null;
      cameraOn: boolean;
    }
  /** The server confirmed that this device is in the call. */
  | { is: 'entered'; call: Call; at: number }
  | { is: 'incoming'; call: Call }
  | { is: 'answered'; call: Call; at: number }
  | { is: 'over'; call: Call; at: number }
  /** This device hung up. */
  | { is: 'left'; at: number }
  | { is: 'refused'; callId: string }
  | { is: 'failed'; problem: CallProblem }
  /** The local media. `cameraOn` is false if there is no camera. */
  | { is: 'local'; id: string; stream: MediaStream; cameraOn: boolean; isSharing: boolean }
  | { is: 'track'; track: MediaTrack }
  | { is: 'trackEnded'; track: MediaTrack }
  | { is: 'peer'; participant: Participant }
  | { is: 'away'; id: string; isAway: boolean }
  | { is: 'own'; changed: Partial<Pick<CurrentCall, 'muted' | 'cameraOn' | 'mediaFailed'>> }
  | { is: 'recording'; id: string; by: string | null }
  /** Another device of this wallet has taken over the media. */
  | { is: 'movedAway'; id: string }
  | { is: 'minimised'; isMinimised: boolean }
  /** The call has become a room. */
  | { is: 'movedToRoom'; callId: string }
  /** The ringing and active calls, as the server lists them. */
  | { is: 'synced'; calls: Call[] }
  | { is: 'dismissed' };

export const peerOf = (call: Pick<Call, 'direction' | 'from' | 'to'>): string =>
  call.direction === 'incoming' ? call.from : call.to;

/** Returns the state after an event. This pure function makes all decisions about calls. */
export function next(state: CallsState, event: CallsEvent): CallsState {
  switch (event.is) {
    case 'opening':
      return { ...state, current: opened(event), summary: null, problem: null, isMinimised: false };
    case 'entered':
      return entered(without(state, event.call.id), event);
    case 'incoming':
      return incoming(state, event.call);
    case 'answered':
      return answered(state, event);
    case 'over':
      return over(state, event);
    case 'left':
      return left(state, event.at);
    case 'refused':
      return { ...without(state, event.callId), endings: state.endings + 1 };
    case 'failed':
      return { ...state, current: null, problem: event.problem };
    case 'movedAway':
      return movedAway(state, event.id);
    case 'minimised':
      return { ...state, isMinimised: event.isMinimised };
    case 'movedToRoom':
      return movedToRoom(state, event.callId);
    case 'synced':
      return synced(state, event.calls);
    case 'dismissed':
      return { ...state, summary: null, problem: null };
    default:
      return { ...state, current: state.current && nextMedia(state.current, event) };
  }
}

type MediaEvent = Extract<
  CallsEvent,
  { is: 'local' | 'track' | 'trackEnded' | 'peer' | 'away' | 'own' | 'recording' }
>;

/** Applies an event about the media of the current call. */
function nextMedia(current: CurrentCall, event: MediaEvent): CurrentCall {
  switch (event.is) {
    case 'local':
      if (!isOf(current, event.id)) return current;
      return {
        ...current,
        id: event.id,
        local: event.stream,
        cameraOn: event.cameraOn,
        isSharing: event.isSharing,
      };
    case 'track': {
      const { id, stream, source, participant } = event.track;
      if (!isOf(current, id)) return current;
      if (isOfScreen(source)) return source === 'screen' ? { ...current, remoteScreen: stream } : current;
      return {
        ...current,
        ...has(source, true),
        remote: stream,
        peerSends: sends(participant),
        mediaFailed: false,
      };
    }
    case 'trackEnded':
      return isOf(current, event.track.id) ? { ...current, ...has(event.track.source, false) } : current;
    case 'peer':
      if (!isOf(current, event.participant.roomId)) return current;
      return event.participant.walletAddress === current.peer
        ? { ...current, peerSends: sends(event.participant) }
        : current;
    case 'away':
      return isOf(current, event.id) ? { ...current, peerAway: event.isAway } : current;
    case 'own':
      return { ...current, ...event.changed };
    case 'recording':
      return isOf(current, event.id) ? { ...current, recordedBy: event.by } : current;
  }
}

/** Whether an event is about the current call. While that call is being opened, it has no id yet, so any id counts as its own. */
const isOf = (current: CurrentCall, id: string) => current.id === null || current.id === id;

const isOfScreen = (source: Source) => source === 'screen' || source === 'screen-audio';

function has(source: Source, isThere: boolean): Partial<CurrentCall> {
  if (source === 'camera') return { remoteCamera: isThere };
  if (source === 'microphone') return { remoteSound: isThere };
  return source === 'screen' && !isThere ? { remoteScreen: null } : {};
}

const sends = ({ audio, video }: Participant) => ({ audio, video });

function opened(event: Extract<CallsEvent, { is: 'opening' }>): CurrentCall {
  return {
    id: event.id,
    peer: event.peer,
    type: event.type,
    direction: event.direction,
    status: 'opening',
    activeSince: null,
    local: null,
    remote: null,
    remoteCamera: false,
    remoteSound: false,
    remoteScreen: null,
    peerSends: null,
    peerAway: false,
    muted: false,
    cameraOn: event.cameraOn,
    isSharing: false,
    mediaFailed: false,
    recordedBy: null,
  };
}

function without(state: CallsState, id: string): CallsState {
  return {
    ...state,
    incoming: state.incoming.filter((call) => call.id !== id),
    running: state.running.filter((call) => call.id !== id),
  };
}

function entered(state: CallsState, { call, at }: { call: Call; at: number }): CallsState {
  const { current } = state;
  if (!current || !isOf(current, call.id)) return state;
  // The answer may have arrived while the local media was being set up.
  if (current.status === 'active') return { ...state, current: { ...current, id: call.id } };
  const isActive = call.status === 'active';
  // A rejoined call was answered earlier. That time is by the server's clock, which may be ahead of this computer's.
  const activeSince = isActive ? Math.min(at, call.answeredAt?.getTime() ?? at) : null;
  const { id, recordedBy } = call;
  return {
    ...state,
    current: { ...current, id, recordedBy, status: isActive ? 'active' : 'ringing', activeSince },
  };
}

function incoming(state: CallsState, call: Call): CallsState {
  if (state.current?.id === call.id || state.incoming.some(({ id }) => id === call.id)) return state;
  return { ...state, incoming: [...state.incoming, call] };
}

function answered(state: CallsState, { call, at }: { call: Call; at: number }): CallsState {
  const { current } = state;
  if (!current || !isCurrent(current, call)) return onOtherDevice(without(state, call.id), call);
  const activeSince = current.activeSince ?? at;
  return { ...without(state, call.id), current: { ...current, id: call.id, status: 'active', activeSince } };
}

/** Lists a call that another device of this wallet has answered. */
function onOtherDevice(state: CallsState, call: Call): CallsState {
  return { ...state, running: [...state.running, runningOf(call)] };
}

const runningOf = (call: Call): RunningCall => ({ id: call.id, peer: peerOf(call), type: call.type });

function isCurrent(current: CurrentCall, call: Call): boolean {
  return current.id === null ? current.peer === peerOf(call) : current.id === call.id;
}

function over(state: CallsState, { call, at }: { call: Call; at: number }): CallsState {
  const rest = { ...without(state, call.id), endings: state.endings + 1 };
  const { current } = state;
  if (!current || !isCurrent(current, call)) return rest;
  const outcome = call.status === 'declined' || call.status === 'missed' ? call.status : 'ended';
  const seconds = call.duration ?? secondsOf(current, at);
  return {
    ...rest,
    current: null,
    summary: { ...summaryOf(current), outcome, reason: call.endReason, seconds },
  };
}

function left(state: CallsState, at: number): CallsState {
  const { current } = state;
  if (!current) return state;
  const outcome = current.activeSince === null ? 'missed' : 'ended';
  const reason = outcome === 'missed' ? 'cancelled' : 'hangup';
  return {
    ...state,
    current: null,
    summary: { ...summaryOf(current), outcome, reason, seconds: secondsOf(current, at) },
    endings: state.endings + 1,
  };
}

const summaryOf = ({ peer, type, direction }: CurrentCall) => ({ peer, type, direction });

const secondsOf = ({ activeSince }: CurrentCall, at: number) =>
  activeSince === null ? null : Math.max(0, (at - activeSince) / 1000);

function movedAway(state: CallsState, id: string): CallsState {
  const { current } = state;
  if (current?.id !== id) return state;
  const { peer, type } = current;
  return { ...state, current: null, running: [...state.running, { id, peer, type }] };
}

function movedToRoom(state: CallsState, callId: string): CallsState {
  const rest = { ...without(state, callId), endings: state.endings + 1 };
  return state.current?.id === callId ? { ...rest, current: null, summary: null } : rest;
}

/** Replaces the ringing and running calls. After a lost connection, the SDK itself reports the state of the current call. */
function synced(state: CallsState, calls: Call[]): CallsState {
  const others = calls.filter(({ id }) => id !== state.current?.id);
  const rings = (call: Call) => call.status === 'ringing' && call.direction === 'incoming';
  return {
    ...state,
    incoming: others.filter(rings),
    running: others.filter((call) => !rings(call)).map(runningOf),
    endings: state.endings + 1,
  };
}
