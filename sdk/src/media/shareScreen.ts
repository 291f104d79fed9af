import type { Source } from '../../protocol/media.ts';
import type { MediaSession } from './MediaSession.ts';

/**
 * Publishes what was captured of a screen: all of it, or nothing, and then the capture ends. Picture and sound are handed over at the same
 * moment, so that whoever stops the share or leaves the room meanwhile stops both.
 */
export async function shareScreen(session: MediaSession, tracks: MediaStreamTrack[]): Promise<void> {
  // The picture first: what is refused at once was never heard.
  const inOrder = [...tracks].sort((one, other) => other.kind.localeCompare(one.kind));
  // What was shared before may have had a sound, and this none.
  const isSilent = tracks.every(({ kind }) => kind === 'video');
  try {
    await Promise.all([
      ...inOrder.map((track) => session.publish(sourceOf(track), track)),
      ...(isSilent ? [session.unpublish('screen-audio')] : []),
    ]);
  } catch (error) {
    const published = session.localScreen.getTracks().filter((track) => tracks.includes(track));
    tracks.forEach((track) => track.stop());
    // Why it failed is what matters, not whether the rest could be taken back: it is no longer sent anyway.
    await Promise.allSettled(published.map((track) => session.unpublish(sourceOf(track))));
    throw error;
  }
}

const sourceOf = ({ kind }: MediaStreamTrack): Source => (kind === 'video' ? 'screen' : 'screen-audio');
