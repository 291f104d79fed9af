import type { AudioProcessing, DeviceKind, DeviceList, TrackEffect } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';

/** `noise` removes noise from the microphone, `blur` blurs the background of the camera. */
export type EffectName = 'noise' | 'blur';

export type ProcessingName = keyof AudioProcessing;

export interface DevicesState extends DeviceList {
  /** The effects that are on. */
  effects: Record<EffectName, boolean>;
  /** The effect that is being loaded. */
  loading: EffectName | null;
  /** How the browser processes the microphone. At first all is on, as in the browsers. */
  processing: Record<ProcessingName, boolean>;
}

const kinds = { noise: 'microphone', blur: 'camera' } as const;

/** The devices of this computer and the effects on them, for all calls, rooms and streams of the client. */
export class DeviceController {
  readonly store = new Store<DevicesState>({
    cameras: [],
    microphones: [],
    speakers: [],
    effects: { noise: false, blur: false },
    loading: null,
    processing: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  readonly #services: Services;
  #processed = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
    const { client } = services;
    client.on('media:devices', ({ cameras, microphones, speakers }) =>
      this.#set({ cameras, microphones, speakers }),
    );
    client.on('media:effect:failed', ({ kind, error }) => {
      this.#setEffect(kind === 'camera' ? 'blur' : 'noise', false);
      services.report(error);
    });
  }

  /** Reads the list. Without a permission, it is empty. */
  async load(): Promise<void> {
    const none = { cameras: [], microphones: [], speakers: [] };
    this.#set(await this.#services.client.media.devices().catch(() => none));
  }

  /** @returns whether the device is in use now */
  async choose(kind: DeviceKind, deviceId: string): Promise<boolean> {
    try {
      await this.#services.client.media.setDevice(kind, deviceId);
      return true;
    } catch (error) {
      this.#services.report(error);
      return false;
    } finally {
      await this.load();
    }
  }

  async setEffect(name: EffectName, isOn: boolean): Promise<void> {
    if (this.store.get().loading) return;
    this.#set({ loading: name });
    try {
      const effect = isOn ? await load(name) : null;
      this.#setEffect(name, isOn);
      await this.#services.client.media.setEffect(kinds[name], effect);
    } catch (error) {
      this.#setEffect(name, false);
      this.#services.report(error);
    } finally {
      this.#set({ loading: null });
    }
  }

  setProcessing(name: ProcessingName, isOn: boolean): Promise<void> {
    const keep = (value: boolean) =>
      this.#set({ processing: { ...this.store.get().processing, [name]: value } });
    keep(isOn);
    // One after the other, because each opens the microphone again.
    this.#processed = this.#processed
      .then(() => this.#services.client.media.setAudioProcessing({ [name]: isOn }))
      .catch((error: unknown) => {
        keep(!isOn);
        this.#services.report(error);
      });
    return this.#processed;
  }

  #setEffect(name: EffectName, isOn: boolean): void {
    this.#set({ effects: { ...this.store.get().effects, [name]: isOn } });
  }

  #set(changed: Partial<DevicesState>): void {
    this.store.set({ ...this.store.get(), ...changed });
  }
}

/** Effects are large, so they are loaded when they are switched on. */
async function load(name: EffectName): Promise<TrackEffect> {
  const { backgroundBlur, noiseSuppression } = await import('@parley/sdk/effects');
  return name === 'blur' ? backgroundBlur() : noiseSuppression();
}
