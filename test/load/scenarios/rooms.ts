import { deferred } from '../deferred.ts';
import { LoadPeer } from '../peers/LoadPeer.ts';
import { LoadWallet } from '../peers/LoadWallet.ts';
import { conferenceVideo } from '../peers/videos.ts';
import type { Measures } from '../report/Measures.ts';
import type { Run } from '../Run.ts';
import type { Scenario } from '../Scenario.ts';

/** How long each publisher speaks before the next one does. */
const speakerMs = 4_000;
/** The rooms end by themselves soon after a generator that was killed. */
const emptyTimeout = 30;

interface Room {
  id: string;
  host: LoadWallet;
}

/** Rooms whose publishers send audio and video to all people in them. */
export const rooms: Scenario = {
  isWanted: (options) => options.rooms > 0,

  async run(run, measures) {
    const { rooms: count, people, publishers } = run.options;
    const opened = Array.from({ length: count }, () => deferred<Room | null>());
    const wallets: LoadWallet[] = [];
    const peers: LoadPeer[][] = opened.map(() => []);
    const speakers: LoadPeer[][] = opened.map(() => []);
    const speaking = { tick: (now: number) => takeTurns(speakers, now) };
    run.enter(speaking);
    // The people of all rooms come in turns: first one of each room, then a second one of each.
    await run.ramp(count * people, async (index) => {
      const [number, seat] = [index % count, Math.floor(index / count)];
      const wallet = await LoadWallet.connect(run, measures);
      if (wallet) wallets.push(wallet);
      if (seat === 0) opened[number]?.resolve(wallet && (await open(wallet, people, measures)));
      const room = await opened[number]?.promise;
      if (!wallet || !room || run.isOver) return;
      const peer = await join(run, measures, { wallet, room, sends: seat < publishers });
      if (!peer) return;
      measures.count('people');
      peers[number]?.push(peer);
      if (seat < publishers) speakers[number]?.push(peer);
    });
    await run.untilOver();
    run.leave(speaking);
    for (const [number, room] of peers.entries())
      for (const peer of room) {
        // A publisher receives nothing as long as it is the only one: the load may end before the others come.
        const sender = speakers[number]?.find((each) => each !== peer);
        if (sender) peer.watch.end(sender.joinedAt);
      }
    await Promise.all(peers.flat().map((peer) => peer.leave()));
    for (const each of opened) each.resolve(null);
    await Promise.all(opened.map(async ({ promise }) => end(await promise, measures)));
    await Promise.all(wallets.map((wallet) => wallet.close()));
  },
};

async function open(host: LoadWallet, people: number, measures: Measures): Promise<Room | null> {
  const created = await measures.attempt('create room', () =>
    host.ask('conference.create', {
      name: 'Load test',
      maxParticipants: people,
      settings: { emptyTimeout },
    }),
  );
  if (!created) return null;
  measures.count('rooms');
  return { id: created.id, host };
}

function join(
  run: Run,
  measures: Measures,
  { wallet, room, sends }: { wallet: LoadWallet; room: Room; sends: boolean },
): Promise<LoadPeer | null> {
  const video = conferenceVideo(run.options);
  const roomId = room.id;
  return LoadPeer.join(
    run,
    { measures, what: 'join' },
    {
      ...video,
      wallet,
      layers: sends ? video.layers : [],
      room: { scope: 'conference', id: roomId },
      async enter(media) {
        const answer = await wallet.ask('conference.join', { roomId, media });
        return answer.state === 'joined' ? answer : {};
      },
      reenter: () => wallet.ask('conference.join', { roomId, held: wallet.ids }),
    },
  );
}

/** Ends a room, which removes everybody from it. */
async function end(room: Room | null, measures: Measures): Promise<void> {
  if (!room) return;
  await room.host
    .ask('conference.end', { roomId: room.id })
    .catch((error: unknown) => measures.fail('end room', error));
}

function takeTurns(speakers: readonly LoadPeer[][], now: number): void {
  for (const room of speakers) {
    const turn = Math.floor(now / speakerMs) % Math.max(1, room.length);
    for (const [index, peer] of room.entries()) peer.isSpeaking = index === turn;
  }
}
