export { callUuid } from './callUuid.ts';
export { followApp, type NetInfo } from './followApp.ts';
export { installParley } from './installParley.ts';
export { mmkvStorage, type KeyValueStore } from './mmkvStorage.ts';
export {
  ParleyPreview,
  ParleyVideo,
  type ParleyPreviewProps,
  type ParleyVideoProps,
} from './ParleyVideo.tsx';
export { registerVoipPush, type VoipPush } from './registerVoipPush.ts';
export {
  startOngoing,
  type AudioSession,
  type ForegroundService,
  type Ongoing,
  type OngoingOptions,
} from './startOngoing.ts';
export { SystemCalls, type CallKeep, type SystemCallsOptions } from './SystemCalls.ts';
