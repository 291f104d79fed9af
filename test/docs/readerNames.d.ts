import type { Address, LocalAccount } from 'viem';
import type * as Sdk from '@parley/sdk';

/* Globals for the examples of the guides. An example may declare a name itself instead. */
declare global {
  const client: Sdk.Parley;
  const account: LocalAccount;
  const address: Address;
  const call: Sdk.Call;
  const room: Sdk.ConferenceRoom;
  const file: File;
  const deviceId: string;
  const video: HTMLVideoElement;
  const preview: HTMLVideoElement;
  const image: HTMLImageElement;
  const input: HTMLInputElement;
}
