export { initialPlayerState } from './Watching.ts';
export { watchStream } from './watchStream.ts';
export type { PlayerClient, PlayerEvents, PlayerState, WatchedStream, WatchOptions } from './playerTypes.ts';
export type { LiveStream, Observable } from '../types.ts';
export { ParleyError, type AnyReason, type ErrorCode, type ErrorDetail } from '../../protocol/errors.ts';
export type { Reason } from '../../protocol/reasons.ts';
export type { Address, EvmAddress, Gate, GateConfig, GateType, PartyId } from '../types.ts';
