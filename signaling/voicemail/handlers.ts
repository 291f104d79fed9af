import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { VoicemailService } from './VoicemailService.ts';

const nothing = (done: Promise<void>) => done.then(() => ({}));

export function voicemailHandlers(voicemail: VoicemailService): Handler[] {
  return [
    defineHandler('voicemail.record', ({ context, payload }) => voicemail.record(context, payload)),
    defineHandler('voicemail.getAll', ({ context, payload }) => voicemail.list(context, payload)),
    defineHandler('voicemail.get', ({ context, payload }) => voicemail.get(context, payload.voicemailId)),
    defineHandler('voicemail.markAsRead', ({ context, payload }) =>
      nothing(voicemail.markAsRead(context, payload.voicemailId)),
    ),
    defineHandler('voicemail.delete', ({ context, payload }) =>
      nothing(voicemail.delete(context, payload.voicemailId)),
    ),
    defineHandler('voicemail.transcribe', ({ context, payload }) =>
      voicemail.transcribe(context, payload.voicemailId),
    ),
  ];
}
