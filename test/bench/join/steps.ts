declare global {
  interface Window {
    /** When each step of joining happened first since the click, as `performance.now()`. */
    steps: Map<string, number>;
  }
}

/** What happens in a page that joins a room, in the usual order. */
export const steps = [
  'room joined',
  'camera opened',
  'transport connected',
  'first packet',
  'first frame decoded',
] as const;

/** Runs in the page before the SDK is loaded. Notes in `steps` when these steps happen. */
export function noteSteps(): void {
  window.steps = new Map();
  const note = (step: (typeof steps)[number], at = performance.now()) => {
    if (!window.steps.has(step)) window.steps.set(step, at);
  };
  const media = navigator.mediaDevices;
  const open = media.getUserMedia.bind(media);
  media.getUserMedia = async (constraints) => {
    const stream = await open(constraints);
    note('camera opened');
    return stream;
  };
  const Plain = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Plain {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      note('room joined');
      let [isReceiving, connectedAt] = [false, 0];
      const noteConnected = () => {
        if (isReceiving && connectedAt > 0) note('transport connected', connectedAt);
      };
      this.addEventListener('track', ({ track }) => {
        if (track.kind !== 'video') return;
        isReceiving = true;
        noteConnected();
        track.addEventListener('unmute', () => note('first packet'));
      });
      this.addEventListener('connectionstatechange', () => {
        if (this.connectionState === 'connected') connectedAt = performance.now();
        noteConnected();
      });
    }
  };
}
