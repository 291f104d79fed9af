import { drizzle } from 'drizzle-orm/node-postgres';
import type { z } from 'zod';
import { newRoomToken } from '../../../sdk/protocol/guests.ts';
import { ParticipantTokens } from '../../../signaling/guests/ParticipantTokens.ts';
import { connectDatabase } from '../../integration/money/accountSupport.ts';
import type { OneNode } from '../nodes/Harness.ts';

/** Creates a guest's link to a room or stream. @returns the link and the id of its token */
export async function guestLink(
  { server, url }: OneNode,
  subjectId: string,
  wanted: z.input<typeof newRoomToken>,
): Promise<{ link: string; id: string }> {
  const client = await connectDatabase(server);
  try {
    const db = drizzle(client as never);
    const { token, id } = await new ParticipantTokens(db as never).create(
      db as never,
      subjectId,
      newRoomToken.parse(wanted),
    );
    return { link: `${url()}/join#token=${token}`, id };
  } finally {
    await client.end();
  }
}
