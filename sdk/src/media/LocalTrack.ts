import type { Source } from '../../protocol/media.ts';
import type { TrackEffect } from '../types.ts';

/** The sources that an effect can change. */
export type EffectKind = 'camera' | 'microphone';

export const hasEffect = (source: Source): source is EffectKind =>
  source === 'camera' || source === 'microphone';

interface Ownership {
  /** Whether it is a track of the app, which the SDK cannot open again. */
  isOwn: boolean;
  /** Whether the SDK stops the input when it no longer needs it. */
  stopsInput: boolean;
}

/** The ownership of a track that the SDK has captured. */
export const captured: Ownership = { isOwn: false, stopsInput: true };

/** A track that this device sends: the input, captured or the app's own, and what an effect makes of it. */
export class LocalTrack {
  readonly input: MediaStreamTrack;
  /** What is sent and shown: the input, or the output of an effect. */
  readonly track: MediaStreamTrack;
  readonly ownership: Ownership;

  constructor(input: MediaStreamTrack, ownership: Ownership = captured, output = input) {
    this.input = input;
    this.track = output;
    this.ownership = ownership;
  }

  get isOwn(): boolean {
    return this.ownership.isOwn;
  }

  get isEnded(): boolean {
    return this.input.readyState === 'ended';
  }

  /** The settings, with the size of the input, because browsers do not know the size of every output. */
  getSettings(): MediaTrackSettings {
    return { ...this.input.getSettings(), ...this.track.getSettings() };
  }

  set isEnabled(isEnabled: boolean) {
    this.input.enabled = this.track.enabled = isEnabled;
  }

  /** Stops the output of the effect, and the input, unless it is the app's to stop. */
  stop(): void {
    this.stopOutput();
    if (this.ownership.stopsInput) this.input.stop();
    // The app gets its track back as it was.
    else this.input.enabled = true;
  }

  /** Stops only the output of the effect, because the input is still used. */
  stopOutput(): void {
    if (this.track !== this.input) this.track.stop();
  }
}

/** The effects that the app has chosen. */
export class Effects {
  readonly #chosen: Partial<Record<EffectKind, TrackEffect>> = {};
  readonly #serverUrl: string;

  constructor(serverUrl: string) {
    this.#serverUrl = serverUrl;
  }

  get(kind: EffectKind): TrackEffect | null {
    return this.#chosen[kind] ?? null;
  }

  choose(kind: EffectKind, effect: TrackEffect | null): void {
    if (effect) this.#chosen[kind] = effect;
    else delete this.#chosen[kind];
  }

  /** Switches an effect off and frees what it uses. */
  drop(kind: EffectKind, effect: TrackEffect): void {
    if (this.#chosen[kind] === effect) delete this.#chosen[kind];
    effect.close();
  }

  /**
   * Applies the chosen effect to a track, even if the app chooses another one in the meantime.
   * @param onFailed called with an effect that has failed, which is then switched off
   * @returns the track itself if there is no effect
   */
  async apply(
    kind: EffectKind,
    input: MediaStreamTrack,
    onFailed: (effect: TrackEffect, error: unknown) => void,
  ): Promise<MediaStreamTrack> {
    for (;;) {
      const effect = this.get(kind);
      if (!effect) return input;
      let output = input;
      try {
        output = await effect.apply(input, { serverUrl: this.#serverUrl });
        if (this.get(kind) === effect) return output;
      } catch (error) {
        if (this.get(kind) === effect) onFailed(effect, error);
      }
      if (output !== input) output.stop();
    }
  }
}
