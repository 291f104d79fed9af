import type { Member, Publication } from './Member.ts';
import type { Subscriptions } from './Subscriptions.ts';

/**
 * Lets flow what may of what a member sends, and nothing else: what is not halted, and of what goes along with something else, what
 * goes along with something that flows. It holds whichever of the two comes first.
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
      publication.home.setProducerPaused(publication.producerId, paused),
      subscriptions.setPaused(publication),
    ]);
  } catch (error) {
    // Whoever asks again is to be heard again.
    if (publication.isPaused === paused) publication.isPaused = !paused;
    throw error;
  }
}

function mayFlow({ isHalted, along, from }: Publication): boolean {
  if (isHalted || along === null) return !isHalted;
  const leader = from.publications.get(along);
  return leader !== undefined && mayFlow(leader);
}
