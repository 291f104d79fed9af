export { watchStream } from './watchStream.ts';
export type { PlayerClient, PlayerState, WatchedStream, WatchOptions } from './playerTypes.ts';
export type { LiveStream, Observable } from '../types.ts';
