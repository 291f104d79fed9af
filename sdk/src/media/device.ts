import type { Device } from 'mediasoup-client';
import type { HandlerFactory, RtpCapabilities } from 'mediasoup-client/types';
import { ParleyError } from '../../protocol/errors.ts';
import { invalid } from '../connection/guard.ts';
import type { Platform } from '../platform/Platform.ts';

export const handlerNames = ['Chrome111', 'Chrome74', 'Firefox120', 'Safari12', 'ReactNative106'] as const;

/** WebRTC for a client that runs outside a browser (Node, React Native, Electron's main process). In a browser, none of this is needed. */
export interface MediaOptions {
  /**
   * The handler of mediasoup-client for the WebRTC of this runtime, for example `Chrome111` for libwebrtc (`@roamhq/wrtc`). The runtime
   * must have the globals `RTCPeerConnection` and `MediaStream`. @default detected from the browser's user agent
   */
  handlerName?: (typeof handlerNames)[number];
  /** A mediasoup-client handler of your own, instead of `handlerName`. The runtime must have the global `MediaStream`. */
  handlerFactory?: HandlerFactory;
  /**
   * Opens microphone and camera, or returns tracks of your own. The SDK stops the tracks when it no longer needs them.
   * @default navigator.mediaDevices.getUserMedia
   */
  getUserMedia?: (constraints: MediaStreamConstraints) => Promise<MediaStream>;
  /** Captures a screen, or returns tracks of your own. @default navigator.mediaDevices.getDisplayMedia */
  getDisplayMedia?: (constraints: DisplayMediaStreamOptions) => Promise<MediaStream>;
}

/** Loads mediasoup-client, which is half of the SDK's size, when media is needed for the first time. */
const loadMediasoup = () => import('mediasoup-client');

/** mediasoup-client's device, which knows the codecs of this runtime. There is one per client. */
export class MediaDevice {
  readonly #options: Pick<MediaOptions, 'handlerName' | 'handlerFactory'>;
  readonly #platform: Platform;
  #device: Promise<Device> | null = null;
  /** The codecs with which the device was loaded. */
  #loadedWith = '';

  /** @throws ParleyError VALIDATION_ERROR if the options are invalid, or this runtime lacks what the handler needs */
  constructor({ handlerName, handlerFactory }: MediaOptions, platform: Platform) {
    checkHandler(handlerName, handlerFactory);
    this.#platform = platform;
    this.#options = { ...(handlerName && { handlerName }), ...(handlerFactory && { handlerFactory }) };
  }

  /** Whether this client can send and receive media. False in a backend without WebRTC, where the client only does the signalling. */
  get isAvailable(): boolean {
    return this.#options.handlerFactory !== undefined || typeof RTCPeerConnection !== 'undefined';
  }

  /**
   * Starts to load mediasoup-client, before it is needed. It detects which browser this is; runtimes that cannot be one are refused here. A
   * backend without WebRTC takes part without media; a browser without it is refused, because its user would call without hearing anything.
   * @throws ParleyError PERMISSION_DENIED if this is a browser without WebRTC
   * @throws ParleyError VALIDATION_ERROR if this runtime is not a browser and the app has named no handler
   */
  check(): void {
    if (!this.isAvailable) {
      if (this.#platform.hasDocument) throw noWebRtc();
      return;
    }
    // If this fails, prepare() loads it again and reports the error.
    loadMediasoup().catch(() => undefined);
    if (!this.#hasHandler && !this.#platform.hasKnownWebRtc) throw unknownHandler();
  }

  get #hasHandler(): boolean {
    return (this.#options.handlerName ?? this.#options.handlerFactory) !== undefined;
  }

  /**
   * Returns the device, loaded with the codecs of the server's routers. It is loaded again when they change, after the client has connected
   * to a server of another version.
   */
  prepare(routerRtpCapabilities: unknown): Promise<Device> {
    const wanted = JSON.stringify(routerRtpCapabilities);
    if (wanted !== this.#loadedWith) this.#device = null;
    this.#loadedWith = wanted;
    this.#device ??= this.#load(routerRtpCapabilities as RtpCapabilities).catch((error: unknown) => {
      this.#device = null;
      throw error;
    });
    return this.#device;
  }

  async #load(routerRtpCapabilities: RtpCapabilities): Promise<Device> {
    const { Device, detectDevice } = await loadMediasoup();
    if (!this.#hasHandler && !detectDevice()) throw unknownHandler();
    const device = await Device.factory(this.#options);
    await device.load({ routerRtpCapabilities });
    return device;
  }

  /** @throws Error if prepare() has not been called */
  prepared(): Promise<Device> {
    if (!this.#device) throw new Error('prepare() must be called before media is sent');
    return this.#device;
  }
}

export const noWebRtc = () =>
  new ParleyError(
    'PERMISSION_DENIED',
    'This browser has no WebRTC, or a setting or an extension of it blocks it.',
    { reason: 'no_webrtc' },
  );

const unknownHandler = () =>
  invalid(
    'media.handlerName',
    "This runtime has an RTCPeerConnection, but it is not a browser the SDK supports. Name its handler: new Parley({ media: { handlerName: 'Chrome111' } }) for libwebrtc (@roamhq/wrtc), or pass media.handlerFactory.",
  );

function checkHandler(name: unknown, factory: unknown): void {
  if (name === undefined && factory === undefined) return;
  if (name !== undefined && factory !== undefined)
    throw invalid(
      'media.handlerFactory',
      'Parley: give media.handlerName or media.handlerFactory, not both.',
    );
  if (factory !== undefined && typeof (factory as { factory?: unknown }).factory !== 'function')
    throw invalid(
      'media.handlerFactory',
      'Parley: media.handlerFactory must be a HandlerFactory of mediasoup-client ({ name, factory, … }).',
    );
  if (name !== undefined && !handlerNames.some((known) => known === name))
    throw invalid(
      'media.handlerName',
      `Parley: media.handlerName must be one of ${handlerNames.join(', ')}.`,
    );
  const needed = name === undefined ? ['MediaStream'] : ['RTCPeerConnection', 'MediaStream'];
  const missing = needed.filter((global) => !(global in globalThis));
  if (missing.length > 0)
    throw invalid(
      'media',
      `Parley: media needs the globals ${needed.join(' and ')}; missing here: ${missing.join(', ')}. Set them first, for example Object.assign(globalThis, wrtc).`,
    );
}
