import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { LimitFactory } from '../../platform/limits/Limits.ts';
import type { WireEnteredCall } from '../../sdk/protocol/calls.ts';
import type { WantedMedia } from '../../sdk/protocol/media.ts';
import type { Contacts } from '../Contacts.ts';
import { RecipientLimit } from '../RecipientLimit.ts';
import type { Handlers } from '../socket/Handlers.ts';
import { channels } from '../socket/Notifier.ts';
import type { RequestContext, ParleySocket } from '../socket/RequestContext.ts';
import { AwayParties } from './AwayParties.ts';
import type { CallDeps } from './CallDeps.ts';
import { CallMaintenance } from './CallMaintenance.ts';
import { CallMoves } from './CallMoves.ts';
import { CallRecording } from './CallRecording.ts';
import { admissionOf, CallService } from './CallService.ts';
import { CallStore, toCall } from './CallStore.ts';
import type { CallRow } from './tables.ts';

type Given = Omit<CallDeps, 'store' | 'limits'> & {
  db: NodePgDatabase;
  contacts: Contacts;
  limitFactory: LimitFactory;
  /** Calls a wallet may start per minute. */
  callsPerCaller: number;
  /** Calls a wallet may get per minute from contacts. Calls from strangers have a separate limit, half as large. */
  callsPerCallee: number;
};

/** Creates the rules of calls, for a node that accepts connections. */
export function createCalls(given: Given) {
  const { db, node, blockList, media: sessions, limitFactory } = given;
  const store = new CallStore(db, node);
  const recording = new CallRecording({ ...given, store });
  const limits = {
    perCaller: limitFactory.perWallet('calls', given.callsPerCaller, 60),
    perCallee: new RecipientLimit(limitFactory, given.contacts, 'called', given.callsPerCallee),
  };
  const deps: CallDeps = { ...given, store, limits };
  const away = new AwayParties(deps);
  const calls = new CallService(deps, away);
  const maintenance = new CallMaintenance(deps, calls, away);
  sessions.addScope('call', calls);
  // Subscribes the device to the call's channel, even if the device has no media, so that the server notices when it goes silent. The
  // subscriptions end when the call's room is closed.
  const enter = async (
    context: RequestContext,
    wanted: WantedMedia | undefined,
    socket: ParleySocket,
    entering: Promise<CallRow>,
  ): Promise<WireEnteredCall> => {
    const row = await entering;
    await socket.join(channels.call(row.id));
    // A device that starts its ringing call again, for example after a double click, keeps its media.
    const media = context.peers.has(row.id) ? undefined : wanted;
    const entered = { room: { scope: 'call', id: row.id }, media } as const;
    const admission = admissionOf(row, context.wallet);
    return {
      ...toCall(row, context.wallet),
      ...(await sessions.joinEntered(context, socket, { ...entered, admission })),
    };
  };
  const moves = new CallMoves({ ...given, store, calls });
  const handlers: Omit<Handlers<'calls'>, 'calls.addPeople'> = {
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
  return { calls, moves, maintenance, handlers };
}
