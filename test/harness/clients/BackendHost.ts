import { expect } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import type { NewRoomToken } from '../../../sdk/src/index.ts';
import { newKey } from '../../integration/money/accountSupport.ts';
import { RoomDevice } from '../../integration/rooms/RoomDevice.ts';
import { bearer, closeSockets, newWallet, refusal, signIn, socket } from '../../integration/support.ts';
import type { ServerProcess } from '../nodes/ServerProcess.ts';
import { RecordingClient } from './RecordingClient.ts';
import { TestClient } from './TestClient.ts';

/** A new account that hosts rooms: a device of its wallet, its backend with an API key, and the guests of its rooms. */
export class BackendHost {
  readonly server: ServerProcess;
  readonly host: TestClient;
  readonly backend: Parley;
  /** The headers of its API key. */
  readonly key: Record<string, string>;
  /** The headers of its dashboard session. */
  readonly dashboard: Record<string, string>;
  readonly #clients: { close: () => void }[] = [];

  static async create(server: ServerProcess): Promise<BackendHost> {
    const wallet = newWallet();
    const host = await TestClient.signIn(server.url, wallet);
    const dashboard = bearer((await signIn(server.url, wallet, { audience: 'dashboard' })).token);
    const customer = { wallet: wallet.address, dashboard, app: {} };
    const { secret } = await newKey(server.url, customer, { scopes: keyScopes });
    return new BackendHost(server, host, { secret, dashboard });
  }

  private constructor(
    server: ServerProcess,
    host: TestClient,
    { secret, dashboard }: { secret: string; dashboard: Record<string, string> },
  ) {
    this.server = server;
    this.host = this.keep(host);
    this.backend = this.keep(new Parley({ baseUrl: server.url, auth: { apiKey: secret } }));
    this.key = bearer(secret);
    this.dashboard = dashboard;
  }

  /** Closes a client with this account. */
  readonly keep = <Client extends { close: () => void }>(client: Client): Client => {
    this.#clients.push(client);
    return client;
  };

  readonly newRoom = () => this.backend.rooms.create({ name: 'Room' });

  /** A guest who has joined, without media. */
  readonly guestIn = async (roomId: string, token: Partial<NewRoomToken> = {}) => {
    const created = await this.backend.rooms.createToken(roomId, { identity: 'alice', ...token });
    const { token: participantToken } = created;
    const client = this.keep(new RecordingClient(new Parley({ baseUrl: this.server.url, participantToken })));
    await client.parley.conference.join(roomId);
    const [participant] = (await this.backend.rooms.participants(roomId)).data;
    if (!participant) throw new Error('the guest is not a participant');
    return { ...created, client, participant };
  };

  /** A guest's device that publishes with raw requests. */
  readonly deviceIn = async (roomId: string, token: Partial<NewRoomToken> = {}) => {
    const { token: secret } = await this.backend.rooms.createToken(roomId, { identity: 'raw', ...token });
    const connection = socket(this.server.url, { token: secret, protocolVersion });
    expect(await refusal(connection)).toBeNull();
    return new RoomDevice(this.server, connection, roomId).join();
  };

  close(): void {
    closeSockets();
    for (const client of this.#clients.splice(0)) client.close();
  }
}
