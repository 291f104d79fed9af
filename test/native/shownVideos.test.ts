import { expect, it, vi } from 'vitest';
import type { MediaTrack, VideoSize } from '../../sdk/src/index.ts';

interface Module {
  shownVideos: (client: object) => {
    set(track: MediaTrack, component: object, size: VideoSize | null): void;
  };
}

// Not a static import: the package is CommonJS and has its own tsconfig.json.
const { shownVideos } = await vi.importActual<Module>('../../sdk/react-native/src/ShownVideos.ts');

const size = { width: 320, height: 180, isVisible: true };
const trackThat = (readyState: 'live' | 'ended') => ({ track: { readyState } }) as MediaTrack;

it('makes one view of a track, and none of one that has ended', () => {
  const view = vi.fn(() => ({ update: () => undefined, close: () => undefined }));
  const videos = shownVideos({ on: () => () => undefined, media: { view } });
  for (const track of [trackThat('live'), trackThat('ended')]) {
    const component = {};
    videos.set(track, component, size);
    videos.set(track, component, { ...size, isVisible: false });
    videos.set(track, component, null);
  }
  expect(view).toHaveBeenCalledOnce();
});
