import type { Source } from '../../protocol/media.ts';
import { settled } from '../platform/settled.ts';
import { LocalTrack } from './LocalTrack.ts';
import type { MediaSession } from './MediaSession.ts';

/**
 * Publishes all tracks of a captured screen, or none. If one fails, the capture ends. Video and audio are published in the same turn of the
 * event loop, so that both stop if the share is stopped or the room is left in the meantime.
 */
export async function shareScreen(session: MediaSession, tracks: MediaStreamTrack[]): Promise<void> {
  // The video is first, so that no audio is sent if the video is rejected.
  const inOrder = [...tracks].sort((one, other) => other.kind.localeCompare(one.kind));
  // The previous share may have had audio, which must end if this one has none.
  const isSilent = tracks.every(({ kind }) => kind === 'video');
  try {
    await Promise.all([
      ...inOrder.map((track) => session.publish([{ source: sourceOf(track), local: new LocalTrack(track) }])),
      ...(isSilent ? [session.unpublish('screen-audio')] : []),
    ]);
  } catch (error) {
    const published = session.outgoing.localScreen.getTracks().filter((track) => tracks.includes(track));
    tracks.forEach((track) => track.stop());
    // Errors of unpublish() do not matter: the tracks are stopped. The app needs the original error.
    await settled(published.map((track) => session.unpublish(sourceOf(track))));
    throw error;
  }
}

const sourceOf = ({ kind }: MediaStreamTrack): Source => (kind === 'video' ? 'screen' : 'screen-audio');
