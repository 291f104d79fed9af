import type { Call, CallState, CallType, Source, Trouble } from '@parley/sdk';
import { lostDevice } from '../devices/lostDevice.ts';
import type { InputKind } from '../devices/useDevicePreview.ts';
import type { Problem } from '../problems/explain.ts';

/** What this page knows of the call on the screen. */
export interface OwnCall {
  /** null until the server has assigned it. */
  id: string | null;
  peer: string;
  type: CallType;
  direction: Call['direction'];
  /** `opening`: waiting for the camera, the microphone and the server. */
  status: 'opening' | 'ringing' | 'active';
  /** In milliseconds, by this computer's clock so that the timer starts at zero; null until the call is active. */
  activeSince: number | null;
  /** What the user has chosen, until the SDK has done it. */
  wanted: Partial<Sending>;
}

/** What this device sends. */
interface Sending {
  muted: boolean;
  cameraOn: boolean;
}

/** The call on the screen. What is not of this page comes from the SDK's state of the call. */
export interface CurrentCall extends Omit<OwnCall, 'wanted'>, Sending {
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
  /** This device shares its screen. */
  isSharing: boolean;
  mediaFailed: boolean;
  /** The camera or microphone that has failed, while all other media goes on; null if none has. */
  lostDevice: InputKind | null;
  /** The wallet that records the call; null if there is no recording. */
  recordedBy: string | null;
  /** What disturbs the call; null if it is fine. */
  trouble: Trouble | null;
  /** Whether the browser blocks the sound until the user clicks. */
  isPlaybackBlocked: boolean;
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

/** The calls as this page knows them. */
export interface OwnCalls {
  current: OwnCall | null;
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

export interface CallsState extends Omit<OwnCalls, 'current'> {
  current: CurrentCall | null;
}

export const noCalls: OwnCalls & CallsState = {
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
  /** The server has assigned an id to the call that is being opened. */
  | { is: 'identified'; id: string }
  /** The user switches something on or off; undefined once it is done. */
  | { is: 'wanted'; wanted: Partial<Sending> }
  /** Another device of this wallet has taken over the media. */
  | { is: 'movedAway'; id: string }
  | { is: 'minimised'; isMinimised: boolean }
  /** The call has become a room. */
  | { is: 'movedToRoom'; callId: string }
  /** The ringing and active calls, as the server lists them. */
  | { is: 'synced'; calls: Call[] }
  | { is: 'dismissed' }
  /** The session has ended. Another wallet may sign in. */
  | { is: 'closed' };

export const peerOf = (call: Pick<Call, 'direction' | 'from' | 'to'>): string =>
  call.direction === 'incoming' ? call.from : call.to;

/** The calls for the components. @param shared the SDK's state of the current call */
export function shownCalls({ current, ...own }: OwnCalls, shared: CallState): CallsState {
  if (!current) return { ...own, current };
  const { wanted, ...call } = current;
  const { tracks, local, remote } = shared;
  const from = (source: Source) => tracks.find((track) => track.source === source);
  const [camera, microphone] = [from('camera'), from('microphone')];
  const lost = lostDevice(shared.mediaError);
  return {
    ...own,
    current: {
      ...call,
      muted: wanted.muted ?? shared.isMuted,
      cameraOn: wanted.cameraOn ?? shared.isCameraOn,
      local: local.stream,
      remote: (camera ?? microphone)?.stream ?? null,
      remoteCamera: camera !== undefined,
      remoteSound: microphone !== undefined,
      remoteScreen: from('screen')?.stream ?? null,
      peerSends: remote && { audio: remote.audio, video: remote.video },
      peerAway: shared.isAway,
      isSharing: local.screen !== null,
      mediaFailed: shared.phase === 'active' && shared.mediaError !== null && !lost,
      lostDevice: lost,
      recordedBy: shared.call?.recordedBy ?? null,
      trouble: shared.trouble,
      isPlaybackBlocked: shared.isPlaybackBlocked,
    },
  };
}

/** Returns the state after an event. This pure function makes all decisions about calls. */
export function next(state: OwnCalls, event: CallsEvent): OwnCalls {
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
    case 'closed':
      return noCalls;
    case 'identified':
      return state.current?.id === null ? { ...state, current: { ...state.current, id: event.id } } : state;
    case 'wanted':
      return { ...state, current: state.current && { ...state.current, wanted: event.wanted } };
  }
}

/** Whether an event is about the current call. While that call is being opened, it has no id yet, so any id counts as its own. */
const isOf = (current: OwnCall, id: string) => current.id === null || current.id === id;

function opened(event: Extract<CallsEvent, { is: 'opening' }>): OwnCall {
  return {
    id: event.id,
    peer: event.peer,
    type: event.type,
    direction: event.direction,
    status: 'opening',
    activeSince: null,
    wanted: { cameraOn: event.cameraOn },
  };
}

function without(state: OwnCalls, id: string): OwnCalls {
  return {
    ...state,
    incoming: state.incoming.filter((call) => call.id !== id),
    running: state.running.filter((call) => call.id !== id),
  };
}

function entered(state: OwnCalls, { call, at }: { call: Call; at: number }): OwnCalls {
  const { current } = state;
  if (!current || !isOf(current, call.id)) return state;
  // The answer may have arrived while the local media was being set up.
  if (current.status === 'active') return { ...state, current: { ...current, id: call.id, wanted: {} } };
  const isActive = call.status === 'active';
  // A rejoined call was answered earlier. That time is by the server's clock, which may be ahead of this computer's.
  const activeSince = isActive ? Math.min(at, call.answeredAt?.getTime() ?? at) : null;
  const status = isActive ? 'active' : 'ringing';
  return { ...state, current: { ...current, id: call.id, wanted: {}, status, activeSince } };
}

function incoming(state: OwnCalls, call: Call): OwnCalls {
  if (state.current?.id === call.id || state.incoming.some(({ id }) => id === call.id)) return state;
  return { ...state, incoming: [...state.incoming, call] };
}

function answered(state: OwnCalls, { call, at }: { call: Call; at: number }): OwnCalls {
  const { current } = state;
  if (!current || !isCurrent(current, call)) return onOtherDevice(without(state, call.id), call);
  const activeSince = current.activeSince ?? at;
  return { ...without(state, call.id), current: { ...current, id: call.id, status: 'active', activeSince } };
}

/** Lists a call that another device of this wallet has answered. */
function onOtherDevice(state: OwnCalls, call: Call): OwnCalls {
  return { ...state, running: [...state.running, runningOf(call)] };
}

const runningOf = (call: Call): RunningCall => ({ id: call.id, peer: peerOf(call), type: call.type });

function isCurrent(current: OwnCall, call: Call): boolean {
  return current.id === null ? current.peer === peerOf(call) : current.id === call.id;
}

function over(state: OwnCalls, { call, at }: { call: Call; at: number }): OwnCalls {
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

function left(state: OwnCalls, at: number): OwnCalls {
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

const summaryOf = ({ peer, type, direction }: OwnCall) => ({ peer, type, direction });

const secondsOf = ({ activeSince }: OwnCall, at: number) =>
  activeSince === null ? null : Math.max(0, (at - activeSince) / 1000);

function movedAway(state: OwnCalls, id: string): OwnCalls {
  const { current } = state;
  if (current?.id !== id) return state;
  const { peer, type } = current;
  return { ...state, current: null, running: [...state.running, { id, peer, type }] };
}

function movedToRoom(state: OwnCalls, callId: string): OwnCalls {
  const rest = { ...without(state, callId), endings: state.endings + 1 };
  return state.current?.id === callId ? { ...rest, current: null, summary: null } : rest;
}

/** Replaces the ringing and running calls. After a lost connection, the SDK itself reports the state of the current call. */
function synced(state: OwnCalls, calls: Call[]): OwnCalls {
  const others = calls.filter(({ id }) => id !== state.current?.id);
  const rings = (call: Call) => call.status === 'ringing' && call.direction === 'incoming';
  return {
    ...state,
    incoming: others.filter(rings),
    running: others.filter((call) => !rings(call)).map(runningOf),
    endings: state.endings + 1,
  };
}
