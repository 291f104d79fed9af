import { and, eq, isNull, or } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import { walletMessages } from './tables.ts';

/** Whether a wallet may read a file without a signed URL, because it is a party of the file's message and has not hidden the message. */
export async function isMessageOf(db: NodePgDatabase, fileId: string, wallet: Address): Promise<boolean> {
  const sent = and(eq(walletMessages.sender, wallet), eq(walletMessages.hiddenForSender, false));
  const received = and(
    eq(walletMessages.recipient, wallet),
    eq(walletMessages.hiddenForRecipient, false),
    eq(walletMessages.blocked, false),
  );
  const [row] = await db
    .select({ id: walletMessages.id })
    .from(walletMessages)
    .where(and(eq(walletMessages.mediaId, fileId), isNull(walletMessages.deletedAt), or(sent, received)));
  return row !== undefined;
}
