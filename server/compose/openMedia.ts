import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import { LocalMediaCluster } from '../../media/cluster/LocalMediaCluster.ts';
import { workerBinary } from '../../media/worker/workerBinary.mjs';
import type { Config } from '../config/config.ts';
import { lanAddress } from './lanAddress.ts';
import { isEveryAddress } from '../config/isEveryAddress.ts';

/** Starts the media workers of this node. */
export async function openMedia(config: Config, log: Logger): Promise<LocalMediaCluster> {
  return LocalMediaCluster.create({
    workers: config.MEDIA_WORKERS,
    webRtcPorts: config.MEDIA_PORT,
    listenIp: config.HOST,
    furtherIp: () => (isForFirefoxToo(config) ? lanAddress() : null),
    announcedAddresses: announcedAddresses(config),
    workerBin: workerBinary(),
    networkMbit: config.MEDIA_NETWORK_MBIT,
    pipeListen: await pipeListen(config),
    consumersPerWorker: config.MEDIA_WORKER_CONSUMERS,
    log,
  });
}

/** The address and ports for media between nodes. The address is the one that media links use. A single node uses loopback. */
export async function pipeListen({ REDIS_URL, CLUSTER_HOST, HOST, PIPE_PORTS }: Config) {
  const ip = REDIS_URL ? await addressOf(CLUSTER_HOST ?? HOST) : '127.0.0.1';
  return { ip, ports: PIPE_PORTS };
}

async function addressOf(host: string): Promise<string> {
  try {
    return (await lookup(host)).address;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(
      `CLUSTER_HOST ${host} has no address (${code}): set an address or a name of this machine that other nodes reach.`,
      { cause },
    );
  }
}

/**
 * The addresses to announce to media clients. If none are configured and the server listens on all addresses, these are its addresses on the
 * local network and loopback.
 */
export function announcedAddresses({ MEDIA_ANNOUNCED_ADDRESS: given, HOST }: Config): string[] {
  if (given.length > 0 || !isEveryAddress(HOST)) return given;
  const own = [lanAddress(), HOST === '::' ? lanAddress('IPv6') : null];
  return [...own.filter((address) => address !== null), '127.0.0.1'];
}

/**
 * Firefox connects to no media at a loopback address. So a development server at loopback is reached for media at its address on the local
 * network as well. Nobody gets media there without the keys that the server sends over HTTP, which stays on loopback.
 */
const isForFirefoxToo = ({ isProduction, HOST, MEDIA_ANNOUNCED_ADDRESS: given }: Config): boolean =>
  !isProduction && HOST === '127.0.0.1' && given.length === 0;
