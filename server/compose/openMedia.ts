import { lookup } from 'node:dns/promises';
import type { Logger } from 'pino';
import { LocalMediaCluster } from '../../media/cluster/LocalMediaCluster.ts';
import { workerBinary } from '../../media/worker/workerBinary.mjs';
import type { Config } from '../config/config.ts';

/** The workers of this node. @param lan this machine's own address, where the server listens on all */
export async function openMedia(config: Config, lan: string | null, log: Logger): Promise<LocalMediaCluster> {
  return LocalMediaCluster.create({
    workers: config.MEDIA_WORKERS,
    webRtcPorts: config.MEDIA_PORT,
    listenIp: config.HOST === '::' ? '0.0.0.0' : config.HOST,
    announcedAddresses: announcedAddresses(config, lan),
    workerBin: workerBinary(),
    networkMbit: config.MEDIA_NETWORK_MBIT,
    pipeListen: await pipeListen(config),
    consumersPerWorker: config.MEDIA_WORKER_CONSUMERS,
    log,
  });
}

/** Media between nodes goes where their links go; a server that is alone has none. */
export async function pipeListen({ REDIS_URL, CLUSTER_HOST, HOST, PIPE_PORTS }: Config) {
  const ip = REDIS_URL ? (await lookup(CLUSTER_HOST ?? HOST)).address : '127.0.0.1';
  return { ip, ports: PIPE_PORTS };
}

/** Behind a NAT the operator says; on all addresses, this machine's own reach it from the network and from itself. */
function announcedAddresses({ MEDIA_ANNOUNCED_ADDRESS: given }: Config, lan: string | null): string[] {
  if (given.length > 0) return given;
  return lan ? [lan, '127.0.0.1'] : [];
}
