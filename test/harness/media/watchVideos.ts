/** What happened to a video on a page. */
export interface VideoGap {
  /** The longest time between two frames on the screen; null if no frame of a new track came. */
  gapMs: number | null;
  /** The time (`Date.now()`) when the first frame of the new track was shown; infinite if none came. */
  shownAt: number;
}

/**
 * Runs in the page. Watches each of these video elements until it has shown another track for a moment.
 * @param ids the ids of the elements
 * @returns one result for each element
 */
export function watchVideos(ids: string[]): Promise<VideoGap[]> {
  const [settledMs, limitMs] = [1_500, 15_000];
  return Promise.all(
    ids.map((id) => {
      const video = document.getElementById(id) as HTMLVideoElement;
      const trackId = () => (video.srcObject as MediaStream).getVideoTracks()[0]?.id;
      const former = trackId();
      let [lastAt, gapMs, shownAt] = [performance.now(), 0, 0];
      return new Promise<VideoGap>((resolve) => {
        setTimeout(() => resolve({ gapMs: null, shownAt: Infinity }), limitMs);
        const onFrame = () => {
          const now = performance.now();
          gapMs = Math.max(gapMs, now - lastAt);
          lastAt = now;
          if (!shownAt && trackId() !== former) {
            shownAt = Date.now();
            setTimeout(() => resolve({ gapMs, shownAt }), settledMs);
          }
          video.requestVideoFrameCallback(onFrame);
        };
        video.requestVideoFrameCallback(onFrame);
      });
    }),
  );
}

/**
 * Runs in the page. Gives each of these video elements a copy of its track, which needs no new connection or decoder, and the track itself
 * again some time later.
 * @param ids the ids of the elements
 * @returns the longest time between two frames of each video while it changes to the copy
 */
export async function watchCopied(ids: string[]): Promise<number[]> {
  const [beforeMs, afterMs] = [500, 1_500];
  const gaps = ids.map(async (id) => {
    const video = document.getElementById(id) as HTMLVideoElement;
    const stream = video.srcObject as MediaStream;
    const [track] = stream.getVideoTracks();
    if (!track) return [];
    const copy = track.clone();
    const change = (from: MediaStreamTrack, to: MediaStreamTrack) => {
      stream.removeTrack(from);
      stream.addTrack(to);
    };
    let [lastAt, gapMs, isDone] = [performance.now(), 0, false];
    const onFrame = () => {
      const now = performance.now();
      gapMs = Math.max(gapMs, now - lastAt);
      lastAt = now;
      if (!isDone) video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
    await new Promise((resolve) => setTimeout(resolve, beforeMs));
    change(track, copy);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    isDone = true;
    const longest = Math.max(gapMs, performance.now() - lastAt);
    change(copy, track);
    copy.stop();
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    return [longest];
  });
  return (await Promise.all(gaps)).flat();
}

/**
 * Runs in the page. The longest time between two frames of each video within a moment in which nothing happens.
 * @param ids the ids of the elements
 */
export function watchUndisturbed(ids: string[]): Promise<number[]> {
  const forMs = 2_000;
  return Promise.all(
    ids.map((id) => {
      const video = document.getElementById(id) as HTMLVideoElement;
      let [lastAt, gapMs] = [performance.now(), 0];
      return new Promise<number>((resolve) => {
        const until = lastAt + forMs;
        const onFrame = () => {
          const now = performance.now();
          gapMs = Math.max(gapMs, now - lastAt);
          lastAt = now;
          if (now >= until) resolve(gapMs);
          else video.requestVideoFrameCallback(onFrame);
        };
        video.requestVideoFrameCallback(onFrame);
      });
    }),
  );
}
