import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import type { VoicemailService } from './VoicemailService.ts';

const nothing = (done: Promise<void>) => done.then(() => ({}));

export function voicemailHandlers(voicemail: VoicemailService): Handler[] {
  return [
    defineHandler('voicemail.record', ({ caller, payload }) => voicemail.record(caller, payload)),
    defineHandler('voicemail.getAll', ({ caller, payload }) => voicemail.list(caller, payload)),
    defineHandler('voicemail.get', ({ caller, payload }) => voicemail.get(caller, payload.voicemailId)),
    defineHandler('voicemail.markAsRead', ({ caller, payload }) =>
      nothing(voicemail.markAsRead(caller, payload.voicemailId)),
    ),
    defineHandler('voicemail.delete', ({ caller, payload }) =>
      nothing(voicemail.delete(caller, payload.voicemailId)),
    ),
    defineHandler('voicemail.transcribe', ({ caller, payload }) =>
      voicemail.transcribe(caller, payload.voicemailId),
    ),
  ];
}
