import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hostInUrl } from '../../platform/hostInUrl.ts';
import { loadSecrets } from '../../platform/secrets.ts';
import { TurnServers } from '../../signaling/media/TurnServers.ts';
import type { Config } from '../config/config.ts';
import { createOrigins } from '../config/origins.ts';
import type { Examined } from '../doctor/Examined.ts';
import { measureMachine } from '../doctor/measureMachine.ts';
import { askServer } from '../doctor/serverView.ts';
import type { TurnCredentials } from '../doctor/TurnClient.ts';
import { planTurn } from '../turn/turnPlan.ts';
import { filesFolder } from './createFiles.ts';
import { lanAddress } from './lanAddress.ts';
import { announcedAddresses } from './openMedia.ts';
import { turnSecrets } from './openTurn.ts';
import { isEveryAddress } from '../config/isEveryAddress.ts';

/** How long the credentials of the doctor are valid. */
const ttlSeconds = 300;

/** Gathers what the doctor examines, from the settings of a server that is running or stopped. */
export async function createExamined(config: Config): Promise<Examined> {
  const isAny = isEveryAddress(config.HOST);
  const lan = isAny ? lanAddress() : null;
  const { publicUrl } = createOrigins(config, config.https ? lan : null);
  const hasSecret = config.SECRET_KEY !== undefined || existsSync(join(config.DATA_DIR, 'secret.key'));
  // Without a secret the server has never run. One that is thrown away keeps the doctor from writing to DATA_DIR.
  const secrets = await loadSecrets(hasSecret ? config : { ...config, SECRET_KEY: 'none' });
  const host = isAny ? '127.0.0.1' : config.HOST;
  const localUrl = `${config.https ? 'https' : 'http'}://${hostInUrl(host)}:${config.PORT}`;
  const server = (await askServer(localUrl, secrets).catch(() => null))?.view ?? null;
  const announced = announcedAddresses(config);
  const plan = planTurn(config, announced, lanAddress());
  const urls = config.TURN === 'auto' ? (plan?.urls ?? []) : config.TURN_URLS;
  const secret = config.TURN === 'auto' ? turnSecrets(secrets)[0] : config.TURN_SECRET;
  const [credentials] = new TurnServers({ urls: () => urls, secret: () => secret, ttlSeconds }).for('doctor');
  return {
    config,
    secrets,
    publicUrl,
    localUrl,
    announced,
    server,
    machine: await measureMachine(server?.pid ?? 'self'),
    databaseUrl: config.DATABASE_URL ?? (server ? embeddedUrl(config.DATA_DIR) : null),
    filesDir: filesFolder(config),
    turn: { urls, credentials: (credentials as TurnCredentials | undefined) ?? null },
  };
}

function embeddedUrl(dataDir: string): string {
  const folder = encodeURIComponent(join(resolve(dataDir), 'postgres'));
  return `postgresql:///postgres?host=${folder}&user=postgres&ssl=0`;
}
