import type { Call, CallState } from '@parley/sdk';
import { useMemo } from 'react';
import { useParley, useServices } from '../core/ParleyProvider.tsx';
import type { Services } from '../core/Services.ts';
import { useStore } from '../core/Store.ts';
import { useObservable } from '../core/useObservable.ts';
import { CallController } from './CallController.ts';
import type { CallsState } from './callState.ts';

export const createCalls = (services: Services) => new CallController(services);

type Actions = Pick<
  CallController,
  | 'start'
  | 'hangUp'
  | 'rejoin'
  | 'hangUpElsewhere'
  | 'toggleMicrophone'
  | 'toggleCamera'
  | 'toggleScreen'
  | 'toggleRecording'
  | 'addPeople'
  | 'minimise'
  | 'repair'
  | 'dismiss'
>;

export interface CallControl extends Omit<CallsState, 'incoming'>, Actions {}

/** The current call of this page, with what the user can do with it. Failures are in `problem`, or reported to the provider. */
export function useCall(): CallControl {
  const controller = useServices().get(createCalls);
  const { incoming: _, ...state } = useStore(controller.store);
  const { start, hangUp, rejoin, hangUpElsewhere, toggleMicrophone, toggleCamera } = controller;
  const { toggleScreen, toggleRecording, addPeople, minimise, repair, dismiss } = controller;
  return {
    ...state,
    ...{ start, hangUp, rejoin, hangUpElsewhere, toggleMicrophone, toggleCamera },
    ...{ toggleScreen, toggleRecording, addPeople, minimise, repair, dismiss },
  };
}

/**
 * What the SDK knows of a call, with its tracks and the network quality: see `client.calls.state()`.
 * @param callId the call
 */
export function useCallState(callId: string): CallState {
  const { calls } = useParley();
  return useObservable(useMemo(() => calls.state(callId), [calls, callId]));
}

export interface IncomingCallsControl extends Pick<CallController, 'answer' | 'decline'> {
  /** The calls that ring, oldest first. */
  calls: Call[];
}

/** The calls that ring, with what the user can do with them. */
export function useIncomingCalls(): IncomingCallsControl {
  const controller = useServices().get(createCalls);
  const { current, incoming } = useStore(controller.store);
  // If two people call each other at the same moment, the server joins both calls, so theirs does not ring while ours is opening.
  const calls = incoming.filter(({ from }) => !(current?.status === 'opening' && from === current.peer));
  return { calls, answer: controller.answer, decline: controller.decline };
}
