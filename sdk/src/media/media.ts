import type { MediaStats } from './mediaPath.ts';
import type { MediaTestParts } from './test/MediaTest.ts';
import type { MediaTestOptions, MediaTestReport } from './test/mediaTestTypes.ts';
import type { Source } from '../../protocol/media.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { invalid } from '../connection/guard.ts';
import type { Uploads } from '../http/uploads.ts';
import type { UploadFile } from '../platform/Platform.ts';
import type { VideoSize, VideoView } from './ViewReporter.ts';
import { ActiveMedia, type MediaParts } from './ActiveMedia.ts';
import { asParleyError } from './asParleyError.ts';
import { Levels } from './Levels.ts';
import type { EffectKind } from './LocalTrack.ts';
import type {
  AudioProcessing,
  DeviceKind,
  DeviceList,
  MediaInfo,
  Participant,
  PublishOptions,
  TrackEffect,
  UploadOptions,
  Watched,
} from '../types.ts';

/** The media of this client's calls, rooms and streams: `client.media`. */
export class Media extends ActiveMedia {
  readonly #uploads: Uploads;
  readonly #levels = new Levels();
  readonly #testParts: MediaTestParts;

  constructor({ uploads, ...parts }: MediaParts & { uploads: Uploads }) {
    super(parts);
    this.#uploads = uploads;
    const { connection, platform, options } = parts;
    const sources = { ...options, hasDocument: platform.hasDocument };
    this.#testParts = { connection, device: this.device, sources };
  }

  /**
   * Whether this client can send and receive media. False in a backend without WebRTC, which can take part in calls, rooms
   * and streams only without media; and in a browser without it, where calls and rooms are refused with `PERMISSION_DENIED`, and streams
   * are watched by HLS.
   */
  get isAvailable(): boolean {
    return this.device.isAvailable;
  }

  /**
   * Uploads a file of up to 25 MB, in chunks: an image, video or audio file, or any other as a document. After a lost connection, the upload
   * continues where it stopped. A file that no message or voicemail uses within a day is removed.
   * @param file the file, up to 25 MB: a Blob or File, bytes, or the address of a file (`{ uri }`), as React Native's pickers return it
   * @param options.name the file name. Default: the name of `file`, if it has one
   * @param options.as `file` for a document, which is stored unchanged, for download only. Default: an image, video or audio file
   * @param options.onProgress called during the upload, with bytes
   * @param options.signal aborts the upload
   * @returns the stored file, with its `id`
   * @throws ParleyError VALIDATION_ERROR: the file is over 25 MB (`payload_too_large`), empty, or not an image, video or audio file
   * and not sent as a document (`unsupported_media_type`), or the file at its address cannot be read
   * @throws ParleyError ACCESS_DENIED: an API key cannot upload (`session_required`), or the account has no wallet
   * @throws ParleyError CONFLICT: this wallet has too many unused uploads, or the storage quota of the wallet or server is used up
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files or lacks a tool for this one, or is still processing it
   * (`still_processing`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer. Aborted by `signal`, the promise rejects with the reason of the signal
   * @example const { id, url } = await client.media.upload(file, { onProgress: ({ loaded, total }) => console.log(loaded / total) });
   */
  upload(file: UploadFile, options: UploadOptions = {}): Promise<MediaInfo> {
    return this.#uploads.upload(file, options);
  }

  /**
   * The camera and microphone that this device sends to a call, room or stream, always in the same object; null without media. Never
   * throws.
   * @param id the id of the call, room or stream
   * @returns the stream
   */
  localStream(id: string): MediaStream | null {
    return this.sessions.get(id)?.outgoing.localStream ?? null;
  }

  /**
   * The screen this device shares, with its audio; null if it shares none. Never throws.
   * @param id the id of the call, room or stream
   * @returns the stream of the screen
   */
  localScreen(id: string): MediaStream | null {
    const outgoing = this.sessions.get(id)?.outgoing;
    return outgoing?.get('screen') ? outgoing.localScreen : null;
  }

  /**
   * Observes an element that shows a participant's video, so that the server sends the video at the size at which it is shown, and not at
   * all while it is hidden. The app plays the stream in the element as usual.
   * @param element the element, for example a `<video>`
   * @param what the track of a `media:track` event, or a participant and source
   * @returns a function that stops observing the element
   * @throws ParleyError VALIDATION_ERROR: there is no element, or this is not a browser: use view()
   * @example const detach = client.media.attach(video, { participant: participant.id, source: 'camera' })
   */
  attach(element: Element, what: Watched): () => void {
    return this.elements.attach(element, what);
  }

  /**
   * Reports the size at which a view shows a participant's video, so that the server sends the video at that size, and not at all while it
   * is hidden. For views that are not elements of a page, such as those of React Native. If several views show a video, the largest counts.
   * Never throws.
   * @param what the track of a `media:track` event, or a participant and source
   * @param size the size of the view in device pixels, and whether it is visible
   * @returns the view: update() reports another size, close() ends it
   * @example
   * const view = client.media.view({ participant: participant.id, source: 'camera' }, { width: 640, height: 360, isVisible: true });
   * view.update({ width: 640, height: 360, isVisible: false });
   */
  view(what: Watched, size: VideoSize): VideoView {
    return this.views.view(what, size);
  }

  /**
   * The other participants in the media of a call, room or stream, by its id. Empty if there is no media with this id. Never throws.
   * @param id the id of the call, room or stream
   * @returns the participants, without this wallet
   */
  participants(id: string): Participant[] {
    return this.sessions.get(id)?.participants ?? [];
  }

  /**
   * Sends a track of the app to a call, room or stream: of a canvas, a file or a bot. It replaces a captured track of the same source, and
   * is muted, replaced and sent again after a lost connection like one. If the source is muted, it stays muted until it is unmuted as
   * usual. A track that ends is unpublished. The SDK does not stop the track, unless `stop` says so.
   * @param id the id of the call, room or stream
   * @param track a video track for `camera` or `screen`, an audio track for `microphone` or `screen-audio`
   * @param options.source what the others get it as: `camera`, `microphone`, `screen` or `screen-audio`
   * @param options.codec the codec of a camera: `vp8`, `h264` or `vp9`. Default: 'vp8'
   * @param options.stop whether the SDK stops the track when it no longer sends it. Default: false
   * @throws ParleyError VALIDATION_ERROR: an unknown source, or a track of the wrong kind or that has ended
   * @throws ParleyError NOT_FOUND: this device has no media in a call, room or stream with this id
   * @throws ParleyError ACCESS_DENIED: this device only receives (`viewer`), the room does not allow the source (`video_off`, `audio_off`,
   * `screen_share_off`), or the participant token does not (`not_granted`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.media.publish(call.id, track, { source: 'camera' });
   */
  async publish(id: string, track: MediaStreamTrack, options: PublishOptions): Promise<void> {
    const { source, codec, stop = false } = options;
    checkTrack(track, source);
    const session = this.sessions.get(id);
    if (!session) throw noMedia(id);
    await session.settled();
    if (!session.canSend)
      throw new ParleyError('ACCESS_DENIED', 'This device only receives here, and cannot publish.', {
        reason: 'viewer',
      });
    const local = await this.inputs.prepare(source, track, { isOwn: true, stopsInput: stop });
    await asParleyError(() => session.publish([{ source, local }], codec));
    track.addEventListener('ended', () => {
      const isSent = session.outgoing.get(source)?.local.input === track;
      if (isSent)
        this.unpublish(id, source).catch((error: unknown) => this.sessions.fail(session, error as Error));
    });
    this.sessions.emitLocal(session);
  }

  /**
   * Stops sending a source. A captured camera, microphone or screen is closed; a track that publish() sends is not stopped, unless its
   * `stop` said so. Unmuting the source afterwards opens the device. No effect if this device does not send the source.
   * @param id the id of the call, room or stream
   * @param source `camera`, `microphone`, `screen` or `screen-audio`
   * @throws ParleyError VALIDATION_ERROR: an unknown source
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async unpublish(id: string, source: Source): Promise<void> {
    checkSource(source);
    const session = this.sessions.get(id);
    if (!session) return;
    try {
      await session.unpublish(source);
    } finally {
      this.sessions.emitLocal(session);
    }
  }

  /**
   * Lists the cameras, microphones and speakers. `media:devices` reports changes. Before the user has allowed a device, browsers list
   * none. Empty outside a browser.
   * @returns the devices, each with its `id`, its `label` and whether it is the one in use (`isChosen`)
   * @throws ParleyError PERMISSION_DENIED: the browser does not list devices on this page
   * @example const { microphones } = await client.media.devices();
   */
  async devices(): Promise<DeviceList> {
    try {
      return await this.inputs.devices.list();
    } catch (cause) {
      const message = 'The browser does not list the devices on this page.';
      throw new ParleyError('PERMISSION_DENIED', message, { cause });
    }
  }

  /**
   * Chooses the camera, microphone or speaker for current and later calls, rooms and streams. A camera or microphone is opened now only if
   * this device is sending from one; if that fails, the old device stays in use. No effect if another one is chosen before its turn. The
   * speaker plays what play() plays. If the chosen device is unplugged, the default one is used, and `media:devices` names it in `lost`.
   * Tracks that publish() sends are not replaced.
   * @param kind `camera`, `microphone` or `speaker`
   * @param deviceId the device's id, from devices()
   * @throws ParleyError VALIDATION_ERROR: an unknown kind
   * @throws ParleyError NOT_FOUND: there is no such device
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or this browser lets no page choose a speaker
   * @throws ParleyError CONFLICT: the device is in use
   */
  async setDevice(kind: DeviceKind, deviceId: string): Promise<void> {
    checkOneOf('kind', kind, ['camera', 'microphone', 'speaker']);
    await this.inputs.chooseDevice(kind, deviceId);
  }

  /**
   * Chooses how the browser processes the microphone, in current and later calls, rooms and streams. What is not given stays as it is; at
   * first the browser decides. If the microphone cannot be opened again, everything stays as it was.
   * @param processing.echoCancellation whether to remove what the speaker plays
   * @param processing.noiseSuppression whether to remove noise
   * @param processing.autoGainControl whether to adjust the volume
   * @throws ParleyError NOT_FOUND: the microphone is gone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the microphone is in use
   * @example await client.media.setAudioProcessing({ echoCancellation: false, noiseSuppression: false, autoGainControl: false });
   */
  async setAudioProcessing(processing: AudioProcessing): Promise<void> {
    const takeBack = this.inputs.devices.process(processing);
    try {
      // Browsers change these only when the microphone is opened again.
      await this.inputs.reopenMicrophone();
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  /**
   * Changes the camera or microphone by an effect before it is sent, in current and later calls, rooms and streams. It also applies to
   * tracks of publish(). If it fails, now or later, it is switched off, the untouched track is sent, and `media:effect:failed` says so.
   * @param kind `camera` or `microphone`
   * @param effect the effect, for example backgroundBlur() of `@parley/sdk/effects`; null for none. The previous one is closed
   * @throws ParleyError VALIDATION_ERROR: an unknown kind, or an object without apply() and close()
   * @example client.media.setEffect('camera', null);
   */
  async setEffect(kind: EffectKind, effect: TrackEffect | null): Promise<void> {
    checkOneOf('kind', kind, ['camera', 'microphone']);
    if (effect && (typeof effect.apply !== 'function' || typeof effect.close !== 'function'))
      throw invalid('effect', 'media.setEffect: effect must have the methods apply(track) and close().');
    await this.inputs.setEffect(kind, effect);
  }

  /**
   * Plays a stream in an element, on the chosen speaker. If the browser blocks sound because the user has not clicked on the page yet, a
   * video plays without sound, and `media:playback` says so: call startAudio() in a click.
   * @param element a `<video>` or `<audio>`
   * @param stream the stream, for example of a `media:track` event. Its tracks may change
   * @returns a function that stops it and releases the element
   * @throws ParleyError VALIDATION_ERROR: not an element that plays media, or not a stream
   * @example client.on('media:track', ({ stream }) => client.media.play(video, stream));
   */
  play(element: HTMLMediaElement, stream: MediaStream): () => void {
    if (typeof (element as Partial<HTMLMediaElement> | null)?.play !== 'function')
      throw invalid('element', 'media.play: element must be a <video> or <audio> element.');
    if (typeof (stream as Partial<MediaStream> | null)?.getTracks !== 'function')
      throw invalid('stream', 'media.play: stream must be a MediaStream.');
    return this.playback.play(element, stream);
  }

  /**
   * Starts the sound of play() and level() that the browser has blocked. Call it in the handler of a click.
   * @throws ParleyError PERMISSION_DENIED: the browser still blocks it, because this was not called in a click
   * @example button.onclick = () => client.media.startAudio();
   */
  async startAudio(): Promise<void> {
    this.#levels.resume();
    await this.playback.startAudio();
  }

  /**
   * Measures how loud an audio track is, 20 times a second, for example for a meter beside a microphone.
   * @param track an audio track
   * @param onLevel called with the loudness from 0 (silence) to 1
   * @returns a function that ends the measurement. It also ends with the track
   * @throws ParleyError VALIDATION_ERROR: not an audio track
   * @example const stop = client.media.level(track, (level) => (meter.value = level));
   */
  level(track: MediaStreamTrack, onLevel: (level: number) => void): () => void {
    if ((track as Partial<MediaStreamTrack> | null)?.kind !== 'audio')
      throw invalid('track', 'media.level: track must be an audio track.');
    return this.#levels.measure(track, onLevel);
  }

  /**
   * The state of the receiving transport; `new` before anything is received. Never throws.
   * @param id the id of the call, room or stream
   * @returns null if there is no media with this id
   */
  receivingState(id: string): RTCPeerConnectionState | null {
    return this.sessions.get(id)?.receivingState ?? null;
  }

  /**
   * Reads the WebRTC statistics of a call, room or stream in both directions, in the format of RTCPeerConnection.getStats().
   * @param id the id of the call, room or stream
   * @returns the reports of each direction, and how the media reaches the server (`path`): directly over UDP or TCP, or relayed by a TURN
   *   server; null while it is not connected
   * @throws ParleyError NOT_FOUND: no media with this id
   */
  async stats(id: string): Promise<MediaStats> {
    const session = this.sessions.get(id);
    if (!session) throw noMedia(id);
    return session.stats();
  }

  /**
   * Tests whether this device can call from here: secure page, microphone, camera, WebSocket, the ways to the media server (UDP, TCP, each
   * TURN server), and the quality of a video that it sends to itself for a few seconds. It takes about 15 seconds, and needs no call. A
   * wallet may run six tests a minute; a guest cannot run one.
   * @param options.devices whether to open the microphone and camera for a moment, for which the browser may ask. Default: true
   * @param options.onStart called with each check that starts
   * @param options.onFinding called with each finding
   * @param options.signal ends the test
   * @returns the report; its `text` is for a support person. What is wrong is in it, and does not reject
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many tests in a minute
   * @throws ParleyError ACCESS_DENIED: this client is a guest's
   * @throws ParleyError SERVICE_UNAVAILABLE: no media worker is running. Ended by `signal`, the promise rejects with the reason of the
   * signal
   * @example const { level, text } = await client.media.test({ onFinding: ({ message }) => console.log(message) });
   */
  async test(options: MediaTestOptions = {}): Promise<MediaTestReport> {
    const { MediaTest } = await import('./test/MediaTest.ts');
    return new MediaTest(this.#testParts, options).run();
  }
}

const sources: readonly string[] = ['camera', 'microphone', 'screen', 'screen-audio'] satisfies Source[];

function checkOneOf(field: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw invalid(field, `${field} must be one of ${allowed.join(', ')}.`);
}

const checkSource = (source: string) => checkOneOf('source', source, sources);

function checkTrack(track: MediaStreamTrack, source: Source): void {
  checkSource(source);
  const kind = source === 'camera' || source === 'screen' ? 'video' : 'audio';
  if (track.kind !== kind)
    throw invalid('track', `The track of the source ${source} must be of kind ${kind}.`);
  if (track.readyState === 'ended') throw invalid('track', 'The track has ended. Publish one that is live.');
}

const noMedia = (id: string) => new ParleyError('NOT_FOUND', `There is no media with the id ${id}.`);
