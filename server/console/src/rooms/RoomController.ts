import { Store, withChat } from '@parley/react';
import {
  ParleyError,
  type ConferenceRoom,
  type Guest,
  type Parley,
  type ParleyEvents,
  type Participant,
} from '@parley/sdk';
import { explainRoom, isOwnRefusal } from './explainRoom.ts';
import { RoomBreakouts } from './RoomBreakouts.ts';
import { followMedia } from './followMedia.ts';
import {
  departureOf,
  nameOf,
  noRoom,
  spokeLately,
  worst,
  type Departure,
  type JoinChoice,
  type Own,
  type RoomState,
} from './roomState.ts';

interface RoomControllerOptions extends Pick<RoomController, 'address' | 'roomId'> {
  client: Parley;
  guest?: Guest | null;
  /** Shows a failure that does not take the user out of the room. */
  report: (error: unknown) => void;
}

/** The room on the page. Carries out the user's actions and keeps the state up to date with the SDK's events. */
export class RoomController {
  readonly store = new Store<RoomState>(noRoom);
  /** The room of the page. While the user is in a breakout, `roomId` is another one. */
  readonly pageRoomId: string;
  readonly breakouts: RoomBreakouts;
  /** The user's wallet, or `guest:…`. */
  readonly address: string;
  /** What the participant token says; null for a wallet. */
  readonly guest: Guest | null;
  readonly #client: Parley;
  readonly #report: (error: unknown) => void;
  readonly #stops: (() => void)[] = [];
  #roomId: string;
  #choice: JoinChoice = { audio: true, video: true, displayName: '' };
  /** Rises with each join and each departure. The result of a join with an older number is ignored. */
  #attempt = 0;
  #closed = false;

  constructor({ client, address, roomId, guest = null, report }: RoomControllerOptions) {
    this.#client = client;
    this.address = address;
    this.pageRoomId = this.#roomId = roomId;
    this.breakouts = new RoomBreakouts(client, this, (act) => this.#try(act));
    this.guest = guest;
    this.#report = report;
    this.#subscribeToPeople();
    this.#subscribeToRoom();
    this.#stops.push(...followMedia(client, this), this.breakouts.follow());
  }

  /** The room that the user is in, or is about to enter. */
  get roomId(): string {
    return this.#roomId;
  }

  /** The user's own participant, while the user is inside. */
  get own(): Participant | undefined {
    return this.#people().find(({ walletAddress }) => walletAddress === this.address);
  }

  /** Loads the room and checks its gate for this wallet. */
  readonly load = async (): Promise<void> => {
    this.#roomId = this.pageRoomId;
    this.change({ ...noRoom });
    try {
      const room = await this.#client.conference.get(this.roomId);
      if (room.status === 'ended') return this.#depart(departureOf(room), room);
      this.change({ room, phase: 'lobby' });
      await this.checkAccess();
    } catch (error) {
      this.change({ phase: 'missing', problem: explainRoom(error) });
    }
  };

  readonly checkAccess = async (): Promise<void> => {
    const { room } = this.store.get();
    if (!room?.gate || room.host === this.address || this.guest) return;
    try {
      const access = await this.#client.gatedRooms.checkAccess(this.roomId, this.address);
      this.change({ access, problem: null });
    } catch (error) {
      this.change({ problem: explainRoom(error) });
    }
  };

  async join(choice: JoinChoice): Promise<void> {
    const attempt = ++this.#attempt;
    this.#choice = choice;
    const { audio, video, displayName } = choice;
    this.change({ phase: 'joining', problem: null, own: { ...noRoom.own, audio, video } });
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
      if (attempt !== this.#attempt || this.store.get().phase === 'over') return;
      this.#refused(error);
    }
  }

  /** Leaves the room, or stops waiting for admission. */
  readonly leave = async (): Promise<void> => {
    this.#attempt += 1;
    const { phase } = this.store.get();
    if (phase === 'waiting' || phase === 'joining') this.change({ phase: 'lobby' });
    else this.#depart('left');
    await this.#client.conference.leave(this.roomId).catch(() => undefined);
  };

  readonly end = async (): Promise<void> => {
    await this.#try(async () => {
      await this.#client.conference.end(this.roomId);
      this.#depart('ended');
    });
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
    const { screen } = this.store.get().own;
    await this.#try(() =>
      screen
        ? this.#client.conference.stopScreenShare(this.roomId)
        : this.#client.conference.startScreenShare(this.roomId),
    );
  };

  readonly say = async (content: string): Promise<void> => {
    const said = await this.#client.conference.sendChat(this.roomId, content);
    this.change({ chat: withChat(this.store.get().chat, said) });
  };

  readonly setDevice = async (kind: 'camera' | 'microphone', deviceId: string): Promise<void> => {
    await this.#try(() => this.#client.media.setDevice(kind, deviceId));
  };

  // Actions that only hosts may take.
  readonly mute = ({ id }: Participant) =>
    this.#try(() => this.#client.conference.muteParticipant(this.roomId, id));
  readonly remove = ({ id }: Participant) => this.#try(() => this.#client.conference.kick(this.roomId, id));
  readonly setRole = ({ id }: Participant, role: Participant['role']) =>
    this.#try(async () => void (await this.#client.conference.setRole(this.roomId, id, role)));
  readonly lock = (locked: boolean) =>
    this.#try(async () => this.change({ room: await this.#client.conference.lock(this.roomId, locked) }));
  readonly record = (isRecording: boolean) =>
    this.#try(async () => {
      const { conference } = this.#client;
      await (isRecording ? conference.startRecording(this.roomId) : conference.stopRecording(this.roomId));
    });
  readonly admit = (wallet: string) => this.#try(() => this.#client.conference.admit(this.roomId, wallet));
  readonly deny = (wallet: string) => this.#try(() => this.#client.conference.deny(this.roomId, wallet));
  readonly invite = (addresses: string[]) => this.#client.conference.invite(this.roomId, addresses);

  /** Restarts audio and video after they failed. */
  readonly repairMedia = async (): Promise<void> => {
    const { audio, video } = this.store.get().own;
    await this.#client.conference.leave(this.roomId).catch(() => undefined);
    this.change({ mediaFailed: false, tracks: new Map() });
    await this.join({ ...this.#choice, audio, video });
  };

  /** Makes the server send a video at the size of the element that shows it. @returns a function that detaches the element */
  attach(element: Element, participantId: string, source: 'camera' | 'screen'): () => void {
    return this.#client.media.attach(element, { participant: participantId, source });
  }

  readonly readChat = (): void => this.change({ unread: 0 });
  readonly dismissMuted = (): void => this.change({ wasMuted: false });
  readonly dismissMoved = (): void => this.change({ wasMoved: false });

  /** Leaves the room and stops handling events, because the user has left the page. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop();
    if (['joining', 'waiting', 'inside'].includes(this.store.get().phase))
      void this.#client.conference.leave(this.roomId).catch(() => undefined);
  }

  #people(): Participant[] {
    return this.#client.conference.participants(this.roomId);
  }

  async #entered(): Promise<void> {
    const { conference, media } = this.#client;
    this.change({
      phase: 'inside',
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
    if (this.store.get().phase !== 'inside') return;
    this.change({
      ...(room && room.status !== 'ended' ? { room } : {}),
      chat: withChat(this.store.get().chat, ...chat),
    });
    await Promise.all([this.#readWaiters(), this.breakouts.read()]);
  }

  /** The device is in another room now, with the same camera and microphone. */
  #moved(room: ConferenceRoom): void {
    this.#roomId = room.id;
    const { access, own, local, since, hostCalls, isReconnecting } = this.store.get();
    const kept = { access, own: { ...own, screen: false }, local, since, hostCalls, isReconnecting };
    this.change({ ...noRoom, ...kept, room, wasMoved: true, announcement: `You are now in ${room.name}` });
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
      return this.change({ phase: 'lobby', access: extra as unknown as RoomState['access'] });
    if (reason === 'room_ended') return this.#depart('ended');
    const wasDenied = this.store.get().phase === 'waiting' && error instanceof ParleyError;
    if (wasDenied && error.code === 'ACCESS_DENIED') return this.#depart('denied');
    this.change({ phase: 'lobby', problem: explainRoom(error) });
  }

  #depart(departure: Departure, room = this.store.get().room): void {
    const { access } = this.store.get();
    this.change({ ...noRoom, phase: 'over', room, access, departure });
  }

  /** The state of this device's sources, as the server reports it. */
  #ownFromServer(): Partial<RoomState> {
    const { own } = this;
    if (!own) return {};
    const { audio, video, screen, handRaised } = own;
    return { own: { audio, video, screen, handRaised } };
  }

  async #toggle(field: keyof Own, act: (value: boolean) => Promise<void>): Promise<void> {
    const { own, phase } = this.store.get();
    if (phase !== 'inside') return;
    const value = !own[field];
    this.change({ own: { ...own, [field]: value }, wasMuted: false });
    if (!(await this.#try(() => act(value))))
      this.change({ own: { ...this.store.get().own, [field]: !value } });
  }

  #subscribeToPeople(): void {
    for (const [name, did] of [
      ['conference:participant:joined', 'joined'],
      ['conference:participant:left', 'left'],
    ] as const)
      this.#on(name, (participant) => {
        if (participant.roomId !== this.roomId) return;
        this.change({ participants: this.#people(), announcement: `${nameOf(participant)} ${did}` });
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
        ...(hasAsked ? { announcement: `${nameOf(participant)} raised a hand` } : {}),
      });
      if (isOwn && this.store.get().phase === 'inside') void this.#readWaiters();
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
      const score = participantId === this.own?.id ? worst(sending, receiving) : (sending ?? 10);
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
      if (room.id === this.roomId) this.#depart(departureOf(room), room);
    });
    this.#on('conference:removed', ({ roomId, reason, access }) => {
      if (roomId !== this.roomId) return;
      this.#attempt += 1;
      this.change({ access });
      this.#depart(reason);
    });
    this.#on('media:replaced', ({ scope, id }) => {
      if (scope === 'conference' && id === this.roomId) this.#depart('other_device');
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
      ['conference:screenshare:started', 'started sharing a screen'],
      ['conference:screenshare:stopped', 'stopped sharing a screen'],
    ] as const)
      this.#on(name, ({ roomId, participantId }) => {
        const who = this.#people().find(({ id }) => id === participantId);
        if (roomId === this.roomId && who) this.change({ announcement: `${nameOf(who)} ${did}` });
      });
    this.#on('conference:muted', ({ roomId }) => {
      if (roomId === this.roomId)
        this.change({ wasMuted: true, own: { ...this.store.get().own, audio: false } });
    });
  }

  #on<Name extends keyof ParleyEvents>(name: Name, handler: (payload: ParleyEvents[Name]) => void): void {
    this.#stops.push(this.#client.on(name, handler));
  }

  async #try(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      if (!isOwnRefusal(error)) this.#report(error);
      return false;
    }
  }

  /** Changes the state, unless the user has left the page. */
  change(changes: Partial<RoomState>): void {
    if (!this.#closed) this.store.set({ ...this.store.get(), ...changes });
  }
}
