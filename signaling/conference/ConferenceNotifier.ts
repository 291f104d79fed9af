import type { MoveReason } from '../../sdk/protocol/breakouts.ts';
import { isGuest, type PartyId } from '../../sdk/protocol/party.ts';
import type { RemovalReason, WireConferenceRoom, WireRoomChat } from '../../sdk/protocol/conference.ts';
import type { WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { EventName, EventOf } from '../../sdk/protocol/wire.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { channels, type EmitOptions, type Notifier } from '../socket/Notifier.ts';
import { unsubscribeFormer } from '../socket/unsubscribeFormer.ts';
import type { ConferenceStore } from './ConferenceStore.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toParticipant, toWaiter } from './toWire.ts';

interface NotifierDeps {
  io: ParleyServer;
  notifier: Notifier;
  store: ConferenceStore;
}

/** Sends the events of a conference. */
export class ConferenceNotifier {
  readonly #io: ParleyServer;
  readonly #notifier: Notifier;
  readonly #store: ConferenceStore;

  constructor({ io, notifier, store }: NotifierDeps) {
    this.#io = io;
    this.#notifier = notifier;
    this.#store = store;
  }

  joined(member: MemberRow): void {
    const except = { exceptSocket: member.socket ?? undefined };
    this.#notifier.toConference(
      member.roomId,
      'conference:participant:joined',
      toParticipant(member),
      except,
    );
  }

  /** @param member the membership as it was while the wallet was in the room */
  left(member: MemberRow, exceptSocket?: string): void {
    const { roomId } = member;
    const participant = toParticipant(member);
    const except = { exceptSocket };
    if (participant.screen)
      this.#notifier.toConference(
        roomId,
        'conference:screenshare:stopped',
        { roomId, participantId: participant.id },
        except,
      );
    this.#notifier.toConference(roomId, 'conference:participant:left', participant, except);
  }

  updated(member: MemberRow): void {
    this.#notifier.toConference(member.roomId, 'conference:participant:updated', toParticipant(member));
  }

  /** Announces that a participant's device has lost its connection, or is back. */
  away({ roomId, participantId, socket }: MemberRow, isAway: boolean): void {
    const away = { roomId, participantId: participantId ?? '', isAway };
    const except = { exceptSocket: socket ?? undefined };
    this.#notifier.toConference(roomId, 'conference:participant:away', away, except);
  }

  screenShare({ roomId, participantId }: MemberRow, is: 'started' | 'stopped'): void {
    const screen = { roomId, participantId: participantId ?? '' };
    this.#notifier.toConference(roomId, `conference:screenshare:${is}`, screen);
  }

  roomUpdated(room: WireConferenceRoom): void {
    this.#notifier.toConference(room.id, 'conference:updated', room);
  }

  recording(event: EventOf<'conference:recording'>): void {
    this.#notifier.toConference(event.roomId, 'conference:recording', event);
  }

  /** @param waiters the wallets in the room's waiting room */
  ended(room: WireConferenceRoom, waiters: PartyId[], exceptSocket?: string): void {
    this.#notifier.toConference(room.id, 'conference:ended', room, { exceptSocket });
    for (const wallet of waiters) this.#notifier.toWallet(wallet, 'conference:ended', room);
    const channel = channels.conference(room.id);
    this.#io.in(channel).socketsLeave(channel);
  }

  /** @param exceptSocket the device that wrote the message, if it gets the message in the answer to its request */
  chat(message: WireRoomChat, exceptSocket?: string): void {
    this.#notifier.toConference(message.roomId, 'conference:chat:message', message, { exceptSocket });
  }

  /** @param to the connections of the recipients; null for everybody in the room */
  data(message: EventOf<'conference:data'>, to: string[] | null, options: EmitOptions): void {
    if (to) this.#notifier.toSockets(to, 'conference:data', message, options);
    else this.#notifier.toConference(message.roomId, 'conference:data', message, options);
  }

  muted({ roomId, socket }: MemberRow): void {
    if (socket) this.#notifier.toSocket(socket, 'conference:muted', { roomId });
  }

  /** @param member the membership as it was while the wallet was in the room */
  removed(member: MemberRow, reason: RemovalReason, access: WireAccessResult | null = null): void {
    const { roomId, socket } = member;
    if (socket) this.#notifier.toSocket(socket, 'conference:removed', { roomId, reason, access });
  }

  /** @param member the membership as it was while the party was in the room @param to the id of the other room */
  moved({ roomId, socket }: MemberRow, to: string, reason: MoveReason): void {
    this.#notifier.toSocket(socket, 'conference:moved', { roomId, to, reason });
  }

  /** Tells the hosts that a participant of a breakout asks for one of them. */
  async hostCalled(room: RoomRow, member: MemberRow): Promise<void> {
    const { id: roomId, name: roomName, parentId } = room;
    const participant = toParticipant(member);
    await this.#toHosts(room, 'conference:host:called', {
      roomId,
      roomName,
      parentId: parentId ?? '',
      participant,
    });
  }

  replaced(socket: string, roomId: string): void {
    this.#notifier.toSocket(socket, 'media:replaced', { scope: 'conference', id: roomId });
  }

  /** Never throws: the change is stored. If the hosts cannot be read, they are told later. */
  async waiting(room: RoomRow, waiter: MemberRow, is: 'joined' | 'left'): Promise<void> {
    await this.#toHosts(room, `conference:waiting:${is}`, toWaiter(waiter)).catch(() =>
      this.#store.doubt(room.id),
    );
  }

  /** Sends to all devices of the creator and of the other hosts. A guest has only the device that is inside. */
  async #toHosts<Name extends EventName>(room: RoomRow, event: Name, payload: EventOf<Name>): Promise<void> {
    const inside = await this.#store.hostsOf(room);
    for (const { wallet, socket } of inside)
      if (isGuest(wallet)) this.#notifier.toSocket(socket, event, payload);
    for (const host of new Set([room.host, ...inside.map(({ wallet }) => wallet)]))
      if (!isGuest(host)) this.#notifier.toWallet(host, event, payload);
  }

  /** Tells a wallet in the waiting room whether a host has admitted or denied it. */
  answered({ roomId, wallet }: MemberRow, is: 'admitted' | 'denied'): void {
    this.#notifier.toWallet(wallet, `conference:${is}`, { roomId });
  }

  /** Asks the devices of a wallet that wait for admission to join again, because something may have changed. */
  joinAgain({ roomId, wallet }: MemberRow, exceptSocket?: string): void {
    this.#notifier.toWallet(wallet, 'conference:admitted', { roomId }, { exceptSocket });
  }

  /** Asks all devices in the room to reload it, because events may have been lost. */
  requestReload(roomId: string): void {
    this.#notifier.toConference(roomId, 'session:missed', {});
  }

  /** Unsubscribes this connection, on whichever node it is, from the room's events. */
  unsubscribe(socket: string | null, roomId: string): void {
    if (socket) this.#io.in(socket).socketsLeave(channels.conference(roomId));
  }

  /** Unsubscribes connections of this node that are no longer in their room. */
  unsubscribeFormer(): Promise<void> {
    return unsubscribeFormer(this.#io, 'conference', (subscribed) => this.#store.former(subscribed));
  }
}
