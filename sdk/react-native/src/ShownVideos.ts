import type { MediaTrack, Parley, VideoSize, VideoView } from '@parley/sdk';

interface Shown {
  view: VideoView;
  /** The sizes at which mounted components show the video. */
  sizes: Map<object, VideoSize>;
}

const hidden: VideoSize = { width: 0, height: 0, isVisible: false };

/**
 * The remote videos that components show. While a component of a video has been mounted before, and none is now, the server does not send
 * the video: a video of a list that is scrolled away is hidden, and not a video without a view.
 */
class ShownVideos {
  readonly #client: Parley;
  readonly #shown = new Map<MediaTrack, Shown>();

  constructor(client: Parley) {
    this.#client = client;
    client.on('media:track:ended', (track) => {
      this.#shown.get(track)?.view.close();
      this.#shown.delete(track);
    });
  }

  /** Sets the size at which a component shows a video; null when it is unmounted. */
  set(track: MediaTrack, component: object, size: VideoSize | null): void {
    // An ended track is not sent any more, and gets no event that would remove it.
    if (track.track.readyState === 'ended' && !this.#shown.has(track)) return;
    const shown = this.#shown.get(track) ?? this.#add(track);
    if (size) shown.sizes.set(component, size);
    else shown.sizes.delete(component);
    const largest = [...shown.sizes.values()].reduce(
      (best, other) => (other.isVisible && other.height > best.height ? other : best),
      hidden,
    );
    shown.view.update(largest);
  }

  #add(track: MediaTrack): Shown {
    const shown = { view: this.#client.media.view(track.track, hidden), sizes: new Map<object, VideoSize>() };
    this.#shown.set(track, shown);
    return shown;
  }
}

const ofClients = new WeakMap<Parley, ShownVideos>();

/** The videos that components of this client show. */
export function shownVideos(client: Parley): ShownVideos {
  const known = ofClients.get(client) ?? new ShownVideos(client);
  ofClients.set(client, known);
  return known;
}
