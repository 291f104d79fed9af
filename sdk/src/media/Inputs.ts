import type { Source } from '../../protocol/media.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { Reason } from '../../protocol/reasons.ts';
import type { Listeners } from '../connection/Listeners.ts';
import type { Platform } from '../platform/Platform.ts';
import { settled } from '../platform/settled.ts';
import type { MediaDevice, MediaOptions } from './device.ts';
import { Devices, type Wanted } from './Devices.ts';
import { captured, Effects, hasEffect, LocalTrack, type EffectKind } from './LocalTrack.ts';
import type { MediaSession } from './MediaSession.ts';
import type { Playback } from './Playback.ts';
import type { Sessions } from './Sessions.ts';
import type { DeviceKind, DeviceList, ParleyEvents, TrackEffect } from '../types.ts';

interface InputsOptions {
  sessions: Sessions;
  playback: Playback;
  device: MediaDevice;
  events: Listeners<ParleyEvents>;
  platform: Platform;
  options: MediaOptions;
  baseUrl: string;
}

/** What this device sends: its camera, microphone and screens, and tracks of the app, with the effects that the app has chosen. */
export class Inputs {
  readonly devices: Devices;
  readonly #effects: Effects;
  readonly #sessions: Sessions;
  readonly #playback: Playback;
  readonly #device: MediaDevice;
  readonly #events: Listeners<ParleyEvents>;
  /** Whether camera and microphone come from the browser, and not from a function of the app, whose tracks may be over when they end. */
  readonly #isBrowsers: boolean;
  /** By kind, the device that the app has chosen last. */
  readonly #wanted: Partial<Record<DeviceKind, string>> = {};
  /** By kind, the last change of the device in use. */
  readonly #changing: Partial<Record<DeviceKind, Promise<void>>> = {};
  /** Screens that are sent as the camera of a stream. They get no effect. */
  readonly #screens = new WeakSet<MediaStreamTrack>();

  constructor({ sessions, playback, device, events, platform, options, baseUrl }: InputsOptions) {
    this.#sessions = sessions;
    this.#playback = playback;
    this.#device = device;
    this.#events = events;
    this.#isBrowsers = options.getUserMedia === undefined;
    this.#effects = new Effects(baseUrl);
    this.devices = new Devices(options, platform, {
      inUse: () => this.#devicesInUse(),
      onChanged: (list, lost) => {
        events.emit('media:devices', { ...list, lost });
        void this.#replaceLost(lost, list);
      },
    });
  }

  /**
   * Opens microphone and camera, on the devices that the app has chosen.
   * @param optional those that may be missing: they are then left out, and the other one is opened
   */
  async capture({ audio, video }: Wanted, optional: EffectKind[] = []): Promise<MediaStreamTrack[]> {
    const [mayLackCamera, mayLackMicrophone] = [optional.includes('camera'), optional.includes('microphone')];
    const ways = [
      { audio, video },
      ...(video && mayLackCamera ? [{ audio, video: false }] : []),
      ...(audio && mayLackMicrophone ? [{ audio: false, video }] : []),
      ...(mayLackCamera && mayLackMicrophone ? [{ audio: false, video: false }] : []),
    ];
    let missing: unknown;
    for (const way of ways) {
      if (!way.audio && !way.video) return [];
      try {
        return await this.devices.capture(way);
      } catch (error) {
        if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
        missing = error;
      }
    }
    throw missing;
  }

  /** Lets the user choose a screen. */
  async captureScreen(wanted: { audio: boolean }): Promise<MediaStreamTrack[]> {
    if (!this.#device.isAvailable) {
      const message = 'This client cannot share a screen, because this runtime has no WebRTC.';
      throw new ParleyError('PERMISSION_DENIED', message);
    }
    const tracks = await this.devices.captureScreen(wanted);
    for (const track of tracks) this.#screens.add(track);
    return tracks;
  }

  /** Applies the chosen effect to a track that is about to be sent. */
  async prepare(source: Source, input: MediaStreamTrack, ownership = captured): Promise<LocalTrack> {
    if (!hasEffect(source) || this.#screens.has(input)) return new LocalTrack(input, ownership);
    if (!ownership.isOwn && this.#isBrowsers) input.addEventListener('ended', this.#onEnded);
    const output = await this.#effects.apply(source, input, (effect, error) =>
      this.#effectFailed(source, effect, error),
    );
    return this.#watched(source, new LocalTrack(input, ownership, output));
  }

  /** Chooses a device for current and later calls, rooms and streams. Of several that are chosen at once, the last one stays. */
  async chooseDevice(kind: DeviceKind, deviceId: string): Promise<void> {
    this.#wanted[kind] = deviceId;
    await this.#inTurn(kind, async () => {
      if (this.#wanted[kind] !== deviceId) return;
      if (kind === 'speaker') await this.#playback.setSpeaker(deviceId);
      else await this.#switchDevice(kind, deviceId);
      this.devices.choose(kind, deviceId);
    });
  }

  /** Opens the microphone in use again, with the processing that is chosen now. */
  async reopenMicrophone(): Promise<void> {
    await this.#inTurn('microphone', () => this.#switchDevice('microphone'));
  }

  /** Applies another effect to what this device sends, or none. The previous one is closed. */
  async setEffect(kind: EffectKind, effect: TrackEffect | null): Promise<void> {
    const former = this.#effects.get(kind);
    if (former === effect) return;
    this.#effects.choose(kind, effect);
    try {
      await this.#renewEffect(kind);
    } finally {
      // Unless the app has chosen it again meanwhile.
      if (this.#effects.get(kind) !== former) former?.close();
    }
  }

  /** Opens another microphone or camera where this device sends from one. @param deviceId Default: the one in use */
  async #switchDevice(kind: EffectKind, deviceId?: string): Promise<void> {
    for (const session of this.#sessions.all) {
      const used = this.#deviceIn(session, kind);
      if (!used) continue;
      const former = used.input.getSettings().deviceId;
      const open = () => this.#open(kind, deviceId ?? former);
      try {
        await session.outgoing.switchDevice(kind, open, () => this.#open(kind, former));
      } finally {
        this.#sessions.emitLocal(session);
      }
    }
  }

  /** Changes the device in use after earlier changes, because one that opens slowly must not replace one that was chosen later. */
  async #inTurn(kind: DeviceKind, change: () => Promise<void>): Promise<void> {
    const changed = settled([this.#changing[kind] ?? Promise.resolve()]).then(change);
    this.#changing[kind] = changed;
    await changed;
  }

  async #open(kind: EffectKind, deviceId?: string): Promise<LocalTrack> {
    return this.prepare(kind, await this.devices.open(kind, deviceId));
  }

  /** Sends the same input with the effect that is chosen now. */
  async #renewEffect(kind: EffectKind): Promise<void> {
    for (const session of this.#sessions.all) {
      const outgoing = session.outgoing.get(kind);
      if (!outgoing || outgoing.local.isEnded) continue;
      const { input, ownership } = outgoing.local;
      const local = await this.prepare(kind, input, ownership);
      // In the meantime, another device was opened or the source was stopped.
      if (outgoing.local.input !== input || input.readyState === 'ended') local.stopOutput();
      else await session.outgoing.replace(outgoing, local);
      this.#sessions.emitLocal(session);
    }
  }

  /** An effect may fail later, which ends its output. The untouched track is then sent. */
  #watched(kind: EffectKind, local: LocalTrack): LocalTrack {
    const effect = this.#effects.get(kind);
    const onEnded = () => {
      const isSent = this.#sessions.all.some(({ outgoing }) => outgoing.get(kind)?.local === local);
      if (!effect || !isSent || local.isEnded) return;
      this.#effectFailed(kind, effect, new Error('The effect has stopped.'));
      void this.#renewEffect(kind);
    };
    if (local.track !== local.input) local.track.addEventListener('ended', onEnded);
    return local;
  }

  #effectFailed(kind: EffectKind, effect: TrackEffect, cause: unknown): void {
    this.#effects.drop(kind, effect);
    const message = `The effect on the ${kind} has failed, so it is sent without it: ${String(cause)}`;
    const error = cause instanceof ParleyError ? cause : new ParleyError('INTERNAL', message, { cause });
    this.#events.emit('media:effect:failed', { kind, error });
  }

  /** What a session sends from a device of this computer; undefined if that is a track of the app, or a screen as the camera of a stream. */
  #deviceIn({ outgoing }: MediaSession, kind: EffectKind): LocalTrack | undefined {
    const local = outgoing.get(kind)?.local;
    // A camera that is off is not opened until it is switched on. A muted microphone is replaced now.
    const isUsed = kind === 'microphone' || outgoing.isSending(kind);
    return local && isUsed && !local.isOwn && !this.#screens.has(local.input) ? local : undefined;
  }

  #devicesInUse(): Partial<Record<EffectKind, string>> {
    const idOf = (kind: EffectKind) =>
      this.#sessions.all
        .map((session) => this.#deviceIn(session, kind))
        .find((local) => local && !local.isEnded)
        ?.input.getSettings().deviceId;
    const [camera, microphone] = [idOf('camera'), idOf('microphone')];
    return { ...(camera ? { camera } : {}), ...(microphone ? { microphone } : {}) };
  }

  /**
   * The browser has ended a captured track: its device has failed, or was away for a moment, as after the sleep of a computer, or the user no
   * longer allows it. The list of devices may stay the same.
   */
  readonly #onEnded = (): void => void this.#replaceLost();

  /**
   * Opens the default devices in place of those that were unplugged or have failed.
   * @param lost the kinds whose chosen device is not in the list any more
   */
  async #replaceLost(lost: DeviceKind[] = [], list?: DeviceList): Promise<void> {
    if (lost.includes('speaker')) await this.#playback.setSpeaker('').catch(() => undefined);
    for (const session of this.#sessions.all)
      for (const kind of ['camera', 'microphone'] as const) {
        const { outgoing } = session;
        const used = this.#deviceIn(session, kind);
        const id = used?.input.getSettings().deviceId;
        const isUnplugged = lost.includes(kind) && !list?.[`${kind}s`].some((listed) => listed.id === id);
        if (!used || !(used.isEnded || isUnplugged)) continue;
        await this.#inTurn(kind, async () => {
          // Another one was opened before its turn.
          if (this.#deviceIn(session, kind)?.input !== used.input) return;
          try {
            await outgoing.switchDevice(kind, () => this.#open(kind));
          } catch (error) {
            // The others would go on to see the camera's last picture.
            if (kind === 'camera') await session.unpublish(kind).catch(() => undefined);
            this.#sessions.fail(session, withSource(error as Error, kind));
          }
          this.#sessions.emitLocal(session);
        });
      }
  }
}

/** Says which device an error is about. */
const withSource = (error: Error, source: EffectKind): Error =>
  error instanceof ParleyError
    ? new ParleyError(error.code, error.message, {
        reason: error.reason as Reason,
        cause: error.cause,
        extra: { ...error.extra, source },
      })
    : error;
