import type { Parley, Participant } from '@parley/sdk';
import type { ShownRoom } from './roomState.ts';

/** The actions that only hosts may take. Failures are reported. */
export class RoomHost {
  readonly #client: Parley;
  readonly #room: Pick<ShownRoom, 'roomId' | 'store'>;
  readonly #try: (act: () => Promise<void>) => Promise<boolean>;

  /** @param attempt carries out an action, and reports a failure */
  constructor(
    client: Parley,
    room: Pick<ShownRoom, 'roomId' | 'store'>,
    attempt: (act: () => Promise<void>) => Promise<boolean>,
  ) {
    this.#client = client;
    this.#room = room;
    this.#try = attempt;
  }

  readonly mute = ({ id }: Participant) =>
    this.#try(() => this.#client.conference.muteParticipant(this.#room.roomId, id));

  /** Removes a participant, who can return only by invitation. */
  readonly remove = ({ id }: Participant) =>
    this.#try(() => this.#client.conference.kick(this.#room.roomId, id));

  readonly setRole = ({ id }: Participant, role: Participant['role']) =>
    this.#try(async () => void (await this.#client.conference.setRole(this.#room.roomId, id, role)));

  /** Locks or unlocks the room. Only invited wallets can join a locked one. */
  readonly lock = (locked: boolean) =>
    this.#try(async () => void (await this.#client.conference.lock(this.#room.roomId, locked)));

  readonly record = (isRecording: boolean) =>
    this.#try(async () => {
      const { conference } = this.#client;
      const { roomId } = this.#room;
      await (isRecording ? conference.startRecording(roomId) : conference.stopRecording(roomId));
    });

  /** Lets somebody in who waits at the door. */
  readonly admit = (wallet: string) =>
    this.#try(() => this.#client.conference.admit(this.#room.roomId, wallet));

  /** Lets everybody in who waits, as far as the room has places. */
  readonly admitAll = () =>
    this.#try(async () => void (await this.#client.conference.admitAll(this.#room.roomId)));

  /** Does not let somebody in who waits at the door. The wallet can return only by invitation. */
  readonly deny = (wallet: string) =>
    this.#try(() => this.#client.conference.deny(this.#room.roomId, wallet));

  readonly denyAll = () =>
    this.#try(async () => {
      const { waiters } = this.#room.store.get();
      const { roomId } = this.#room;
      await Promise.all(
        waiters.map(({ walletAddress }) => this.#client.conference.deny(roomId, walletAddress)),
      );
    });

  /** @throws ParleyError */
  readonly invite = (wallets: string[]): Promise<void> =>
    this.#client.conference.invite(this.#room.roomId, wallets);

  /** Ends the room for everyone. */
  readonly end = () => this.#try(() => this.#client.conference.end(this.#room.roomId));
}
