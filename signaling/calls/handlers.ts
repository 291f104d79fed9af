import type { WireEnteredCall } from '../../sdk/protocol/calls.ts';
import type { WantedMedia } from '../../sdk/protocol/media.ts';
import type { MediaSessions } from '../media/MediaSessions.ts';
import type { RequestContext, ParleySocket } from '../socket/RequestContext.ts';
import type { Handlers } from '../socket/Handlers.ts';
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

export function callHandlers({
  calls,
  recording,
  blockList,
  media: sessions,
}: CallServices): Handlers<'calls'> {
  // Subscribes the device to the call's channel, even if the device has no media, so that the server notices when it goes silent. The
  // subscriptions end when the call's room is closed.
  const enter = async (
    context: RequestContext,
    wanted: WantedMedia | undefined,
    socket: ParleySocket,
    entering: Promise<CallRow>,
  ): Promise<WireEnteredCall> => {
    const row = await entering;
    if (socket.connected) await socket.join(channels.call(row.id));
    // A device that starts its ringing call again, for example after a double click, keeps its media.
    const media = context.peers.has(row.id) ? undefined : wanted;
    const entered = { room: { scope: 'call', id: row.id }, media } as const;
    const admission = admissionOf(row, context.wallet);
    return {
      ...toCall(row, context.wallet),
      ...(await sessions.joinEntered(context, socket, { ...entered, admission })),
    };
  };
  return {
    'calls.start': (context, payload, socket) =>
      enter(context, payload.media, socket, calls.start(context, payload)),
    'calls.answer': (context, { callId, media }, socket) =>
      enter(context, media, socket, calls.answer(context, callId)),
    'calls.decline': (context, payload) =>
      calls.decline(context, payload.callId, payload.reason ?? 'declined'),
    'calls.end': (context, payload) => calls.end(context, payload.callId),
    'calls.mute': (context, payload) => calls.setSending(context, payload.callId, 'microphone', false),
    'calls.unmute': (context, payload) => calls.setSending(context, payload.callId, 'microphone', true),
    'calls.disableVideo': (context, payload) => calls.setSending(context, payload.callId, 'camera', false),
    'calls.enableVideo': (context, payload) => calls.setSending(context, payload.callId, 'camera', true),
    'calls.getHistory': (context, payload) => calls.history(context, payload),
    'calls.getActive': (context) => calls.active(context.wallet),
    'calls.rejoin': (context, payload, socket) =>
      enter(context, payload.media, socket, calls.rejoin(context, payload)),
    'calls.startRecording': (context, payload) => recording.start(context, payload.callId),
    'calls.stopRecording': (context, payload) => recording.stop(context, payload.callId),
    'calls.block': (context, payload) => blockList.block(context.wallet, payload.address),
    'calls.unblock': (context, payload) => blockList.unblock(context.wallet, payload.address),
    'calls.getBlocked': (context) => blockList.list(context.wallet),
  };
}
