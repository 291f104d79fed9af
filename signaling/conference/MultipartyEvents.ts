import type { WireQualities } from '../../sdk/protocol/conference.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { MultipartyRules, Quality } from '../media/MediaScope.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';

interface MultipartyEventsDeps {
  io: ParleyServer;
  notifier: Notifier;
}

/** More than these speak at once in no room where anybody is understood. */
const rankedSpeakers = 10;
/** What changes within this is told in one. */
const gatherMs = 500;
/** In a larger crowd nobody looks at everybody: of each one's quality its own device hears alone. */
const allToldUpTo = 30;

type Qualities = Map<string, Quality>;

/** What media measures of those in a room, many times a second: told to who is connected to this node, in few messages. */
export class MultipartyEvents implements Required<Pick<MultipartyRules, 'onSpeakers' | 'onQuality'>> {
  readonly #io: ParleyServer;
  readonly #notifier: Notifier;
  /** By room and participant: not told yet. */
  readonly #gathered = new Map<string, Qualities>();

  constructor({ io, notifier }: MultipartyEventsDeps) {
    this.#io = io;
    this.#notifier = notifier;
  }

  readonly onSpeakers: Required<MultipartyRules>['onSpeakers'] = (roomId, speakers) => {
    const ranked = speakers.slice(0, rankedSpeakers);
    this.#notifier.toConferenceHere(roomId, 'conference:speaker:active', { roomId, speakers: ranked });
  };

  readonly onQuality: Required<MultipartyRules>['onQuality'] = (roomId, quality) => {
    const gathered = this.#gathered.get(roomId);
    if (gathered) return void gathered.set(quality.participantId, quality);
    this.#gathered.set(roomId, new Map([[quality.participantId, quality]]));
    setTimeout(() => this.#tell(roomId), gatherMs).unref();
  };

  #tell(roomId: string): void {
    const qualities = [...(this.#gathered.get(roomId)?.values() ?? [])];
    this.#gathered.delete(roomId);
    const here = this.#io.of('/').adapter.rooms.get(channels.conference(roomId));
    if (!here) return;
    if (here.size <= allToldUpTo)
      return this.#notifier.toConferenceHere(roomId, 'conference:quality', toWire(roomId, qualities));
    for (const quality of qualities) {
      const { socketId } = quality;
      if (here.has(socketId))
        this.#notifier.toSocket(socketId, 'conference:quality', toWire(roomId, [quality]));
    }
  }
}

const toWire = (roomId: string, qualities: Quality[]): WireQualities => ({
  roomId,
  participants: qualities.map(({ participantId, sending, receiving }) => ({
    participantId,
    sending,
    receiving,
  })),
});
