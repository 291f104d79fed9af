import type { Parley } from '../../../sdk/src/Parley.ts';
import type { ParleyEvents } from '../../../sdk/src/types.ts';

const eventLimitMs = 45_000;

const conferenceEvents = [
  'conference:participant:joined',
  'conference:participant:left',
  'conference:participant:updated',
  'conference:participant:away',
  'conference:screenshare:started',
  'conference:screenshare:stopped',
  'conference:chat:message',
  'conference:data',
  'conference:speaker:active',
  'conference:quality',
  'conference:updated',
  'conference:recording',
  'conference:ended',
  'conference:invited',
  'conference:muted',
  'conference:removed',
  'conference:moved',
  'conference:host:called',
  'conference:waiting',
  'conference:waiting:joined',
  'conference:waiting:left',
] as const;

const streamEvents = [
  'stream:viewer:joined',
  'stream:viewer:left',
  'stream:viewer:count',
  'stream:chat:message',
  'stream:chat:deleted',
  'stream:updated',
  'stream:ended',
  'stream:removed',
  'stream:replaced',
] as const;

/** A device that runs the SDK in this process, for signalling only, without media. It records all events. */
export class RecordingClient {
  readonly parley: Parley;
  readonly #seen: { [Name in keyof ParleyEvents]?: ParleyEvents[Name][] } = {};
  readonly #waiting = new Set<() => void>();

  constructor(parley: Parley) {
    this.parley = parley;
    for (const name of [
      'call:incoming',
      'call:answered',
      'call:ended',
      'call:moved',
      'call:declined',
      'call:missed',
      'call:recording',
      'call:participant:away',
      'message:sending',
      'person:updated',
      'message:failed',
      'message:received',
      'message:sent',
      'message:delivered',
      'message:read',
      'message:reaction',
      'message:deleted',
      'message:edited',
      'group:updated',
      'typing:start',
      'typing:stop',
      'session:missed',
    ] as const) {
      this.#record(name);
    }
    for (const name of [...conferenceEvents, ...streamEvents]) this.#record(name);
    this.#record('connection:changed');
    this.#record('media:replaced');
    this.#record('voicemail:received');
    this.#record('recording:updated');
  }

  /** The events with this name so far. */
  seen<Name extends keyof ParleyEvents>(name: Name): ParleyEvents[Name][] {
    return this.#seen[name] ?? [];
  }

  /** Waits for the first event with this name that matches. Events that have already arrived count. */
  async event<Name extends keyof ParleyEvents>(
    name: Name,
    fits: (payload: ParleyEvents[Name]) => boolean = () => true,
    limitMs = eventLimitMs,
  ): Promise<ParleyEvents[Name]> {
    const find = () => this.seen(name).find(fits);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`no ${name} within ${limitMs} ms; seen: ${JSON.stringify(this.#seen)}`));
      }, limitMs);
      const check = () => {
        const found = find();
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }

  close(): void {
    this.parley.close();
  }

  #record<Name extends keyof ParleyEvents>(name: Name): void {
    this.parley.on(name, (payload) => {
      const list = (this.#seen[name] ??= []) as ParleyEvents[Name][];
      list.push(payload);
      for (const check of [...this.#waiting]) check();
    });
  }
}
