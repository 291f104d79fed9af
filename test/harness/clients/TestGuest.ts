import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { z } from 'zod';
import { newRoomToken } from '../../../sdk/protocol/guests.ts';
import { toGuestId, type GuestId } from '../../../sdk/protocol/party.ts';
import { Parley } from '../../../sdk/src/Parley.ts';
import { ParticipantTokens } from '../../../signaling/guests/ParticipantTokens.ts';
import { RecordingClient } from './RecordingClient.ts';

export type WantedToken = z.input<typeof newRoomToken>;

export interface Token {
  id: string;
  token: string;
  roomId: string;
  identity: GuestId;
}

/** Creates a participant token as the host's backend does. */
export async function createToken(
  database: pg.ClientConfig,
  roomId: string,
  wanted: WantedToken,
): Promise<Token> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    const db = drizzle(client);
    const { id, token } = await new ParticipantTokens(db).create(db, roomId, newRoomToken.parse(wanted));
    return { id, token, roomId, identity: toGuestId(wanted.identity) };
  } finally {
    await client.end();
  }
}

/** A guest's device that runs the SDK in this process. */
export class TestGuest extends RecordingClient {
  readonly token: Token;

  constructor(url: string, token: Token) {
    super(new Parley({ participantToken: token.token, baseUrl: url }));
    this.token = token;
  }

  /** Its identity in the room, where a wallet has its address. */
  get address(): GuestId {
    return this.token.identity;
  }
}
