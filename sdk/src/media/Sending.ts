import { ParleyError } from '../../protocol/errors.ts';
import { settled } from '../platform/settled.ts';
import { asParleyError } from './asParleyError.ts';
import type { Inputs } from './Inputs.ts';
import type { EffectKind } from './LocalTrack.ts';
import type { MediaSession } from './MediaSession.ts';
import type { Sessions } from './Sessions.ts';
import { shareScreen } from './shareScreen.ts';
import type { VideoCodec } from '../types.ts';

/** What the user switches on and off in a call, room or stream. */
interface Switch {
  id: string;
  source: EffectKind;
}

/** Starts and stops what this device sends to a call, room or stream: camera, microphone and screen. */
export class Sending {
  readonly #sessions: Sessions;
  readonly #inputs: Inputs;
  /** What is being switched on, and has not been switched off since. */
  readonly #switchingOn = new Set<Switch>();
  /** By source and id, the last request that tells the server what is on or off. */
  readonly #telling = new Map<string, Promise<void>>();

  constructor(sessions: Sessions, inputs: Inputs) {
    this.#sessions = sessions;
    this.#inputs = inputs;
  }

  /** Whether the camera or microphone is being switched on, and has not been switched off since. */
  isSwitchingOn(id: string, source: EffectKind): boolean {
    return [...this.#switchingOn].some((one) => one.id === id && one.source === source);
  }

  /** Switches the camera or microphone off immediately, then tells the server. */
  async switchOff(id: string, source: EffectKind, tell: () => Promise<unknown>): Promise<void> {
    this.#sessions.get(id)?.outgoing.pause(source);
    for (const one of this.#switchingOn)
      if (one.id === id && one.source === source) this.#switchingOn.delete(one);
    await this.#tell({ id, source }, tell);
  }

  /**
   * Switches the camera on, and tells the server. Does neither if it is switched off while it opens.
   * @param tell tells the server. If that fails, the others do not see the camera's video, so the camera is switched off again
   */
  async switchCameraOn(id: string, tell: () => Promise<unknown>, codec?: VideoCodec): Promise<void> {
    await this.#switchOn({ id, source: 'camera' }, async (camera, isWanted) => {
      if (!(await this.#startCamera(id, codec))) return;
      try {
        await this.#tell(camera, async () => isWanted() && tell());
      } catch (error) {
        const session = this.#sessions.get(id);
        if (isWanted()) session?.outgoing.pause('camera');
        if (session) this.#sessions.emitLocal(session);
        throw error;
      }
    });
  }

  /**
   * Tells the server that the microphone is switched on, then starts sending it. Opens it if necessary. Does not send it if it is switched off
   * meanwhile.
   */
  async switchMicrophoneOn(id: string, tell: () => Promise<unknown>): Promise<void> {
    await this.#switchOn({ id, source: 'microphone' }, async (microphone, isWanted) => {
      // First, so that a microphone that cannot be opened again stays muted for the others, too.
      await this.#reopenMicrophone(id);
      await this.#tell(microphone, async () => isWanted() && tell());
      if (isWanted()) await this.#startMicrophone(id);
    });
  }

  /** @param run is told what is switched on, and whether this is still wanted */
  async #switchOn(one: Switch, run: (one: Switch, isWanted: () => boolean) => Promise<void>): Promise<void> {
    this.#switchingOn.add(one);
    try {
      await run(one, () => this.#switchingOn.has(one));
    } finally {
      this.#switchingOn.delete(one);
    }
  }

  /**
   * Tells the server what is on or off, once it knows the producer. The requests about one source follow one another, so that the server
   * ends with what the user has chosen last.
   */
  async #tell({ id, source }: Switch, tell: () => Promise<unknown>): Promise<void> {
    const key = `${source} ${id}`;
    const told = settled([this.#telling.get(key) ?? Promise.resolve()]).then(async () => {
      await this.#sessions.get(id)?.settled();
      await tell();
    });
    this.#telling.set(key, told);
    try {
      await told;
    } finally {
      if (this.#telling.get(key) === told) this.#telling.delete(key);
    }
  }

  /** Starts sending the camera, for the first time or again. @returns false if it was switched off while it opened */
  async #startCamera(id: string, codec?: VideoCodec): Promise<boolean> {
    const session = this.#sessions.get(id);
    if (!session) return true;
    const { outgoing } = session;
    outgoing.beginOpening('camera');
    if (outgoing.get('camera')?.local.isOwn) outgoing.unpause('camera');
    else {
      const [track] = await this.#inputs.capture({ audio: false, video: true });
      const local = track && (await this.#inputs.prepare('camera', track));
      if (local) await asParleyError(() => session.publish([{ source: 'camera', local }], codec));
    }
    await session.settled();
    this.#sessions.emitLocal(session);
    return outgoing.isSending('camera') || !this.#sessions.isOpen(session);
  }

  async #startMicrophone(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    // Before the microphone opens, so that it stays muted if it is muted while it opens.
    session.outgoing.unpause('microphone');
    if (!session.outgoing.get('microphone')) await this.#openMicrophone(session);
    this.#sessions.emitLocal(session);
  }

  /** Opens a microphone whose track has ended, for example because the user has blocked it for a while. If it was muted, it stays muted. */
  async #reopenMicrophone(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    const local = session?.outgoing.get('microphone')?.local;
    if (!session || !local?.isEnded || local.isOwn) return;
    await this.#openMicrophone(session);
    this.#sessions.emitLocal(session);
  }

  async #openMicrophone(session: MediaSession): Promise<void> {
    const [track] = await this.#inputs.capture({ audio: true, video: false });
    const local = track && (await this.#inputs.prepare('microphone', track));
    if (local) await asParleyError(() => session.publish([{ source: 'microphone', local }]));
  }

  /** Stops sending all sources. This device continues to receive. */
  async stopAll(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    const sources = ['microphone', 'camera', 'screen', 'screen-audio'] as const;
    await Promise.all(sources.map((source) => session.unpublish(source)));
    this.#sessions.emitLocal(session);
  }

  /**
   * Shares a screen, window or tab that the user chooses, with its audio if the browser supports that. If any part fails, nothing
   * is shared.
   */
  async startScreen(id: string, { audio = true }: { audio?: boolean } = {}): Promise<void> {
    const tracks = await this.#inputs.captureScreen({ audio });
    // Read only after the user has chosen, which may take long. If the room is left or rejoined after this point, the share fails.
    const session = this.#sessions.get(id);
    const isOver = () => !session || !this.#sessions.isOpen(session);
    for (const track of tracks.filter(({ kind }) => kind === 'video')) {
      // Screens contain text, so detail matters more than motion.
      track.contentHint = 'detail';
      track.addEventListener('ended', () => void this.#endScreen(id, track));
    }
    try {
      if (session) await asParleyError(() => shareScreen(session, tracks));
    } catch (error) {
      if (!isOver()) throw error;
    } finally {
      if (session) this.#sessions.emitLocal(session);
    }
    if (!isOver()) return;
    tracks.forEach((track) => track.stop());
    throw new ParleyError('CONFLICT', 'The call or room was left before the screen was shared.');
  }

  async stopScreen(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session) return;
    await Promise.all([session.unpublish('screen'), session.unpublish('screen-audio')]);
    this.#sessions.emitLocal(session);
  }

  /** Called when the user stops sharing with the browser's button. */
  async #endScreen(id: string, track: MediaStreamTrack): Promise<void> {
    const session = this.#sessions.get(id);
    if (!session?.outgoing.localScreen.getTracks().includes(track)) return;
    try {
      await this.stopScreen(id);
    } catch (error) {
      this.#sessions.fail(session, error as Error);
    }
  }
}
