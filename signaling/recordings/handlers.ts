import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { Recordings } from './Recordings.ts';

export function recordingHandlers(recordings: Recordings): Handler[] {
  return [
    defineHandler('recordings.list', ({ context, payload }) => recordings.list(context, payload)),
    defineHandler('recordings.get', ({ context, payload }) => recordings.get(context, payload.recordingId)),
    defineHandler('recordings.delete', async ({ context, payload }) => {
      await recordings.delete(context, payload.recordingId);
      return {};
    }),
  ];
}
