import { eq } from 'drizzle-orm';
import type { onTestFinished } from 'vitest';
import { nodes as nodesTable } from '../../../platform/node/tables.ts';
import { inFront, NetworkProxy } from './NetworkProxy.ts';
import { TestNodes } from './TestNodes.ts';

/** Opens a media node, and a signalling node that reaches it over a proxy that can be cut. Closes all when the test is over. */
export async function openDistant(whenDone: typeof onTestFinished) {
  const nodes = await TestNodes.create();
  whenDone(() => nodes.close());
  const far = await nodes.open('media');
  const own = eq(nodesTable.id, far.registry.id);
  const [row] = await far.db.select().from(nodesTable).where(own);
  const port = Number(row?.address?.split(':')[1]);
  const proxy = await NetworkProxy.create([port], []);
  whenDone(() => proxy.close());
  await far.db
    .update(nodesTable)
    .set({ address: `${inFront}:${port}` })
    .where(own);
  const near = await nodes.open('signaling');
  await nodes.waitForEachOther(far, near);
  return { far, near, proxy };
}
