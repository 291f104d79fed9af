import { Device } from 'mediasoup-client';
import type { RtpCapabilities } from 'mediasoup-client/types';

let device: Promise<Device> | null = null;

/** The browser's abilities are asked for once, with the codecs the server offers in every room. */
export function prepareDevice(routerRtpCapabilities: unknown): Promise<Device> {
  device ??= (async () => {
    const created = await Device.factory();
    await created.load({ routerRtpCapabilities: routerRtpCapabilities as RtpCapabilities });
    return created;
  })().catch((error: unknown) => {
    device = null;
    throw error;
  });
  return device;
}

/** @throws Error where no room was joined before */
export function preparedDevice(): Promise<Device> {
  if (!device) throw new Error('a room is joined before anything is sent into it');
  return device;
}
