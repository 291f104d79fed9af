import type { CallType } from '../../protocol/calls.ts';
import type { Address } from '../../protocol/common.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { RequestInput } from '../../protocol/wire.ts';
import { enterMs, type Connection } from '../connection/Connection.ts';
import { fromWire } from '../connection/fromWire.ts';
import { isTransient } from '../connection/transient.ts';
import type { Media } from '../media/media.ts';
import type { AudioConfig, Call, VideoCodec, VideoConfig } from '../types.ts';
import type { ActiveCalls } from './ActiveCalls.ts';
import { Attempts } from './Attempts.ts';
import type { CallStates } from './CallStates.ts';

/** The call to start. */
export interface StartCall {
  /** The callee's wallet address. */
  to: Address | (string & {});
  type: CallType;
  /** The camera to use. @default the chosen or default camera */
  video?: VideoConfig;
  /** The microphone to use; false opens none: see unmute() and media.publish(). @default the chosen or default microphone */
  audio?: boolean | AudioConfig;
}

/** The camera and microphone of a call that is answered or continued. */
export interface CameraOptions {
  /** The microphone to use; false opens none: see unmute() and media.publish(). @default true */
  audio?: boolean | AudioConfig;
  /** The camera to use; false leaves it off. @default true in a video call, if there is a camera */
  video?: boolean | VideoConfig;
}

interface Wanted {
  audio?: boolean | AudioConfig | undefined;
  video?: boolean | VideoConfig | undefined;
}

interface Options {
  connection: Connection;
  media: Media;
  active: ActiveCalls;
  states: CallStates;
  end: (callId: string) => Promise<void>;
}

type Entered = ReturnType<ActiveCalls['enter']>;
type SendEntering = Parameters<ActiveCalls['enter']>[1];

/** Enters calls with the camera and microphone of this device: as the caller, as the callee, or again. */
export class EnteringCalls {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #active: ActiveCalls;
  readonly #states: CallStates;
  readonly #end: (callId: string) => Promise<void>;
  /** The answers and rejoins in progress. */
  readonly #attempts = new Attempts();
  /** Calls that are being started, by the callee's address. */
  readonly #starting = new Map<string, Promise<Call>>();

  constructor({ connection, media, active, states, end }: Options) {
    this.#connection = connection;
    this.#media = media;
    this.#active = active;
    this.#states = states;
    this.#end = end;
  }

  /** Starts a call. A second click while it is being started returns the same call. */
  async start(options: StartCall): Promise<Call> {
    const key = String(options.to).toLowerCase();
    const starting =
      this.#starting.get(key) ?? this.#start(options).finally(() => this.#starting.delete(key));
    this.#starting.set(key, starting);
    return starting;
  }

  async #start({ to, type, video, audio }: StartCall): Promise<Call> {
    this.#beginConnecting();
    const tracks = await this.#captureFor(type, { audio, video });
    const entering = this.#active.enter('', (wanted) =>
      this.#connection.request('calls.start', { to, type, ...wanted }, enterMs),
    );
    return this.#withMedia(tracks, entering, { codec: video?.codec });
  }

  async answer(callId: string, options: CameraOptions): Promise<void> {
    const tracks = await this.#captureForCall(callId, options);
    const codec = codecOf(options.video);
    await this.#attempts.run(callId, (isReplaced) =>
      this.#withMedia(tracks, this.#active.enter(callId, this.#answering(callId)), { codec, isReplaced }),
    );
  }

  async rejoin(callId: string, options: CameraOptions): Promise<void> {
    const tracks = await this.#captureForCall(callId, options);
    const codec = codecOf(options.video);
    await this.#attempts.run(callId, (isReplaced) =>
      this.#withMedia(tracks, this.#active.enter(callId, this.#rejoining({ callId })), {
        codec,
        isReplaced,
        onFailure: 'leave',
      }),
    );
  }

  async #typeOf(callId: string): Promise<CallType> {
    const active = await this.#connection.request('calls.getActive', {});
    return active.find((call) => call.id === callId)?.type ?? 'audio';
  }

  /** A video call can be started and answered without a camera. */
  async #captureFor(type: CallType, { audio = true, video = true }: Wanted): Promise<MediaStreamTrack[]> {
    const wanted = { audio, video: type === 'video' && video };
    if (!this.#media.isAvailable) return [];
    return this.#media.inputs.capture(wanted, ['camera']);
  }

  /**
   * Opens the microphone, and in a video call the camera, for a call that rings or is active. In an audio call only enableVideo() opens the
   * camera, so that an app that always passes `video: true` does not show its user by accident.
   */
  async #captureForCall(callId: string, options: CameraOptions): Promise<MediaStreamTrack[]> {
    this.#beginConnecting();
    if (options.video === false) return this.#captureFor('audio', options);
    const type = this.#active.get(callId)?.type ?? (await this.#typeOf(callId));
    return this.#captureFor(type, options);
  }

  /** Starts to open the connection, so that it opens at the same time as the camera. */
  #beginConnecting(): void {
    this.#media.checkHandler();
    // The request that needs the connection reports the error.
    this.#connection.open().catch(() => undefined);
  }

  /** The server may have stored an earlier answer of this device whose connection was lost meanwhile: then the device has the call. */
  #answering(callId: string): SendEntering {
    return async (wanted) => {
      try {
        return await this.#connection.request('calls.answer', { callId, ...wanted }, enterMs);
      } catch (error) {
        if (!(error instanceof ParleyError && error.reason === 'call_over')) throw error;
        const { ids: held } = this.#connection;
        return this.#rejoining({ callId, held })(wanted).catch((refusal: unknown) => {
          throw isTransient(refusal) ? refusal : error;
        });
      }
    };
  }

  #rejoining(call: Pick<RequestInput<'calls.rejoin'>, 'callId' | 'held'>): SendEntering {
    return (wanted) => this.#connection.request('calls.rejoin', { ...call, ...wanted }, enterMs);
  }

  /**
   * Opens the media of a call as soon as this device has entered it. If either fails, the tracks are stopped and the call is ended or left.
   * @returns the last known state: the call may be answered, or over, before this device's media is ready
   */
  async #withMedia(
    tracks: MediaStreamTrack[],
    entering: Entered,
    {
      codec,
      isReplaced = () => Promise.resolve(false),
      onFailure = 'end',
    }: {
      codec?: VideoCodec | undefined;
      isReplaced?: () => Promise<boolean>;
      onFailure?: 'end' | 'leave';
    } = {},
  ): Promise<Call> {
    const stop = () => tracks.forEach((track) => track.stop());
    const { known, joined } = await entering.catch((error: unknown) => {
      stop();
      throw error;
    });
    const { id } = known.latest;
    this.#states.entered(fromWire(known.latest), this.#active.memberships.has(id));
    // The app has started this call a second time while it rings, or enters it twice at once: then the later attempt opens the media, because
    // the server joins that of the latest request.
    const isOpen = (await isReplaced()) || (onFailure === 'end' && this.#media.session(id) !== undefined);
    if (isOpen || !this.#active.memberships.has(id)) stop();
    else if (this.#media.isAvailable) {
      try {
        const muted = this.#active.isMuted(id);
        await this.#media.open('call', id, tracks, { codec, muted, joined });
      } catch (error) {
        stop();
        // A call that ended before this device's media was ready is no failure: an event reports it. Nor is one that was entered again.
        if (!(await isReplaced()) && this.#active.memberships.has(id)) {
          // A failed rejoin must not end the call for the other devices.
          if (onFailure === 'leave') {
            this.#states.leftHere(id);
            this.#active.memberships.forget(id);
          } else await this.#end(id).catch(() => undefined);
          throw error;
        }
      }
    }
    return fromWire(known.latest);
  }
}

const codecOf = (video: boolean | VideoConfig | undefined) =>
  typeof video === 'object' ? video.codec : undefined;
