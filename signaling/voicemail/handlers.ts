import type { Handlers } from '../socket/Handlers.ts';
import type { VoicemailService } from './VoicemailService.ts';

export function voicemailHandlers(voicemail: VoicemailService): Handlers<'voicemail'> {
  return {
    'voicemail.record': (context, payload) => voicemail.record(context, payload),
    'voicemail.getAll': (context, payload) => voicemail.list(context, payload),
    'voicemail.get': (context, payload) => voicemail.get(context, payload.voicemailId),
    'voicemail.markAsRead': (context, payload) => voicemail.markAsRead(context, payload.voicemailId),
    'voicemail.delete': (context, payload) => voicemail.delete(context, payload.voicemailId),
    'voicemail.transcribe': (context, payload) => voicemail.transcribe(context, payload.voicemailId),
  };
}
