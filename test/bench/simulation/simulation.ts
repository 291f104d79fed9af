import { mock } from 'node:test';
import { seeded } from '../../harness/random.ts';
import { ofSamples, ofValue, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { People, plan, type Plan } from './People.ts';
import { consumersPerWorker, SimulatedCluster, type SimulatedNode } from './SimulatedCluster.ts';

const setting = (name: string, otherwise: number) => Number(process.env[`BENCH_${name}`] ?? otherwise);
const people = setting('PEOPLE', 1_000_000);
const viewers = setting('VIEWERS', 100_000);
const nodes = setting('NODES', 1_000);
const workersPerNode = setting('WORKERS', 19);
const ends = setting('ENDS', 5);

const arrivalSeconds = 120;
const beatMs = 500;
/** Every so many heartbeats, a node measures its load: see LoadMeter. */
const beatsPerMeasurement = 4;

export const simulation: Bench = {
  title: 'Placement, simulated',
  about: `The placement and pipe-tree code of the product, with simulated nodes, workers and time. ${people.toLocaleString('en')} people arrive within ${arrivalSeconds} s (40 % in calls of two, 45 % in rooms of 4 to 30, 10 % in rooms of 300 and 5 % in rooms of 1,000, where 25 publish), then ${viewers.toLocaleString('en')} viewers of one stream, on ${nodes.toLocaleString('en')} nodes of ${workersPerNode} workers. Then ${ends} nodes die and ${ends} drain, and so does the node of the stream. The CPU time of a join is that of the decisions at the node of the device and at the owner of the room, with its pipes, without media and network. A node’s load is what it reports, the share of its busiest core; the mean over all its cores is also given.`,
  profile:
    'The fullest workers had several rooms of nine to eleven people, who came while these rooms were small; members do not move when their room grows (by runs with 100,000 people on 100 nodes). By a profile of a whole run, 43 % of the CPU time is garbage collection, and 18 % is reading the CPU time of each join. A viewer looks at all routers of the stream only when those that had room are full; each new router looks at all of them, to find its parent.',
  async run() {
    // The placement draws from Math.random, and forgets after a time what it has placed.
    Math.random = seeded(1);
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    try {
      const startedAt = process.cpuUsage();
      const small = await fill(Math.ceil(nodes / 10), Math.ceil(people / 10));
      const smallCosts = small.costs;
      const large = await fill(nodes, people);
      const figures = [
        ...balanceOf(large.cluster, 'after all have arrived'),
        ...ofSamples({ what: 'CPU time to place one', unit: 'µs', samples: large.costs }),
        ...ofSamples({
          what: `CPU time to place one on ${Math.ceil(nodes / 10)} nodes`,
          unit: 'µs',
          samples: smallCosts,
        }),
        ofValue('owner statements per room opened', '', large.statements / large.rooms),
        ...(await watch(large)),
        ...(await endNodes(large)),
      ];
      const { user, system } = process.cpuUsage(startedAt);
      return [...figures, ofValue('CPU time of the whole simulation', 's', (user + system) / 1e6)];
    } finally {
      mock.timers.reset();
    }
  },
};

interface Filled {
  cluster: SimulatedCluster;
  crowd: People;
  random: () => number;
  /** CPU time of each join in microseconds. */
  costs: number[];
  statements: number;
  rooms: number;
}

async function fill(nodeCount: number, count: number): Promise<Filled> {
  const random = seeded(2);
  const cluster = new SimulatedCluster(nodeCount, workersPerNode);
  const crowd = new People(cluster, random);
  const plans = plan(count, random);
  const costs = await arrive({ cluster, crowd }, plans, 'room');
  return { cluster, crowd, random, costs, statements: cluster.owners.statements, rooms: plans.length };
}

/** Lets people arrive at a constant rate, while nodes report their loads. @returns the CPU time of each join in microseconds */
async function arrive(
  { cluster, crowd }: Pick<Filled, 'cluster' | 'crowd'>,
  plans: Plan[],
  prefix: string,
): Promise<number[]> {
  const arriving = crowd.arriving(plans, prefix);
  const beats = (arrivalSeconds * 1_000) / beatMs;
  const costs: number[] = [];
  for (let beat = 0; beat < beats; beat++) {
    const from = Math.floor((beat * arriving.length) / beats);
    const to = Math.floor(((beat + 1) * arriving.length) / beats);
    for (const person of arriving.slice(from, to)) costs.push(await costOf(() => crowd.join(person)));
    pass(cluster, beat);
    if (beat % 20 === 0) process.stdout.write(`\r  ${prefix}: ${to} of ${arriving.length}  `);
  }
  process.stdout.write('\n');
  return costs;
}

async function costOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Half a second passes. */
function pass(cluster: SimulatedCluster, beat: number): void {
  mock.timers.tick(beatMs);
  if (beat % beatsPerMeasurement === 0) cluster.measure();
  cluster.beat();
}

function passSeconds(cluster: SimulatedCluster, seconds: number): void {
  for (let beat = 0; beat < (seconds * 1_000) / beatMs; beat++) pass(cluster, beat);
}

function balanceOf(cluster: SimulatedCluster, when: string): Figure[] {
  cluster.measure();
  const loads = cluster.all.filter(({ isDraining }) => !isDraining);
  const cores = loads.map(({ cpu }) => cpu);
  const busiest = loads.map(({ load }) => load);
  const workers = loads.flatMap((node) => node.workers.map(({ weight }) => weight / consumersPerWorker));
  return [
    ofValue(`cores in use ${when}, mean of nodes`, '%', mean(cores) * 100),
    ofValue(`cores in use ${when}, fullest node`, '%', Math.max(...cores) * 100, { atMost: 100 }),
    ofValue(`fullest node to the mean, ${when}`, '', Math.max(...cores) / mean(cores), { atMost: 1.5 }),
    ofValue(
      `nodes with a core at its limit, ${when}`,
      '%',
      mean(busiest.map((load) => (load > 0.85 ? 100 : 0))),
    ),
    ofValue(`load of a worker to its limit, mean, ${when}`, '', mean(workers)),
    ofValue(
      `load of the fullest worker to its limit, ${when}`,
      '',
      workers.reduce((one, other) => Math.max(one, other), 0),
      {
        atMost: 1.25,
      },
    ),
    ofValue(`workers above their limit, ${when}`, '%', mean(workers.map((load) => (load > 1 ? 100 : 0)))),
  ];
}

/** Many people watch one stream. */
async function watch(filled: Filled): Promise<Figure[]> {
  const { cluster } = filled;
  const costs = await arrive(filled, [{ size: viewers + 1, isStream: true }], 'stream');
  const stream = await roomOf(cluster, 'stream 0');
  const pipes = stream.routers.map((router) => cluster.pipesOf(router));
  const perNode = new Map<string | null, number>();
  for (const { nodeId } of stream.routers) perNode.set(nodeId, (perNode.get(nodeId) ?? 0) + 1);
  return [
    ofValue('routers of the stream', '', stream.routers.length),
    ofValue('nodes of the stream', '', perNode.size),
    ofValue('pipes from the publisher to a viewer’s router, at most', '', Math.max(...stream.depths), {
      atMost: 6,
    }),
    ofValue('pipes of a router of the stream, at most', '', Math.max(...pipes), { atMost: 10 }),
    ...ofSamples({ what: 'CPU time to place one viewer', unit: 'µs', samples: costs }),
    ofValue(
      'the last tenth of the viewers to the first, CPU time',
      '',
      mean(costs.slice(-costs.length / 10)) / mean(costs.slice(0, costs.length / 10)),
    ),
    ...balanceOf(cluster, 'with the stream'),
  ];
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

async function roomOf(cluster: SimulatedCluster, roomId: string) {
  const room = cluster.nodes.get(cluster.owners.nodeOf(roomId) ?? '')?.rooms.get(roomId);
  if (!room) throw new Error(`there is no room ${roomId}`);
  return room.room;
}

interface End {
  /** People who had to join again, the number of their joins, and the smallest possible number of people. */
  people: number;
  joins: number;
  least: number;
  rooms: number;
  statements: number;
  cpu: number;
  /** The most of these rooms that one node took, which is 1 if they were spread evenly. */
  most: number;
}

async function endNodes(filled: Filled): Promise<Figure[]> {
  const { cluster, random } = filled;
  const figures: Figure[] = [];
  for (const way of ['death', 'drain'] as const) {
    const results: End[] = [];
    for (let count = 0; count < ends; count++) {
      const streamNode = cluster.owners.nodeOf('stream 0');
      const others = cluster.all.filter(({ id }) => id !== streamNode);
      results.push(await end(filled, others[Math.floor(random() * others.length)] as SimulatedNode, way));
    }
    figures.push(...figuresOf(`per ${way}`, results));
  }
  const owner = cluster.nodes.get(cluster.owners.nodeOf('stream 0') ?? '');
  if (owner)
    figures.push(...figuresOf('at the drain of the stream’s node', [await end(filled, owner, 'drain')]));
  return [...figures, ...balanceOf(cluster, 'in the end')];
}

async function end({ cluster, crowd }: Filled, node: SimulatedNode, way: 'death' | 'drain'): Promise<End> {
  passSeconds(cluster, 10);
  const rooms = [...node.rooms.keys()].filter((roomId) => cluster.owners.nodeOf(roomId) === node.id);
  const least = node.workers.reduce(
    (sum, { routers }) => sum + [...routers].reduce((all, router) => all + router.connectedPeers, 0),
    0,
  );
  const before = cluster.owners.statements;
  const startedAt = process.cpuUsage();
  if (way === 'death') cluster.kill(node);
  else cluster.drain(node);
  const { people: moved, joins } = await crowd.settled();
  const { user, system } = process.cpuUsage(startedAt);
  const statements = cluster.owners.statements - before;
  const taken = new Map<string, number>();
  for (const roomId of rooms) {
    const taker = cluster.owners.nodeOf(roomId) ?? '';
    taken.set(taker, (taken.get(taker) ?? 0) + 1);
  }
  if (way === 'drain') cluster.kill(node);
  await crowd.moveFrom(node);
  await crowd.settled();
  return {
    people: moved,
    joins,
    least,
    rooms: rooms.length,
    statements,
    cpu: (user + system) / 1_000,
    most: Math.max(0, ...taken.values()),
  };
}

function figuresOf(which: string, results: End[]): Figure[] {
  const average = (of: (end: End) => number) => mean(results.map(of));
  return [
    ofValue(
      `rooms placed again ${which}`,
      '',
      average(({ rooms }) => rooms),
    ),
    ofValue(
      `people placed again ${which}`,
      '',
      average((one) => one.people),
    ),
    ofValue(
      `people placed again ${which} to those whose media was there`,
      '',
      average((one) => one.people / one.least),
    ),
    ofValue(
      `joins per person placed again ${which}`,
      '',
      average((one) => one.joins / one.people),
    ),
    ofValue(
      `owner statements per room placed again ${which}`,
      '',
      average((one) => one.statements / one.rooms),
    ),
    ofValue(`rooms that one node took ${which}, at most`, '', Math.max(...results.map(({ most }) => most))),
    ofValue(
      `CPU time of all nodes ${which}`,
      'ms',
      average(({ cpu }) => cpu),
    ),
  ];
}
