import type { WireCall } from '../../sdk/protocol/calls.ts';
import type { ParleySocket } from '../socket/RequestContext.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import { audiences } from '../socket/Notifier.ts';
import type { BlockList } from './BlockList.ts';
import type { CallRecording } from './CallRecording.ts';
import type { CallService } from './CallService.ts';

export function callHandlers(calls: CallService, recording: CallRecording, blockList: BlockList): Handler[] {
  const nothing = async (done: Promise<void>) => {
    await done;
    return {};
  };
  // With or without media: the other party is told when nothing comes from it. Closing the room ends it.
  const takingPart = async (socket: ParleySocket, done: Promise<WireCall>) => {
    const call = await done;
    if (socket.connected) await socket.join(audiences.call(call.id));
    return call;
  };
  return [
    defineHandler('calls.start', ({ caller, payload, socket }) =>
      takingPart(socket, calls.start(caller, payload)),
    ),
    defineHandler('calls.answer', ({ caller, payload, socket }) =>
      takingPart(socket, calls.answer(caller, payload.callId)),
    ),
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
    defineHandler('calls.rejoin', ({ caller, payload, socket }) =>
      takingPart(socket, calls.rejoin(caller, payload)),
    ),
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
