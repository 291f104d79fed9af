import { Counter, Histogram, Registry } from 'prom-client';
import { WatchedGauge } from './WatchedGauge.ts';

/*
 * All metrics of a node, which `/metrics` returns. Each part of the program counts what it does here. Labels have few values, all known to
 * the code: never anything that a client sends, and nothing per room, wallet or connection.
 */

export const registry = new Registry();
const registers = [registry];

const requestBuckets = [0.002, 0.005, 0.02, 0.05, 0.2, 0.5, 2, 10];
const mediaBuckets = [0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30];
const deliveryBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 30, 300, 3_600, 86_400];

function histogram<Label extends string>(
  name: string,
  help: string,
  labelNames: Label[],
  buckets: number[],
): Histogram<Label> {
  return new Histogram({ name: `parley_${name}`, help, labelNames, buckets, registers });
}

function counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
  return new Counter({ name: `parley_${name}`, help, labelNames, registers });
}

function gauge<Label extends string>(
  name: string,
  help: string,
  labelNames: Label[] = [],
): WatchedGauge<Label> {
  return new WatchedGauge({ name: `parley_${name}`, help, labelNames, registers });
}

/** Requests. */
export const requestMetrics = {
  http: histogram(
    'http_request_duration_seconds',
    'Time of HTTP requests, by method, route and status',
    ['method', 'route', 'status'],
    requestBuckets,
  ),
  realtime: histogram(
    'realtime_request_duration_seconds',
    'Time of realtime requests, by request and result (ok, refused, failed)',
    ['request', 'result'],
    requestBuckets,
  ),
  connections: gauge('connections', 'Connected devices of this node, by kind (wallet, guest)', ['kind']),
};

/** What users do. The gauges are read from the database, so every node of a cluster reports the same values. */
export const usageMetrics = {
  calls: gauge('calls', 'Calls of the whole cluster, by state (ringing, active)', ['state']),
  rooms: gauge('rooms', 'Open rooms of the whole cluster'),
  streams: gauge('streams', 'Live streams of the whole cluster'),
  callsEnded: counter('calls_ended_total', 'Calls that this node ended, by reason', ['reason']),
};

/** Media on this node. */
export const mediaMetrics = {
  rooms: gauge('media_rooms', 'Media rooms that this node owns, by kind (call, room, stream)', ['kind']),
  participants: gauge(
    'media_participants',
    'Participants with media in the rooms that this node owns, by kind of room',
    ['kind'],
  ),
  viewers: gauge('media_viewers', 'Viewers with media in the rooms that this node owns, by kind of room', [
    'kind',
  ]),
  producers: gauge('media_producers', 'Tracks that clients send to this node, by kind (audio, video)', [
    'kind',
  ]),
  consumers: gauge('media_consumers', 'Tracks that this node sends to clients, by kind (audio, video)', [
    'kind',
  ]),
  load: gauge('media_load_ratio', 'Media load of this node, 0 to 1: the fullest of workers and network'),
  workerBusy: gauge('media_worker_busy_ratio', 'Share of a core that a media worker uses', ['worker']),
  workerMemory: gauge('media_worker_memory_bytes', 'Resident memory of a media worker', ['worker']),
  workerDeaths: counter('media_worker_deaths_total', 'Media workers that died'),
  bytes: counter('media_bytes_total', 'Bytes of RTP payload, by direction (in, out)', ['direction']),
  packets: counter('media_packets_total', 'RTP packets, by direction (in, out)', ['direction']),
  lost: counter('media_packets_lost_total', 'RTP packets lost, by direction (in, out)', ['direction']),
  nacks: counter('media_nacks_total', 'Requests for lost packets (NACK), by direction of the media', [
    'direction',
  ]),
  plis: counter('media_plis_total', 'Requests for key frames (PLI), by direction of the media', [
    'direction',
  ]),
};

/** What SDKs report about their media. */
export const experienceMetrics = {
  join: histogram(
    'join_duration_seconds',
    'Time from joining to the media connection, reported by the SDK, by kind (call, room, stream)',
    ['kind'],
    mediaBuckets,
  ),
  firstFrame: histogram(
    'first_frame_duration_seconds',
    'Time from joining to the first decoded video frame of another participant, reported by the SDK',
    ['kind'],
    mediaBuckets,
  ),
  recovery: histogram(
    'media_recovery_duration_seconds',
    'Time until media continued after an interruption, reported by the SDK, by cause (worker, node, drain, network)',
    ['cause'],
    mediaBuckets,
  ),
};

/** Deliveries to devices and to other services. */
export const deliveryMetrics = {
  messages: histogram(
    'message_delivery_seconds',
    'Time from sending a message to the receipt of a device of its recipient, which may have been offline. A receipt counts for the latest message that it covers',
    [],
    deliveryBuckets,
  ),
  webhooks: histogram(
    'webhook_delivery_seconds',
    'Time from an event to its webhook’s final outcome (delivered, failed)',
    ['outcome'],
    deliveryBuckets,
  ),
  webhookAttempts: counter('webhook_attempts_total', 'Attempts to deliver webhooks, by outcome (ok, error)', [
    'outcome',
  ]),
  pushes: histogram(
    'push_duration_seconds',
    'Time of requests to push services, by service and outcome',
    ['service', 'outcome'],
    requestBuckets,
  ),
  carrier: counter(
    'carrier_outcomes_total',
    'Outcomes of texts, by carrier and outcome (sent, delivered, failed)',
    ['carrier', 'outcome'],
  ),
};

/** The parts that a node depends on. */
export const systemMetrics = {
  jobLag: histogram(
    'job_lag_seconds',
    'Time from when a scheduled job was due until it started, by kind',
    ['kind'],
    deliveryBuckets,
  ),
  jobFailures: counter('job_failures_total', 'Scheduled jobs that failed and will be retried, by kind', [
    'kind',
  ]),
  databaseConnections: gauge(
    'database_connections',
    'Connections to PostgreSQL, by pool (main, urgent) and state (busy, idle)',
    ['pool', 'state'],
  ),
  databaseWaiting: gauge('database_waiting', 'Requests that wait for a connection to PostgreSQL, by pool', [
    'pool',
  ]),
  diskFree: gauge('disk_free_bytes', 'Free disk space at DATA_DIR, and at FILES_DIR if it is set', [
    'folder',
  ]),
  redis: gauge('redis_connected', 'Whether Redis is connected; only in a cluster'),
  nodes: gauge('cluster_nodes', 'Nodes of the cluster, by state (serving, draining)', ['state']),
  nodeDeaths: counter('cluster_node_deaths_total', 'Nodes that this node has declared dead'),
  links: gauge('cluster_links', 'Links of this node to media nodes, by state (up, down)', ['state']),
  ffmpegs: gauge('ffmpeg_processes', 'Continuous ffmpeg processes of this node'),
};

/*
 * Series that exist from the start, with 0. Otherwise the first event of each would be lost to rates, because a series would begin with it.
 */
for (const kind of ['call', 'room', 'stream']) {
  experienceMetrics.join.zero({ kind });
  experienceMetrics.firstFrame.zero({ kind });
}
for (const cause of ['worker', 'node', 'drain', 'network']) experienceMetrics.recovery.zero({ cause });
for (const outcome of ['delivered', 'failed']) deliveryMetrics.webhooks.zero({ outcome });
for (const outcome of ['ok', 'error']) deliveryMetrics.webhookAttempts.inc({ outcome }, 0);
for (const service of ['web', 'fcm', 'apns'])
  for (const outcome of ['sent', 'gone', 'later', 'failed'])
    deliveryMetrics.pushes.zero({ service, outcome });
for (const name of ['bytes', 'packets', 'lost', 'nacks', 'plis'] as const)
  for (const direction of ['in', 'out']) mediaMetrics[name].inc({ direction }, 0);
