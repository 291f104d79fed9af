import type { Address, LocalAccount } from 'viem';
import type * as Sdk from '@parley/sdk';

/* Globals that the examples of the guides may use without declaring them. An example may also declare such a name itself. */
declare global {
  const client: Sdk.Parley;
  const account: LocalAccount;
  const address: Address;
  const call: Sdk.Call;
  const room: Sdk.ConferenceRoom;
  const roomId: string;
  const stream: Sdk.LiveStream;
  const participant: Sdk.Participant;
  const file: File;
  const deviceId: string;
  const video: HTMLVideoElement;
  const elementOf: (participantId: string, isScreen: boolean) => HTMLVideoElement;
  const preview: HTMLVideoElement;
  const image: HTMLImageElement;
  const input: HTMLInputElement;
  const button: HTMLButtonElement;
  const meter: HTMLMeterElement;
  const track: MediaStreamTrack;
  const recorder: Sdk.AudioRecorder;
  const asyncStorage: Sdk.SessionStorage;
  const secureRandomByte: () => number;
}
