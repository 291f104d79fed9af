import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { roomOwners } from './tables.ts';

/** The owner of a room, and the epoch in which it became the owner. */
export interface Owner {
  nodeId: string;
  epoch: number;
}

const ownerColumns = { nodeId: roomOwners.nodeId, epoch: roomOwners.epoch };

/** The table of room owners. The database decides, so that two nodes opening a room at the same time get the same owner. */
export class RoomOwners {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  async find(roomId: string): Promise<Owner | null> {
    const [row] = await this.#db.select(ownerColumns).from(roomOwners).where(eq(roomOwners.roomId, roomId));
    return row ?? null;
  }

  /**
   * Makes a node the owner of a room.
   * @param from the former owner as last read, which has died or is draining; null for none
   * @returns the current owner, which is another node if that node claimed the room first; null when the room was released in the meantime
   */
  async claim(roomId: string, nodeId: string, from: Owner | null): Promise<Owner | null> {
    const [row] = from ? await this.#move(roomId, nodeId, from) : await this.#insert(roomId, nodeId);
    return row ?? this.find(roomId);
  }

  /** Removes a room that has ended. @returns its last owner */
  async release(roomId: string): Promise<Owner | null> {
    const [row] = await this.#db
      .delete(roomOwners)
      .where(eq(roomOwners.roomId, roomId))
      .returning(ownerColumns);
    return row ?? null;
  }

  /** The rooms of a node, with their epochs. */
  async of(nodeId: string): Promise<Map<string, number>> {
    const rows = await this.#db
      .select({ roomId: roomOwners.roomId, epoch: roomOwners.epoch })
      .from(roomOwners)
      .where(eq(roomOwners.nodeId, nodeId));
    return new Map(rows.map(({ roomId, epoch }) => [roomId, epoch]));
  }

  #insert(roomId: string, nodeId: string): Promise<Owner[]> {
    return this.#db
      .insert(roomOwners)
      .values({ roomId, nodeId })
      .onConflictDoNothing()
      .returning(ownerColumns);
  }

  #move(roomId: string, nodeId: string, from: Owner): Promise<Owner[]> {
    return this.#db
      .update(roomOwners)
      .set({ nodeId, epoch: sql`nextval('room_epochs')`, claimedAt: sql`now()` })
      .where(and(eq(roomOwners.roomId, roomId), eq(roomOwners.epoch, from.epoch)))
      .returning(ownerColumns);
  }
}
