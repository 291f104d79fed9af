/* Runs in a page before all others: counts what outlives components. */

export interface Left {
  /** Event handlers on the window, the document and the service workers, which outlive components. */
  handlers: number;
  sockets: number;
  elements: number;
  /** Handlers on the client of the app. */
  clientHandlers: number;
  tracks: number;
}

/** The handlers on lasting objects, and on the client of the app. */
export const counts = { handlers: 0, clientHandlers: 0 };
const sockets: WebSocket[] = [];
const tracks: MediaStreamTrack[] = [];

/** Counts the handlers that are added to and removed from objects that outlive components. */
function countHandlers(): void {
  const added = new WeakMap<EventTarget, Set<string>>();
  const keys = new WeakMap<object, number>();
  let last = 0;
  const keyOf = (type: string, handler: object, options: unknown) => {
    if (!keys.has(handler)) keys.set(handler, (last += 1));
    const capture =
      typeof options === 'object'
        ? Boolean(options && 'capture' in options && options.capture)
        : Boolean(options);
    return `${type} ${keys.get(handler)} ${capture}`;
  };
  const lasting: unknown[] = [window, document, navigator.serviceWorker, undefined];
  const isLasting = (target: unknown) => lasting.includes(target);
  // oxlint-disable-next-line typescript/unbound-method -- called with their object below
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, handler, options) {
    if (isLasting(this) && handler && !(typeof options === 'object' && options.once)) {
      const known = added.get(this ?? window) ?? new Set();
      added.set(this ?? window, known);
      const key = keyOf(type, handler, options);
      if (!known.has(key)) counts.handlers += 1;
      known.add(key);
    }
    addEventListener.call(this ?? window, type, handler, options);
  };
  EventTarget.prototype.removeEventListener = function (type, handler, options) {
    if (isLasting(this) && handler && added.get(this ?? window)?.delete(keyOf(type, handler, options)))
      counts.handlers -= 1;
    removeEventListener.call(this ?? window, type, handler, options);
  };
  window.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      sockets.push(this);
    }
  };
  const { mediaDevices } = navigator;
  const getUserMedia = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async (constraints) => {
    const stream = await getUserMedia(constraints);
    tracks.push(...stream.getTracks());
    return stream;
  };
}

export const left = (): Left => ({
  ...counts,
  sockets: sockets.filter(({ readyState }) => readyState <= WebSocket.OPEN).length,
  elements: document.body.querySelectorAll('*').length,
  tracks: tracks.filter(({ readyState }) => readyState === 'live').length,
});

countHandlers();
