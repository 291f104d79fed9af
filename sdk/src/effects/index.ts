export { backgroundBlur, type BlurOptions } from './backgroundBlur.ts';
export { noiseSuppression } from './noiseSuppression.ts';
export type { EffectAssets } from './assets.ts';
export type { TrackEffect } from '../types.ts';
