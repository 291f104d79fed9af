import type { Parley, Transcription, Voicemail } from '@parley/sdk';
import { Resource } from '../data/Resource.ts';
import { Store } from '../session/Store.ts';

const atMost = 100;

/** The voicemails left for the signed-in wallet, and the recipient of the voicemail being recorded. */
export class VoicemailData {
  readonly list: Resource<Voicemail[]>;
  /** The recipient of the voicemail being recorded; null while the dialog is closed. */
  readonly leavingFor = new Store<string | null>(null);
  readonly #client: Parley;

  constructor(client: Parley) {
    this.#client = client;
    this.list = new Resource(() => client.voicemail.getAll({ limit: atMost }));
    client.on('voicemail:received', () => void this.list.refresh());
    client.on('session:missed', () => void this.list.refresh());
  }

  readonly leaveFor = (address: string): void => this.leavingFor.set(address);
  readonly closeLeaving = (): void => this.leavingFor.set(null);

  readonly markAsRead = async (id: string): Promise<void> => {
    await this.#client.voicemail.markAsRead(id);
    await this.list.refresh();
  };

  readonly transcribe = async (id: string): Promise<Transcription> => {
    const transcription = await this.#client.voicemail.transcribe(id);
    await this.list.refresh();
    return transcription;
  };

  readonly delete = async (id: string): Promise<void> => {
    await this.#client.voicemail.delete(id);
    await this.list.refresh();
  };
}
