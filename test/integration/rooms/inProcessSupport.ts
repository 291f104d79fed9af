import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Socket } from 'socket.io-client';
import type { RequestInput, RequestName, ResponseOf } from '../../../sdk/protocol/wire.ts';
import { startServer } from '../../../server/compose/startServer.ts';
import { readConfig } from '../../../server/config/config.ts';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { freePorts } from '../../harness/nodes/ports.ts';
import { newKey } from '../money/accountSupport.ts';
import { bearer, closeSockets, connected, newWallet, send, signIn } from '../support.ts';

/* For tests that hold or lose something within the server, which therefore runs in their own process. */

export interface ServerInProcess {
  url: string;
  close: () => Promise<void>;
}

export async function startInProcess(more: NodeJS.ProcessEnv = {}): Promise<ServerInProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(folder);
  const port = await freePorts(4);
  const settings = { PORT: String(port), MEDIA_PORT: String(port + 2), MEDIA_WORKERS: '1', RTMP_PORT: '0' };
  const config = readConfig({
    ...settings,
    DATA_DIR: folder,
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
    ...more,
  });
  const server = await startServer(config, () => undefined);
  const close = async () => {
    closeSockets();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

/** The backend of a new account. */
export async function newBackend({ url }: ServerInProcess): Promise<Parley> {
  const wallet = newWallet();
  const dashboard = bearer((await signIn(url, wallet, { audience: 'dashboard' })).token);
  const { secret } = await newKey(url, { wallet: wallet.address, dashboard, app: {} }, { scopes: keyScopes });
  return new Parley({ baseUrl: url, auth: { apiKey: secret } });
}

/** A device that sends raw requests. */
export class RawDevice {
  readonly account: ReturnType<typeof newWallet>;
  readonly socket: Socket;

  /** The arguments for a new device that is signed in and connected. */
  static async connected(
    { url }: ServerInProcess,
    account = newWallet(),
  ): Promise<[RawDevice['account'], Socket]> {
    return [account, await connected(url, (await signIn(url, account)).token)];
  }

  constructor(account: RawDevice['account'], socket: Socket) {
    this.account = account;
    this.socket = socket;
  }

  /** @throws ErrorBody */
  async ask<Name extends RequestName>(name: Name, payload: RequestInput<Name>): Promise<ResponseOf<Name>> {
    const answer = await send(this.socket, name, payload);
    if (!answer.ok) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.data as ResponseOf<Name>;
  }
}
