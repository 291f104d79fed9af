import type { Guest, Observable, Parley, RoomState as SharedRoom } from '@parley/sdk';
import { withChat } from '../conversation/withChat.ts';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { isOwnRefusal } from '../problems/explain.ts';
import { announcementOf } from './announcementOf.ts';
import { explainRoom } from './explainRoom.ts';
import { RoomBreakouts } from './RoomBreakouts.ts';
import { RoomHost } from './RoomHost.ts';
import {
  departureOf,
  endingOf,
  outside,
  roomStateOf,
  spokeLately,
  type JoinChoice,
  type OwnState,
  type RoomIdentity,
  type RoomState,
  type Sending,
} from './roomState.ts';

/**
 * A room. Carries out the user's actions. Its state is that of the SDK for the room that the user is in, with what only this page knows: the
 * door, the chat, and what the user has to be told.
 */
export class RoomController {
  readonly store: Store<RoomState>;
  /** The room that was opened. While the user is in a breakout, `roomId` is another one. */
  readonly openedId: string;
  readonly breakouts: RoomBreakouts;
  readonly host: RoomHost;
  readonly #services: Services;
  readonly #client: Parley;
  #identity: RoomIdentity = { address: '', guest: null };
  #stops: (() => void)[] = [];
  #roomId: string;
  #own: OwnState = outside;
  #shared: Observable<SharedRoom>;
  /** The state of the SDK that was handled last. */
  #seen: SharedRoom | null = null;
  #unfollow = () => {};
  #choice: JoinChoice = { audio: true, video: true, displayName: '' };
  /** Rises whenever the room is read. The result of an earlier read is ignored. */
  #reads = 0;
  #isOpen = false;

  constructor(services: Services, roomId: string) {
    this.#services = services;
    this.#client = services.client;
    this.openedId = this.#roomId = roomId;
    this.#shared = this.#client.conference.state(roomId);
    this.store = new Store(roomStateOf(this.#own, this.#shared.get()));
    const attempt = (act: () => Promise<void>) => this.attempt(act);
    this.breakouts = new RoomBreakouts(this.#client, this, attempt);
    this.host = new RoomHost(this.#client, this, attempt);
  }

  /** Loads the room and follows it, until `close()`. @param identity who the user is */
  open(identity: RoomIdentity): void {
    this.#identity = identity;
    this.#isOpen = true;
    this.#stops = [
      this.breakouts.follow(),
      this.#client.on('conference:chat:message', (said) => {
        if (said.roomId === this.roomId)
          this.change({ chat: withChat(this.#own.chat, said), unread: this.#own.unread + 1 });
      }),
      this.#client.on('conference:muted', ({ roomId }) => {
        if (roomId === this.roomId) this.change({ wasMuted: true, wanted: { audio: false } });
      }),
    ];
    this.#follow(this.openedId);
    // The device is inside already if a call has become this room.
    if (this.store.get().phase !== 'in') void this.load();
  }

  /** Stops following the room, because no component shows it any more. */
  close(): void {
    this.#isOpen = false;
    this.#unfollow();
    for (const stop of this.#stops) stop();
  }

  /** The user's wallet, or `guest:…`. */
  get address(): string {
    return this.#identity.address;
  }

  /** What the participant token says; null for a wallet. */
  get guest(): Guest | null {
    return this.#identity.guest;
  }

  /** The room that the user is in, or is about to enter. */
  get roomId(): string {
    return this.#roomId;
  }

  /** Loads the room, and checks its gate for this wallet. The user is at the door afterwards. */
  readonly load = async (): Promise<void> => {
    const read = ++this.#reads;
    this.#follow(this.openedId);
    this.change(outside);
    try {
      const room = await this.#client.conference.get(this.roomId);
      if (read !== this.#reads) return;
      if (room.status === 'ended') return this.change({ phase: 'out', room, departure: endingOf(room) });
      this.change({ room, phase: 'door' });
      await this.checkAccess();
    } catch (error) {
      if (read === this.#reads) this.change({ phase: 'missing', problem: this.#explain(error) });
    }
  };

  readonly checkAccess = async (): Promise<void> => {
    const { room } = this.store.get();
    if (!room?.gate || room.host === this.address || this.guest) return;
    try {
      const access = await this.#client.gatedRooms.checkAccess(this.roomId, this.address);
      this.change({ access, problem: null });
    } catch (error) {
      this.change({ problem: this.#explain(error) });
    }
  };

  readonly join = async (choice: JoinChoice): Promise<void> => {
    this.#choice = choice;
    const { audio, video } = choice;
    const displayName = choice.displayName.trim();
    this.change({ problem: null, wanted: { audio, video } });
    const request = { roomId: this.roomId, audio, video, ...(displayName ? { displayName } : {}) };
    // The state of the room says why it has failed.
    await this.#client.conference.join(request).catch(() => undefined);
  };

  /** Leaves the room, or stops waiting for admission. */
  readonly leave = async (): Promise<void> => {
    await this.#client.conference.leave(this.roomId).catch(() => undefined);
  };

  readonly toggleAudio = () =>
    this.#toggle('audio', (on) =>
      on ? this.#client.conference.unmuteAudio(this.roomId) : this.#client.conference.muteAudio(this.roomId),
    );

  readonly toggleVideo = () =>
    this.#toggle('video', (on) =>
      on ? this.#client.conference.unmuteVideo(this.roomId) : this.#client.conference.muteVideo(this.roomId),
    );

  readonly toggleHand = () =>
    this.#toggle('handRaised', (raised) => this.#client.conference.raiseHand(this.roomId, raised));

  readonly toggleScreen = async (): Promise<void> => {
    const { screen } = this.store.get().sending;
    await this.attempt(() =>
      screen
        ? this.#client.conference.stopScreenShare(this.roomId)
        : this.#client.conference.startScreenShare(this.roomId),
    );
  };

  readonly say = async (content: string): Promise<void> => {
    const said = await this.#client.conference.sendChat(this.roomId, content);
    this.change({ chat: withChat(this.#own.chat, said) });
  };

  /** Restarts audio and video after they failed. */
  readonly repairMedia = async (): Promise<void> => {
    const { sending, since } = this.store.get();
    const { audio, video } = sending;
    const leaving = this.leave();
    // The user has not left.
    this.change({ phase: 'joining', departure: null, since });
    await leaving;
    await this.join({ ...this.#choice, audio, video });
  };

  readonly readChat = (): void => this.change({ unread: 0 });
  readonly dismissMuted = (): void => this.change({ wasMuted: false });
  readonly dismissMoved = (): void => this.change({ wasMoved: false });

  /** Follows the SDK's state of a room instead of that of another one. */
  #follow(roomId: string): void {
    this.#unfollow();
    this.#roomId = roomId;
    this.#seen = null;
    this.#shared = this.#client.conference.state(roomId);
    this.#unfollow = this.#shared.subscribe(this.#update);
    this.#update();
  }

  /** Handles a change of the SDK's state. */
  readonly #update = (): void => {
    const before = this.#seen;
    const now = (this.#seen = this.#shared.get());
    if (now.phase === 'joined') {
      if (before?.phase === 'joined') this.#changed(before, now);
      else void this.#entered();
    } else if (now.phase === 'left' && before && before.phase !== 'left') {
      this.#left(now, before.phase === 'joined');
    } else this.change({});
  };

  async #entered(): Promise<void> {
    const { roomId } = this;
    this.change({ wanted: {}, since: this.#own.since ?? Date.now() });
    const chat = await this.#client.conference.getChat(roomId).catch(() => []);
    if (roomId !== this.roomId || this.store.get().phase !== 'in') return;
    this.change({ chat: withChat(this.#own.chat, ...chat) });
    await this.breakouts.read();
  }

  #changed(before: SharedRoom, now: SharedRoom): void {
    const { spoke, announcement, wanted } = this.#own;
    const others = now.speakers.flatMap(({ participantId: id }) => (id === now.own?.id ? [] : [id]));
    this.change({
      announcement: announcementOf(before, now, this.#services.words.rooms) ?? announcement,
      spoke: now.speakers === before.speakers ? spoke : spokeLately(spoke, others),
      wanted: now.own === before.own ? wanted : {},
    });
    if (now.room !== before.room) void this.breakouts.read();
  }

  /** The user is no longer in the room or its waiting room. */
  #left(last: SharedRoom, wasInside: boolean): void {
    const { since, hostCalls } = this.#own;
    const { reason, error, access, movedTo } = last;
    if (movedTo) {
      const { nowIn } = this.#services.words.rooms;
      this.#own = { ...outside, since, hostCalls, wasMoved: true, announcement: nowIn(movedTo.name) };
      return this.#follow(movedTo.id);
    }
    // The session says why.
    if (reason === 'closed') return this.change(outside);
    const known = { ...outside, room: last.room ?? this.#own.room, access: access ?? this.#own.access };
    const departure = departureOf(last);
    const isOut = departure !== null && (wasInside || departure !== 'left');
    if (isOut) this.change({ ...known, phase: 'out', departure });
    else this.change({ ...known, phase: 'door', problem: error && !access ? this.#explain(error) : null });
  }

  #explain(error: unknown) {
    return explainRoom(error, this.#services.words);
  }

  async #toggle(field: keyof Sending, act: (value: boolean) => Promise<void>): Promise<void> {
    const { sending, phase } = this.store.get();
    if (phase !== 'in') return;
    const value = !sending[field];
    this.change({ wanted: { ...this.#own.wanted, [field]: value }, wasMuted: false });
    if (!(await this.attempt(() => act(value))))
      this.change({ wanted: { ...this.#own.wanted, [field]: !value } });
  }

  /** Carries out an action, and reports a failure. @returns whether it succeeded */
  async attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (!isOwnRefusal(error)) this.#services.report(error);
      return false;
    }
  }

  /** Changes what only this page knows, unless the room is closed. */
  change(changes: Partial<OwnState>): void {
    if (!this.#isOpen) return;
    this.#own = { ...this.#own, ...changes };
    this.store.set(roomStateOf(this.#own, this.#shared.get()));
  }
}
