import type { WireEnteredCall } from '../../sdk/protocol/calls.ts';
import type { WantedMedia } from '../../sdk/protocol/media.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { RequestContext, ParleySocket } from '../socket/RequestContext.ts';
import { defineHandler, type Handler } from '../socket/defineHandler.ts';
import { channels } from '../socket/Notifier.ts';
import type { BlockList } from './BlockList.ts';
import type { CallRecording } from './CallRecording.ts';
import { admissionOf, type CallService } from './CallService.ts';
import { toCall } from './CallStore.ts';
import type { CallRow } from './tables.ts';

interface CallServices {
  calls: CallService;
  recording: CallRecording;
  blockList: BlockList;
  media: MediaSessions;
}

export function callHandlers({ calls, recording, blockList, media: sessions }: CallServices): Handler[] {
  const nothing = async (done: Promise<void>) => {
    await done;
    return {};
  };
  // Subscribes the device to the call's channel, even if the device has no media, so that the server notices when it goes silent. The
  // subscriptions end when the call's room is closed.
  const enter = async (
    {
      context,
      socket,
      payload,
    }: { context: RequestContext; socket: ParleySocket; payload: { media?: WantedMedia } },
    entering: Promise<CallRow>,
  ): Promise<WireEnteredCall> => {
    const row = await entering;
    if (socket.connected) await socket.join(channels.call(row.id));
    // A device that starts its ringing call again, for example after a double click, keeps its media.
    const media = context.peers.has(row.id) ? undefined : payload.media;
    const entered = { room: { scope: 'call', id: row.id }, media } as const;
    const admission = admissionOf(row, context.wallet);
    return {
      ...toCall(row, context.wallet),
      ...(await sessions.joinEntered(context, socket, { ...entered, admission })),
    };
  };
  return [
    defineHandler('calls.start', (asked) => enter(asked, calls.start(asked.context, asked.payload))),
    defineHandler('calls.answer', (asked) => enter(asked, calls.answer(asked.context, asked.payload.callId))),
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
    defineHandler('calls.rejoin', (asked) => enter(asked, calls.rejoin(asked.context, asked.payload))),
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
