import { and, eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { roomOwners } from './tables.ts';

/** Who has a room, and since which epoch. */
export interface Owner {
  nodeId: string;
  epoch: number;
}

const ownerColumns = { nodeId: roomOwners.nodeId, epoch: roomOwners.epoch };

/** Which media node has which room: the database decides, so that of two who open a room at the same moment both get the same. */
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
   * Gives a room to a node.
   * @param from who had it as last read, and has died; null when nobody had it
   * @returns who has it now: somebody else, when they were faster; null when the room was released meanwhile
   */
  async claim(roomId: string, nodeId: string, from: Owner | null): Promise<Owner | null> {
    const [row] = from ? await this.#move(roomId, nodeId, from) : await this.#insert(roomId, nodeId);
    return row ?? this.find(roomId);
  }

  /** The room is over. @returns who had it */
  async release(roomId: string): Promise<Owner | null> {
    const [row] = await this.#db
      .delete(roomOwners)
      .where(eq(roomOwners.roomId, roomId))
      .returning(ownerColumns);
    return row ?? null;
  }

  /** The rooms a node has, with their epochs. */
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
