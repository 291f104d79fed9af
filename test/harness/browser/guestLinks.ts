import { drizzle } from 'drizzle-orm/node-postgres';
import type { z } from 'zod';
import { newRoomToken } from '../../../sdk/protocol/guests.ts';
import { ParticipantTokens } from '../../../signaling/guests/ParticipantTokens.ts';
import { connectDatabase } from '../../integration/money/accountSupport.ts';
import type { OneNode } from '../nodes/Harness.ts';

/** Creates a guest's link to a room or stream. @returns the link and the id of its token */
export async function guestLink(
  harness: OneNode,
  subjectId: string,
  wanted: z.input<typeof newRoomToken>,
): Promise<{ link: string; id: string }> {
  const client = await connectDatabase(harness.server);
  try {
    const db = drizzle(client);
    const tokens = new ParticipantTokens(db);
    const { token, id } = await tokens.create(db, subjectId, newRoomToken.parse(wanted));
    return { link: `${harness.url()}/join#token=${token}`, id };
  } finally {
    await client.end();
  }
}
