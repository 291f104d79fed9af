import type { Member, Sent } from './Member.ts';
import type { Receptions } from './Subscriptions.ts';

/**
 * Lets flow what may of what a member sends, and nothing else: what is not halted, and of what goes along with something else, what
 * goes along with something that flows. It holds whichever of the two comes first.
 */
export async function letFlow(
  { sent: all }: Member,
  receptions: Pick<Receptions, 'setPaused'>,
): Promise<void> {
  const changed = [...all.values()].filter((sent) => sent.isPaused === mayFlow(sent));
  await Promise.all(changed.map((sent) => pause(sent, !sent.isPaused, receptions)));
}

async function pause(sent: Sent, paused: boolean, receptions: Pick<Receptions, 'setPaused'>): Promise<void> {
  sent.isPaused = paused;
  try {
    await Promise.all([sent.home.setProducerPaused(sent.producerId, paused), receptions.setPaused(sent)]);
  } catch (error) {
    // Whoever asks again is to be heard again.
    if (sent.isPaused === paused) sent.isPaused = !paused;
    throw error;
  }
}

function mayFlow({ isHalted, along, from }: Sent): boolean {
  if (isHalted || along === null) return !isHalted;
  const leader = from.sent.get(along);
  return leader !== undefined && mayFlow(leader);
}
