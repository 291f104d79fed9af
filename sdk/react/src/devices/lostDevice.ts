import { ParleyError } from '@parley/sdk';
import type { InputKind } from './useDevicePreview.ts';

/** The camera or microphone that has failed, while all other media goes on; null if the error is about all media. */
export function lostDevice(error: Error | null): InputKind | null {
  const source = error instanceof ParleyError ? error.extra?.['source'] : null;
  return source === 'camera' || source === 'microphone' ? source : null;
}
