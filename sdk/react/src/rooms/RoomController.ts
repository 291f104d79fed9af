import {
  ParleyError,
  type ConferenceRoom,
  type Guest,
  type Parley,
  type ParleyEvents,
  type Participant,
} from '@parley/sdk';
import { withChat } from '../conversation/withChat.ts';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { isOwnRefusal } from '../problems/explain.ts';
import { explainRoom } from './explainRoom.ts';
import { RoomBreakouts } from './RoomBreakouts.ts';
import { followMedia } from './followMedia.ts';
import { RoomHost } from './RoomHost.ts';
import {
  departureOf,
  nameOf,
  noRoom,
  spokeLately,
  worst,
  type Departure,
  type JoinChoice,
  type RoomIdentity,
  type RoomState,
  type Sending,
} from './roomState.ts';

/** A room. Carries out the user's actions and keeps the state up to date with the SDK's events while it is open. */
export class RoomController {
  readonly store = new Store<RoomState>(noRoom);
  /** The room that was opened. While the user is in a breakout, `roomId` is another one. */
  readonly openedId: string;
  readonly breakouts: RoomBreakouts;
  readonly host: RoomHost;
  readonly #services: Services;
  readonly #client: Parley;
  #identity: RoomIdentity = { address: '', guest: null };
  #stops: (() => void)[] = [];
  #roomId: string;
  #choice: JoinChoice = { audio: true, video: true, displayName: '' };
  /** Rises with each join and each departure. The result of a join with an older number is ignored. */
  #attempt = 0;
  #isOpen = false;

  constructor(services: Services, roomId: string) {
    this.#services = services;
    this.#client = services.client;
    this.openedId = this.#roomId = roomId;
    const attempt = (act: () => Promise<void>) => this.attempt(act);
    this.breakouts = new RoomBreakouts(this.#client, this, attempt);
    this.host = new RoomHost(this.#client, this, attempt);
  }

  /** Loads the room and follows it, until `close()`. @param identity who the user is */
  open(identity: RoomIdentity): void {
    this.#identity = identity;
    this.#isOpen = true;
    this.#subscribeToPeople();
    this.#subscribeToRoom();
    this.#stops.push(...followMedia(this.#client, this), this.breakouts.follow());
    void this.load();
  }

  /** Leaves the room and stops following it, because no component shows it any more. */
  close(): void {
    this.#isOpen = false;
    this.#attempt += 1;
    for (const stop of this.#stops) stop();
    this.#stops = [];
    if (['joining', 'waiting', 'in'].includes(this.store.get().phase))
      void this.#client.conference.leave(this.roomId).catch(() => undefined);
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

  /** The user's own participant, while the user is inside. */
  get own(): Participant | undefined {
    return this.#people().find(({ walletAddress }) => walletAddress === this.address);
  }

  /** Loads the room, and checks its gate for this wallet. The user is at the door afterwards. */
  readonly load = async (): Promise<void> => {
    const attempt = ++this.#attempt;
    this.#roomId = this.openedId;
    this.change({ ...noRoom });
    try {
      const room = await this.#client.conference.get(this.roomId);
      if (attempt !== this.#attempt) return;
      if (room.status === 'ended') return this.depart(departureOf(room), room);
      this.change({ room, phase: 'door' });
      await this.checkAccess();
    } catch (error) {
      if (attempt === this.#attempt)
        this.change({ phase: 'missing', problem: explainRoom(error, this.#services.words) });
    }
  };

  readonly checkAccess = async (): Promise<void> => {
    const { room } = this.store.get();
    if (!room?.gate || room.host === this.address || this.guest) return;
    try {
      const access = await this.#client.gatedRooms.checkAccess(this.roomId, this.address);
      this.change({ access, problem: null });
    } catch (error) {
      this.change({ problem: explainRoom(error, this.#services.words) });
    }
  };

  readonly join = async (choice: JoinChoice): Promise<void> => {
    const attempt = ++this.#attempt;
    this.#choice = choice;
    const { audio, video, displayName } = choice;
    this.change({ phase: 'joining', problem: null, sending: { ...noRoom.sending, audio, video } });
    try {
      const name = displayName.trim();
      await this.#client.conference.join({
        roomId: this.roomId,
        audio,
        video,
        ...(name ? { displayName: name } : {}),
      });
      if (attempt === this.#attempt) await this.#entered();
    } catch (error) {
      if (attempt !== this.#attempt || this.store.get().phase === 'out') return;
      this.#refused(error);
    }
  };

  /** Leaves the room, or stops waiting for admission. */
  readonly leave = async (): Promise<void> => {
    this.#attempt += 1;
    const { phase } = this.store.get();
    if (phase === 'waiting' || phase === 'joining') this.change({ phase: 'door' });
    else this.depart('left');
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
    this.change({ chat: withChat(this.store.get().chat, said) });
  };

  /** Restarts audio and video after they failed. */
  readonly repairMedia = async (): Promise<void> => {
    const { audio, video } = this.store.get().sending;
    await this.#client.conference.leave(this.roomId).catch(() => undefined);
    this.change({ mediaFailed: false, tracks: new Map() });
    await this.join({ ...this.#choice, audio, video });
  };

  /** Makes the server send a video at the size of the element that shows it. @returns a function that detaches the element */
  readonly attach = (element: Element, participantId: string, source: 'camera' | 'screen'): (() => void) =>
    this.#client.media.attach(element, { participant: participantId, source });

  readonly readChat = (): void => this.change({ unread: 0 });
  readonly dismissMuted = (): void => this.change({ wasMuted: false });
  readonly dismissMoved = (): void => this.change({ wasMoved: false });

  #people(): Participant[] {
    return this.#client.conference.participants(this.roomId);
  }

  async #entered(): Promise<void> {
    const { conference, media } = this.#client;
    this.change({
      phase: 'in',
      participants: this.#people(),
      local: { stream: media.localStream(this.roomId) },
      since: this.store.get().since ?? Date.now(),
      ...this.#ownFromServer(),
    });
    // Participants may read more of the room than others, such as its participants and settings.
    const [room, chat] = await Promise.all([
      conference.get(this.roomId).catch(() => null),
      conference.getChat(this.roomId).catch(() => []),
    ]);
    if (this.store.get().phase !== 'in') return;
    this.change({
      ...(room && room.status !== 'ended' ? { room } : {}),
      chat: withChat(this.store.get().chat, ...chat),
    });
    await Promise.all([this.#readWaiters(), this.breakouts.read()]);
  }

  /** The device is in another room now, with the same camera and microphone. */
  #moved(room: ConferenceRoom): void {
    this.#roomId = room.id;
    const { access, sending, local, since, hostCalls, isReconnecting } = this.store.get();
    const kept = { access, sending: { ...sending, screen: false }, local, since, hostCalls, isReconnecting };
    this.change({ ...noRoom, ...kept, room, wasMoved: true, announcement: this.#words.nowIn(room.name) });
    void this.#entered();
  }

  async #readWaiters(): Promise<void> {
    if (this.own?.role !== 'host') return this.change({ waiters: [] });
    const waiters = await this.#client.conference.getWaiting(this.roomId).catch(() => []);
    this.change({ waiters });
  }

  #refused(error: unknown): void {
    const { extra, reason } = error instanceof ParleyError ? error : {};
    if (extra && 'missingRequirements' in extra)
      return this.change({ phase: 'door', access: extra as unknown as RoomState['access'] });
    if (reason === 'room_ended') return this.depart('ended');
    const wasDenied = this.store.get().phase === 'waiting' && error instanceof ParleyError;
    if (wasDenied && error.code === 'ACCESS_DENIED') return this.depart('denied');
    this.change({ phase: 'door', problem: explainRoom(error, this.#services.words) });
  }

  /** The user is no longer in the room. */
  depart(departure: Departure, room = this.store.get().room): void {
    const { access } = this.store.get();
    this.change({ ...noRoom, phase: 'out', room, access, departure });
  }

  /** The state of this device's sources, as the server reports it. */
  #ownFromServer(): Partial<RoomState> {
    const { own } = this;
    if (!own) return {};
    const { audio, video, screen, handRaised } = own;
    return { sending: { audio, video, screen, handRaised } };
  }

  async #toggle(field: keyof Sending, act: (value: boolean) => Promise<void>): Promise<void> {
    const { sending, phase } = this.store.get();
    if (phase !== 'in') return;
    const value = !sending[field];
    this.change({ sending: { ...sending, [field]: value }, wasMuted: false });
    if (!(await this.attempt(() => act(value))))
      this.change({ sending: { ...this.store.get().sending, [field]: !value } });
  }

  #subscribeToPeople(): void {
    for (const [name, did] of [
      ['conference:participant:joined', 'joined'],
      ['conference:participant:left', 'left'],
    ] as const)
      this.#on(name, (participant) => {
        if (participant.roomId !== this.roomId) return;
        this.change({ participants: this.#people(), announcement: this.#words[did](nameOf(participant)) });
      });
    this.#on('conference:participant:away', ({ roomId }) => {
      if (roomId === this.roomId) this.change({ participants: this.#people() });
    });
    this.#on('conference:participant:updated', (participant) => {
      if (participant.roomId !== this.roomId) return;
      const isOwn = participant.walletAddress === this.address;
      const before = this.store.get().participants.find(({ id }) => id === participant.id);
      const hasAsked = participant.handRaised && !before?.handRaised && !isOwn;
      this.change({
        participants: this.#people(),
        ...(isOwn ? this.#ownFromServer() : {}),
        ...(hasAsked ? { announcement: this.#words.raisedHand(nameOf(participant)) } : {}),
      });
      if (isOwn && this.store.get().phase === 'in') void this.#readWaiters();
    });
    this.#on('conference:speaker:active', ({ roomId, speakers }) => {
      if (roomId !== this.roomId) return;
      const ranked = speakers.map(({ participantId }) => participantId);
      const spoke = spokeLately(
        this.store.get().spoke,
        ranked.filter((id) => id !== this.own?.id),
      );
      this.change({ speakers: ranked, spoke });
    });
    this.#on('conference:quality', ({ roomId, participantId, sending, receiving }) => {
      if (roomId !== this.roomId) return;
      // Other participants' tiles show the quality of what they send; the user's own tile shows the worse of both directions.
      const isOwn = participantId === this.own?.id;
      const score = isOwn ? worst(sending, receiving) : (sending ?? 10);
      if (isOwn) this.change({ ownQuality: { sending, receiving } });
      this.change({ quality: new Map(this.store.get().quality).set(participantId, score) });
    });
  }

  #subscribeToRoom(): void {
    this.#on('connection:changed', ({ state }) => this.change({ isReconnecting: state !== 'connected' }));
    this.#on('conference:updated', (room) => {
      if (room.id !== this.roomId || !this.store.get().room) return;
      this.change({ room });
      void this.breakouts.read();
    });
    this.#on('conference:recording', ({ roomId, recording: isRecording, by }) => {
      const { room } = this.store.get();
      if (roomId === this.roomId && room)
        this.change({ room: { ...room, isRecording, recordedBy: isRecording ? by : null } });
    });
    this.#on('conference:moved', ({ fromRoomId, room }) => {
      if (fromRoomId === this.roomId) this.#moved(room);
    });
    this.#on('conference:ended', (room) => {
      if (room.id === this.roomId) this.depart(departureOf(room), room);
    });
    this.#on('conference:removed', ({ roomId, reason, access }) => {
      if (roomId !== this.roomId) return;
      this.#attempt += 1;
      this.change({ access });
      this.depart(reason);
    });
    this.#on('media:replaced', ({ scope, id }) => {
      if (scope === 'conference' && id === this.roomId) this.depart('other_device');
    });
    this.#on('conference:waiting', ({ roomId }) => {
      if (roomId === this.roomId && this.store.get().phase === 'joining') this.change({ phase: 'waiting' });
    });
    this.#on('conference:waiting:joined', (waiter) => {
      if (waiter.roomId !== this.roomId) return;
      const others = this.store.get().waiters.filter((one) => one.walletAddress !== waiter.walletAddress);
      this.change({ waiters: [...others, waiter] });
    });
    this.#on('conference:waiting:left', ({ roomId, walletAddress }) => {
      if (roomId !== this.roomId) return;
      const waiters = this.store.get().waiters.filter((one) => one.walletAddress !== walletAddress);
      this.change({ waiters });
    });
    this.#on('conference:chat:message', (said) => {
      if (said.roomId !== this.roomId) return;
      const { chat, unread } = this.store.get();
      this.change({ chat: withChat(chat, said), unread: unread + 1 });
    });
    for (const [name, did] of [
      ['conference:screenshare:started', 'startedSharing'],
      ['conference:screenshare:stopped', 'stoppedSharing'],
    ] as const)
      this.#on(name, ({ roomId, participantId }) => {
        const who = this.#people().find(({ id }) => id === participantId);
        if (roomId === this.roomId && who) this.change({ announcement: this.#words[did](nameOf(who)) });
      });
    this.#on('conference:muted', ({ roomId }) => {
      if (roomId === this.roomId)
        this.change({ wasMuted: true, sending: { ...this.store.get().sending, audio: false } });
    });
  }

  get #words() {
    return this.#services.words.rooms;
  }

  #on<Name extends keyof ParleyEvents>(name: Name, handler: (payload: ParleyEvents[Name]) => void): void {
    this.#stops.push(this.#client.on(name, handler));
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

  /** Changes the state, unless the room is closed. */
  change(changes: Partial<RoomState>): void {
    if (this.#isOpen) this.store.set({ ...this.store.get(), ...changes });
  }
}
