import { defineHandler, type Handler } from '../defineHandler.ts';
import type { BlockList } from './BlockList.ts';
import type { CallRecording } from './CallRecording.ts';
import type { CallService } from './CallService.ts';

export function callHandlers(calls: CallService, recording: CallRecording, blockList: BlockList): Handler[] {
  const nothing = async (done: Promise<void>) => {
    await done;
    return {};
  };
  return [
    defineHandler('calls.start', ({ caller, payload }) => calls.start(caller, payload)),
    defineHandler('calls.answer', ({ caller, payload }) => calls.answer(caller, payload.callId)),
    defineHandler('calls.decline', ({ caller, payload }) =>
      nothing(calls.decline(caller, payload.callId, payload.reason ?? 'declined')),
    ),
    defineHandler('calls.end', ({ caller, payload }) => nothing(calls.end(caller, payload.callId))),
    defineHandler('calls.mute', ({ caller, payload }) =>
      nothing(calls.setSending(caller, payload.callId, 'microphone', false)),
    ),
    defineHandler('calls.unmute', ({ caller, payload }) =>
      nothing(calls.setSending(caller, payload.callId, 'microphone', true)),
    ),
    defineHandler('calls.disableVideo', ({ caller, payload }) =>
      nothing(calls.setSending(caller, payload.callId, 'camera', false)),
    ),
    defineHandler('calls.enableVideo', ({ caller, payload }) =>
      nothing(calls.setSending(caller, payload.callId, 'camera', true)),
    ),
    defineHandler('calls.getHistory', ({ caller, payload }) => calls.history(caller, payload)),
    defineHandler('calls.getActive', ({ caller }) => calls.active(caller.wallet)),
    defineHandler('calls.rejoin', ({ caller, payload }) => calls.rejoin(caller, payload)),
    defineHandler('calls.startRecording', ({ caller, payload }) => recording.start(caller, payload.callId)),
    defineHandler('calls.stopRecording', ({ caller, payload }) =>
      nothing(recording.stop(caller, payload.callId)),
    ),
    defineHandler('calls.block', ({ caller, payload }) =>
      nothing(blockList.block(caller.wallet, payload.address)),
    ),
    defineHandler('calls.unblock', ({ caller, payload }) =>
      nothing(blockList.unblock(caller.wallet, payload.address)),
    ),
    defineHandler('calls.getBlocked', ({ caller }) => blockList.list(caller.wallet)),
  ];
}
