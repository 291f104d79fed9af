import { ParleyError } from '../../protocol/errors.ts';
import type { Platform } from '../platform/Platform.ts';
import { capture, captureScreen, type Sources } from './capture.ts';
import type { MediaOptions } from './device.ts';
import type {
  AudioConfig,
  AudioProcessing,
  DeviceInfo,
  DeviceKind,
  DeviceList,
  VideoConfig,
} from '../types.ts';

/** The camera and microphone to open. */
export interface Wanted {
  audio: boolean | AudioConfig;
  video: boolean | VideoConfig;
}

type CaptureKind = 'camera' | 'microphone';

interface DevicesHooks {
  /** The devices in use, which count as chosen if the app has chosen none. */
  inUse: () => Partial<Record<CaptureKind, string>>;
  /** The list has changed. @param lost the kinds whose chosen device no longer exists: the default one is used from then on */
  onChanged: (list: DeviceList, lost: DeviceKind[]) => void;
}

const listNames = { camera: 'cameras', microphone: 'microphones', speaker: 'speakers' } as const;
const kinds = ['camera', 'microphone', 'speaker'] as const;
const kindNames = { camera: 'videoinput', microphone: 'audioinput', speaker: 'audiooutput' } as const;

/** The cameras, microphones and speakers of this computer, and which of them the app has chosen. Captures from them, and screens. */
export class Devices {
  readonly #options: Sources;
  readonly #hooks: DevicesHooks;
  readonly #chosen: Partial<Record<DeviceKind, string>> = {};
  #processing: AudioProcessing = {};
  #list: DeviceList = { cameras: [], microphones: [], speakers: [] };
  /** The browser's object whose changes are observed. */
  #observed: Partial<MediaDevices> | null = null;

  constructor(options: MediaOptions, platform: Platform, hooks: DevicesHooks) {
    this.#options = { ...options, hasDocument: platform.hasDocument };
    this.#hooks = hooks;
  }

  /** Sets the device that later captures use. */
  choose(kind: DeviceKind, deviceId: string): void {
    this.#chosen[kind] = deviceId;
    void this.#refresh();
  }

  /** Sets how later captures process the microphone. @returns a function that takes it back */
  process(processing: AudioProcessing): () => void {
    const former = this.#processing;
    this.#processing = { ...former, ...processing };
    return () => void (this.#processing = former);
  }

  /** Reads the list. Without a permission, browsers list the devices without their ids and labels. */
  async list(): Promise<DeviceList> {
    this.#observe();
    return (this.#list = await this.#read());
  }

  /** Opens one camera or microphone. @throws ParleyError NOT_FOUND, and the errors of capture() */
  async open(kind: CaptureKind, deviceId?: string): Promise<MediaStreamTrack> {
    const config = deviceId ? { deviceId } : {};
    const wanted = kind === 'camera' ? { video: config } : { audio: { ...this.#processing, ...config } };
    const [track] = await capture(wanted, this.#options);
    if (!track) throw new ParleyError('NOT_FOUND', `There is no such ${kind}.`);
    this.#onCaptured();
    return track;
  }

  /** Opens microphone and camera. If a chosen device no longer exists, the default devices are used from then on. */
  async capture(wanted: Wanted): Promise<MediaStreamTrack[]> {
    const tracks = await capture(this.#withChosen(wanted), this.#options).catch(async (error: unknown) => {
      const isGone = error instanceof ParleyError && error.code === 'NOT_FOUND';
      if (!isGone || !(await this.#forgetMissing())) throw error;
      return capture(this.#withChosen(wanted), this.#options);
    });
    this.#onCaptured();
    return tracks;
  }

  /** Lets the user choose a screen, window or tab. */
  captureScreen(wanted: { audio: boolean }): Promise<MediaStreamTrack[]> {
    return captureScreen(wanted, this.#options);
  }

  close(): void {
    this.#observed?.removeEventListener?.('devicechange', this.#onChange);
    this.#observed = null;
  }

  #withChosen({ audio, video }: Wanted) {
    const { camera, microphone } = this.#chosen;
    const heard = audio === true ? {} : audio;
    const seen = video === true ? {} : video;
    return {
      audio: heard && { ...(microphone ? { deviceId: microphone } : {}), ...this.#processing, ...heard },
      video: seen && camera && !seen.facingMode ? { deviceId: camera, ...seen } : seen,
    };
  }

  /** The first capture may have given the page the permission to read the labels. */
  #onCaptured(): void {
    this.#observe();
    const known = [...this.#list.cameras, ...this.#list.microphones];
    if (!known.some(({ label }) => label)) void this.#refresh();
  }

  #observe(): void {
    if (this.#observed) return;
    this.#observed = browserDevices() ?? null;
    this.#observed?.addEventListener?.('devicechange', this.#onChange);
  }

  readonly #onChange = (): void => void this.#refresh();

  async #refresh(): Promise<void> {
    const before = JSON.stringify(this.#list);
    const list = await this.#read().catch(() => this.#list);
    const lost = kinds.filter((kind) => this.#isLost(kind, list));
    for (const kind of lost) delete this.#chosen[kind];
    this.#list = lost.length > 0 ? await this.#read().catch(() => list) : list;
    if (JSON.stringify(this.#list) !== before) this.#hooks.onChanged(this.#list, lost);
  }

  /** Forgets the chosen camera and microphone that are not in the list. @returns whether there were any */
  async #forgetMissing(): Promise<boolean> {
    const list = await this.#read().catch(() => this.#list);
    const isThere = (kind: CaptureKind) => list[listNames[kind]].some(({ id }) => id === this.#chosen[kind]);
    const missing = (['camera', 'microphone'] as const).filter(
      (kind) => this.#chosen[kind] && !isThere(kind),
    );
    for (const kind of missing) delete this.#chosen[kind];
    return missing.length > 0;
  }

  #isLost(kind: DeviceKind, list: DeviceList): boolean {
    const chosen = this.#chosen[kind];
    const devices = list[listNames[kind]];
    // An empty list says nothing: some browsers list a kind of device only with a permission.
    return Boolean(chosen) && devices.length > 0 && !devices.some(({ id }) => id === chosen);
  }

  async #read(): Promise<DeviceList> {
    const found = (await browserDevices()?.enumerateDevices?.()) ?? [];
    const inUse = this.#hooks.inUse();
    const of = (kind: DeviceKind): DeviceInfo[] => {
      const devices = found.filter((device) => device.kind === kindNames[kind] && device.deviceId);
      const ids = devices.map(({ deviceId }) => deviceId);
      const used = kind === 'speaker' ? undefined : inUse[kind];
      const preferred = this.#chosen[kind] ?? used ?? 'default';
      const chosen = ids.includes(preferred) ? preferred : ids[0];
      return devices.map(({ deviceId: id, label }) => ({ id, label, isChosen: id === chosen }));
    };
    return { cameras: of('camera'), microphones: of('microphone'), speakers: of('speaker') };
  }
}

const browserDevices = () => globalThis.navigator?.mediaDevices as Partial<MediaDevices> | undefined;
