import { availableParallelism } from 'node:os';
import { z } from 'zod';
import {
  announcedAddress,
  count,
  list,
  mostWorkers,
  number,
  port,
  portRange,
  seconds,
  workers,
  zeroOrMore,
} from '../settingKinds.ts';
import { setting } from './setting.ts';

/** The number of CPU cores, up to the largest number of workers and transcodes. */
const cores = Math.min(availableParallelism(), mostWorkers);

/** Media workers, streams and recordings. */
export const mediaSettings = {
  MEDIA_PORT: setting(
    port,
    'port of the first media worker, UDP and TCP; each further worker uses the next port',
    '20000',
  ),
  MEDIA_WORKERS: setting(workers, 'number of media workers; each uses one CPU core', String(cores)),
  MEDIA_WORKER_CONSUMERS: setting(
    count,
    'streams one media worker sends before a large conference continues on the next worker or node',
    '500',
  ),
  PIPE_PORTS: setting(
    portRange,
    'UDP ports for media between workers and, at CLUSTER_HOST, between nodes: first-last',
    '19000-19999',
  ),
  MEDIA_ANNOUNCED_ADDRESS: setting(
    list.pipe(z.array(announcedAddress)),
    'public addresses announced to media clients, comma-separated; set it behind a NAT. If it is not set, media in development also listens on the local network, because Firefox uses no loopback address',
    '',
  ),
  MEDIA_NETWORK_MBIT: setting(
    count,
    'network bandwidth of this node in one direction, in Mbit/s; used to place rooms on nodes',
    '1000',
  ),
  RTMP_PORT: setting(
    number.pipe(z.int().min(0).max(65_535)),
    'port for publishing by RTMP, at HOST; 0 disables RTMP',
    '1935',
  ),
  RTMP_CONNECTIONS_PER_NETWORK: setting(
    count,
    'largest number of RTMP connections to this node from one network (an IPv4 address or an IPv6 /64), out of 1,000 in total; raise it behind a proxy, where all publishers share one address',
    '100',
  ),
  STREAM_TRANSCODES: setting(
    number.pipe(z.int().min(0).max(mostWorkers)),
    'videos of streams this node transcodes at the same time; each uses about one CPU core',
    String(cores),
  ),
  FFMPEG_PROCESSES: setting(
    count,
    'largest number of long-running ffmpeg processes on this node, about 40 MB each: RTMP publishers, HLS and video recordings',
    '200',
  ),
  FFMPEG_PROCESSES_PER_WALLET: setting(
    count,
    'how many of these one wallet may use for its streams and recordings; a wallet may use at most half of STREAM_TRANSCODES',
    '60',
  ),
  HLS_IDLE_SECONDS: setting(seconds, 'how long the server keeps packaging HLS that nobody fetches', '30'),
  RECORDING_MAX_SECONDS: setting(
    seconds,
    'maximum length of a recording; it ends when it reaches this length',
    '14400',
  ),
  RECORDING_MAX_MEGABYTES: setting(
    count,
    'maximum size of a recording; it ends when it reaches this size',
    '4096',
  ),
  RECORDING_MAX_PEOPLE: setting(
    count,
    'largest number of participants of a room recorded at the same time, one ffmpeg each; later participants are left out',
    '50',
  ),
  RECORDINGS_MEGABYTES_PER_WALLET: setting(
    count,
    'storage for the recordings of one wallet; new recordings are refused when it is full',
    '20480',
  ),
  RECORDING_FREE_MEGABYTES: setting(
    zeroOrMore,
    'free disk space required at DATA_DIR; with less, running recordings end and new ones are refused. Exports of accounts leave it free, too',
    '1024',
  ),
  RECORDING_CHUNK_SECONDS: setting(
    seconds,
    'how often recorded data is copied to the file storage; a node that is lost loses at most this much of a recording',
    '20',
  ),
};
