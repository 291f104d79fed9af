/** How many seconds playback should be behind the live edge, and the maximum playback rate for catching up. */
const latency = { liveSyncDuration: 3, maxLiveSyncPlaybackRate: 1.5 };

/**
 * Plays a playlist with hls.js, which is loaded on demand, or natively where it is not supported.
 * @returns a function that stops it
 */
export function playHls(element: HTMLVideoElement, url: string, onFailed: () => void): () => void {
  let stop: (() => void) | null = null;
  let isOver = false;
  void start(element, url, onFailed).then((end) => {
    stop = end;
    if (isOver) end();
  });
  return () => {
    isOver = true;
    stop?.();
  };
}

async function start(element: HTMLVideoElement, url: string, onFailed: () => void): Promise<() => void> {
  const Hls = await import('hls.js/light').then(
    (module) => module.default,
    () => null,
  );
  if (!Hls?.isSupported()) {
    element.addEventListener('error', onFailed);
    element.src = url;
    return () => {
      element.removeEventListener('error', onFailed);
      element.removeAttribute('src');
      element.load();
    };
  }
  // No worker is used, because the page's security policy would have to allow its code, and it would have little to do.
  const hls = new Hls({ ...latency, enableWorker: false });
  hls.on(Hls.Events.ERROR, (_event, { fatal }) => {
    if (fatal) onFailed();
  });
  hls.loadSource(url);
  hls.attachMedia(element);
  return () => hls.destroy();
}
