import type { Handlers } from '../socket/Handlers.ts';
import type { Recordings } from './Recordings.ts';

export function recordingHandlers(recordings: Recordings): Handlers<'recordings'> {
  return {
    'recordings.list': (context, payload) => recordings.list(context, payload),
    'recordings.get': (context, payload) => recordings.get(context, payload.recordingId),
    'recordings.delete': async (context, payload) => {
      await recordings.delete(context, payload.recordingId);
    },
  };
}
