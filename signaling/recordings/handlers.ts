import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { Recordings } from './Recordings.ts';

export function recordingHandlers(recordings: Recordings): Handler[] {
  return [
    defineHandler('recordings.list', ({ caller, payload }) => recordings.list(caller, payload)),
    defineHandler('recordings.get', ({ caller, payload }) => recordings.get(caller, payload.recordingId)),
    defineHandler('recordings.delete', async ({ caller, payload }) => {
      await recordings.delete(caller, payload.recordingId);
      return {};
    }),
  ];
}
