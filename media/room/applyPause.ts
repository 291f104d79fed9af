import type { Member, Publication } from './Member.ts';
import type { Subscriptions } from './Subscriptions.ts';

/**
 * Pauses and resumes a member's publications. A publication flows unless it is halted. If it has `along`, the publication of that source
 * must flow too. Either may be created first.
 */
export async function applyPause(
  { publications: all }: Member,
  subscriptions: Pick<Subscriptions, 'setPaused'>,
): Promise<void> {
  const changed = [...all.values()].filter((publication) => publication.isPaused === mayFlow(publication));
  await Promise.all(changed.map((publication) => pause(publication, !publication.isPaused, subscriptions)));
}

async function pause(
  publication: Publication,
  paused: boolean,
  subscriptions: Pick<Subscriptions, 'setPaused'>,
): Promise<void> {
  publication.isPaused = paused;
  try {
    await Promise.all([
      publication.home.setProducerPaused({ producerId: publication.producerId, paused }),
      subscriptions.setPaused(publication),
    ]);
  } catch (error) {
    // Restore the state, so that the next call tries again.
    if (publication.isPaused === paused) publication.isPaused = !paused;
    throw error;
  }
}

function mayFlow({ isHalted, along, from }: Publication): boolean {
  if (isHalted || along === null) return !isHalted;
  const leader = from.publications.get(along);
  return leader !== undefined && mayFlow(leader);
}
