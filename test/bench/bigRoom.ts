import { setTimeout as delay } from 'node:timers/promises';
import { twoNodes } from '../harness/nodes/Cluster.ts';
import { until } from '../harness/until.ts';
import { ofSamples, ofValue, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';
import {
  ask,
  askUntilTaken,
  countRepeats,
  device,
  parleyParticipant,
  type Device,
} from './rooms/parleyParticipant.ts';
import { RtpPeer } from './rooms/RtpPeer.ts';
import type { LayerShape } from './rooms/shapes.ts';

const people = Number(process.env.BENCH_PEOPLE ?? 1_000);
const cameras = Number(process.env.BENCH_CAMERAS ?? 25);
/** The number of cameras that each participant shows. */
const shown = 4;
/** How many people press join in one second. */
const perSecond = Number(process.env.BENCH_RATE ?? 20);
const camera: LayerShape = { kbit: 25, framesPerSecond: 5, width: 320, height: 180 };
const goals = { seconds: 60 };
const limitMs = 150_000;
const [tickMs, holdMs, signInAtOnce] = [5, 10_000, 20];
/** Each tick serves one of this many groups of receivers, so that each sends feedback about once per second. */
const groups = 200;

const settings = {
  LOG_LEVEL: 'warn',
  MEDIA_WORKERS: '1',
  RATE_LIMIT_REALTIME: '1000000',
  RATE_LIMIT_JOINS: '1000000',
  RATE_LIMIT_AUTH: '1000000',
};

/** A room of 1,000 people over two nodes. */
export const bigRoom: Bench = {
  title: 'A room of 1,000 people',
  about:
    `${people} people join one room on two nodes (half of them on each) with one media worker each; ${perSecond} of them press join per second. So it takes at least ${people / perSecond} s. ${cameras} of them send a camera (${camera.kbit} kbit/s) without a microphone, and each person shows ${shown} of these. ` +
    'When the server asks to try again in a moment, they do so, as the SDK does. ' +
    `A person is in when the connections (ICE and DTLS) are open and packets of all ${shown} cameras have arrived. ` +
    'To spare the machine, each person reports about once a second what has arrived, and not ten times as a browser does. The two nodes, PostgreSQL, Redis and all participants run on this machine.',
  profile:
    'While people arrive, the participants take about 40 % of the CPU time, the media workers and the servers about 30 % each, and both cores are used up (by /proc). When the cores are busy, joins queue, and people who have waited too long are asked to try again. When other programs use both cores too, the nodes answer each other so late that they take each other for dead: with a simulation and tests beside it, 533 people did not get in.',
  async run() {
    const cluster = await twoNodes(settings);
    try {
      const urls = cluster.nodes.map(({ server }) => server.url);
      const devices = await signIn(urls);
      const host = devices[0];
      if (!host) throw new Error('BENCH_PEOPLE must be at least 1');
      const { id } = await ask(host.socket, 'conference.create', { name: 'Bench', maxParticipants: people });
      return await fill(id, devices);
    } finally {
      await cluster.close();
    }
  },
};

async function signIn(urls: string[]): Promise<Device[]> {
  const devices: Device[] = [];
  while (devices.length < people) {
    const some = Array.from({ length: Math.min(signInAtOnce, people - devices.length) }, (_, index) =>
      device(urls[(devices.length + index) % urls.length] ?? ''),
    );
    devices.push(...(await Promise.all(some)));
    process.stdout.write(`\r  ${devices.length} of ${people} signed in`);
  }
  return devices;
}

async function fill(roomId: string, devices: Device[]): Promise<Figure[]> {
  const peers: RtpPeer[] = [];
  const startedAt = performance.now();
  const sending = setInterval(() => tick(peers), tickMs);
  try {
    let isIn = 0;
    const joins = devices.map(async (one, index) => {
      await delay((index * 1_000) / perSecond);
      const pressedAt = performance.now();
      await enter(roomId, one, index, peers);
      process.stdout.write(`\r  ${++isIn} of ${people} in   `);
      return (performance.now() - pressedAt) / 1_000;
    });
    const settled = await Promise.allSettled(joins);
    const all = (performance.now() - startedAt) / 1_000;
    const failed = settled.filter((each) => each.status === 'rejected');
    for (const { reason } of failed.slice(0, 3)) console.error(reason);
    const before = lossesOf(peers);
    await delay(holdMs);
    const after = lossesOf(peers);
    const lost = (100 * (after.lost - before.lost)) / (after.expected - before.expected);
    const samples = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    return [
      ofValue('everybody is in', 's', failed.length > 0 ? Infinity : all, { atMost: goals.seconds }),
      ...ofSamples({ what: 'from pressing join until all cameras arrive', unit: 's', samples }),
      ofValue('people who did not get in', '', failed.length, { atMost: 0 }),
      ofValue('requests that had to be tried again', '', countRepeats()),
      ofValue('packets lost in the ten seconds after', '%', lost),
    ];
  } finally {
    clearInterval(sending);
    for (const peer of peers) peer.close();
  }
}

async function enter(roomId: string, one: Device, index: number, peers: RtpPeer[]): Promise<void> {
  const isSending = index < cameras;
  const participant = parleyParticipant(one, {
    room: { scope: 'conference', id: roomId },
    enter: () => askUntilTaken(one.socket, 'conference.join', { roomId }),
    offers: { videos: isSending ? cameras - 1 : cameras, audios: 0 },
    layers: [camera],
    isShown: (video) => (video + index) % (isSending ? cameras - 1 : cameras) < shown,
  });
  const phaseMs = Math.random() * 200;
  const peer = await RtpPeer.enter(participant, phaseMs, isSending ? [camera] : [], undefined, false);
  peer.startAt(performance.now());
  peers.push(peer);
  await peer.receive(0);
  await until(() => peer.arrivals.streams >= shown, `packets of ${shown} cameras`, limitMs);
}

let turn = 0;

/** Sends the packets that are due. Receivers without a camera take turns, because their feedback would cost more than all media. */
function tick(peers: RtpPeer[]): void {
  const now = performance.now();
  turn = (turn + 1) % groups;
  for (const [index, peer] of peers.entries()) if (peer.isSending || index % groups === turn) peer.tick(now);
}

function lossesOf(peers: RtpPeer[]): { expected: number; lost: number } {
  let [expected, lost] = [0, 0];
  for (const { arrivals } of peers) {
    expected += arrivals.losses.expected;
    lost += arrivals.losses.lost;
  }
  return { expected, lost };
}
