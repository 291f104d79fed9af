import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** All tracks captured from the screen, including ended ones. */
    screenTracks: MediaStreamTrack[];
  }
}

/** Replaces the browser's dialog for choosing a screen: the screen is a moving canvas with a tone. */
export const fakeScreen = (page: Page) =>
  page.evaluate(() => {
    window.screenTracks = [];
    navigator.mediaDevices.getDisplayMedia = ({ audio } = {}) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 });
      const context2d = canvas.getContext('2d');
      setInterval(() => {
        if (context2d) context2d.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`;
        context2d?.fillRect(Math.random() * 200, 0, 120, 180);
      }, 100);
      const stream = canvas.captureStream(10);
      const sound = new AudioContext();
      const [tone, out] = [new OscillatorNode(sound), sound.createMediaStreamDestination()];
      tone.connect(out);
      tone.start();
      for (const track of audio ? out.stream.getTracks() : []) stream.addTrack(track);
      window.screenTracks.push(...stream.getTracks());
      return Promise.resolve(stream);
    };
  });
