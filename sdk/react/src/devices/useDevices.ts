import type { DeviceKind } from '@parley/sdk';
import { useEffect } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import type { Services } from '../core/Services.ts';
import { useStore } from '../core/Store.ts';
import {
  DeviceController,
  type DevicesState,
  type EffectName,
  type ProcessingName,
} from './DeviceController.ts';

const createDevices = (services: Services) => new DeviceController(services);

export interface DeviceChoice extends DevicesState {
  /** Uses a device in current and later calls, rooms and streams. Failures are reported to the provider. */
  choose: (kind: DeviceKind, deviceId: string) => Promise<boolean>;
  /** Switches noise suppression (`noise`) or background blur (`blur`). They are loaded when they are switched on. */
  setEffect: (name: EffectName, isOn: boolean) => Promise<void>;
  /** Switches a processing of the microphone by the browser, now and later. Failures are reported to the provider. */
  setProcessing: (name: ProcessingName, isOn: boolean) => Promise<void>;
}

/** The cameras, microphones and speakers, which of them are in use, the effects on them, and how the microphone is processed. */
export function useDevices(): DeviceChoice {
  const controller = useServices().get(createDevices);
  const state = useStore(controller.store);
  useEffect(() => void controller.load(), [controller]);
  return {
    ...state,
    choose: (kind, deviceId) => controller.choose(kind, deviceId),
    setEffect: (name, isOn) => controller.setEffect(name, isOn),
    setProcessing: (name, isOn) => controller.setProcessing(name, isOn),
  };
}
