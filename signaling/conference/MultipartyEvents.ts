import type { WireQualities } from '../../sdk/protocol/conference.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import type { MultipartyRules, Quality } from '../media/MediaScope.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';

interface MultipartyEventsDeps {
  io: ParleyServer;
  notifier: Notifier;
}

/** The maximum number of active speakers in an event. If more people speak at once, nobody can be understood. */
const rankedSpeakers = 10;
/** Changes of quality within this time are sent in one message. */
const gatherMs = 500;
/** If more devices of a room than this are connected to this node, each gets only its own quality. */
const largestBroadcast = 30;

type Qualities = Map<string, Quality>;

/** Batches the frequent measurements of media, and sends them to the devices that are connected to this node. */
export class MultipartyEvents implements Required<Pick<MultipartyRules, 'onSpeakers' | 'onQuality'>> {
  readonly #io: ParleyServer;
  readonly #notifier: Notifier;
  /** Qualities not sent yet, by room and participant. */
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
    setTimeout(() => this.#flush(roomId), gatherMs).unref();
  };

  #flush(roomId: string): void {
    const qualities = [...(this.#gathered.get(roomId)?.values() ?? [])];
    this.#gathered.delete(roomId);
    const here = this.#io.of('/').adapter.rooms.get(channels.conference(roomId));
    if (!here) return;
    if (here.size <= largestBroadcast)
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
