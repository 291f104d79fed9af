import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import type { WireReceivedData } from '../../sdk/protocol/data.ts';
import { guestMark } from '../../sdk/protocol/party.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { mustBeInside } from './permissions.ts';
import { noSuchParticipant, notAHost, notGranted, over } from './refusals.ts';
import type { MemberRow, RoomRow } from './tables.ts';

type DataMessage = RequestOf<'conference.sendData'>;

interface Sending {
  context: PartyContext;
  message: DataMessage;
}

/** The maximum number of messages of one sender that share one read of the database. */
const groupSize = 100;
/** The maximum number of messages of one sender that wait for the database. */
const maxWaiting = 1_000;

/**
 * Data messages to the participants of a room. They are not stored. The messages of one sender are sent in the order of their arrival, and
 * those that arrive while the database is busy share its next answer. So a sender who is removed cannot send any more.
 */
export class ConferenceData {
  readonly #deps: Pick<ConferenceDeps, 'store' | 'notifier' | 'limits'>;
  /** By room and sender. The result is the reason of a refusal, because one refused message must not fail the others. */
  readonly #senders = new KeyedGroupCommit<Sending, Error | null>({
    size: groupSize,
    maxWaiting,
    write: (_key, all) => this.#sendAll(all),
  });

  constructor(deps: Pick<ConferenceDeps, 'store' | 'notifier' | 'limits'>) {
    this.#deps = deps;
  }

  /**
   * Only the device that has joined may send, because another one may be on another node, where the order is not known. A viewer may send. A
   * backend sends as the host of the room.
   */
  async send(context: PartyContext, message: DataMessage): Promise<void> {
    const key = `${message.roomId} ${context.wallet} ${context.socketId}`;
    const refused = await this.#senders.run(key, { context, message });
    if (refused) throw refused;
  }

  /** All of these messages have the same sender and room. */
  async #sendAll(all: Sending[]): Promise<(Error | null)[]> {
    const { store, limits } = this.#deps;
    const refusals = await Promise.all(
      all.map(({ context }) =>
        limits.data.consume(context).then(
          () => null,
          (error: Error) => error,
        ),
      ),
    );
    const [first] = all;
    if (!first || !refusals.includes(null)) return refusals;
    const { context, message } = first;
    const others = all.flatMap(({ message: { to = [] } }) => to);
    const { room, members } = await store.roomWith(message.roomId, context.wallet, others);
    const sender = senderOf(context, room, members);
    return all.map((one, index) => refusals[index] ?? this.#send(sender, one.message, members));
  }

  /** @param members the sender and the recipients @returns why it was not sent; null if it was */
  #send(sender: MemberRow | null, message: DataMessage, members: MemberRow[]): Error | null {
    const { roomId, topic, json, bytes, to, reliable } = message;
    const recipients = to && members.filter(({ participantId }) => to.includes(participantId ?? ''));
    // Some of the recipients may have left while the message was on its way.
    if (recipients?.length === 0) return noSuchParticipant();
    const data: WireReceivedData = {
      roomId,
      from: sender?.participantId ?? null,
      walletAddress: sender?.wallet ?? null,
      ...guestMark(sender?.wallet ?? null),
      topic,
      ...(bytes === undefined ? { json } : { bytes }),
    };
    const sockets = recipients?.flatMap(({ socket }) => socket ?? []) ?? null;
    this.#deps.notifier.data(data, sockets, {
      exceptSocket: sender?.socket ?? undefined,
      volatile: !reliable,
    });
    return null;
  }
}

/** The participant who sends; null for a backend. @throws ParleyError if the sender may not send */
function senderOf(context: PartyContext, room: RoomRow, members: MemberRow[]): MemberRow | null {
  if (isBackend(context)) {
    if (context.wallet !== room.host) throw notAHost();
    if (room.status === 'ended') throw over();
    return null;
  }
  const sender = mustBeInside(
    context,
    room,
    members.find(({ wallet }) => wallet === context.wallet),
  );
  if (sender.grants?.canSendData === false) throw notGranted();
  return sender;
}
