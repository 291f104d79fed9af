import type { WireCall } from '../../sdk/protocol/calls.ts';
import type { ParleySocket } from '../socket/RequestContext.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import { channels } from '../socket/Notifier.ts';
import type { BlockList } from './BlockList.ts';
import type { CallRecording } from './CallRecording.ts';
import type { CallService } from './CallService.ts';

export function callHandlers(calls: CallService, recording: CallRecording, blockList: BlockList): Handler[] {
  const nothing = async (done: Promise<void>) => {
    await done;
    return {};
  };
  // Subscribes the device to the call's channel, even if the device has no media, so that the server notices when it goes silent. The
  // subscriptions end when the call's room is closed.
  const takingPart = async (socket: ParleySocket, done: Promise<WireCall>) => {
    const call = await done;
    if (socket.connected) await socket.join(channels.call(call.id));
    return call;
  };
  return [
    defineHandler('calls.start', ({ context, payload, socket }) =>
      takingPart(socket, calls.start(context, payload)),
    ),
    defineHandler('calls.answer', ({ context, payload, socket }) =>
      takingPart(socket, calls.answer(context, payload.callId)),
    ),
    defineHandler('calls.decline', ({ context, payload }) =>
      nothing(calls.decline(context, payload.callId, payload.reason ?? 'declined')),
    ),
    defineHandler('calls.end', ({ context, payload }) => nothing(calls.end(context, payload.callId))),
    defineHandler('calls.mute', ({ context, payload }) =>
      nothing(calls.setSending(context, payload.callId, 'microphone', false)),
    ),
    defineHandler('calls.unmute', ({ context, payload }) =>
      nothing(calls.setSending(context, payload.callId, 'microphone', true)),
    ),
    defineHandler('calls.disableVideo', ({ context, payload }) =>
      nothing(calls.setSending(context, payload.callId, 'camera', false)),
    ),
    defineHandler('calls.enableVideo', ({ context, payload }) =>
      nothing(calls.setSending(context, payload.callId, 'camera', true)),
    ),
    defineHandler('calls.getHistory', ({ context, payload }) => calls.history(context, payload)),
    defineHandler('calls.getActive', ({ context }) => calls.active(context.wallet)),
    defineHandler('calls.rejoin', ({ context, payload, socket }) =>
      takingPart(socket, calls.rejoin(context, payload)),
    ),
    defineHandler('calls.startRecording', ({ context, payload }) => recording.start(context, payload.callId)),
    defineHandler('calls.stopRecording', ({ context, payload }) =>
      nothing(recording.stop(context, payload.callId)),
    ),
    defineHandler('calls.block', ({ context, payload }) =>
      nothing(blockList.block(context.wallet, payload.address)),
    ),
    defineHandler('calls.unblock', ({ context, payload }) =>
      nothing(blockList.unblock(context.wallet, payload.address)),
    ),
    defineHandler('calls.getBlocked', ({ context }) => blockList.list(context.wallet)),
  ];
}
