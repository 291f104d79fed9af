import type { Source } from '../../sdk/protocol/media.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import type { Admission, MultipartyRules, MediaScope } from '../media/MediaScope.ts';
import { denied, over } from './refusals.ts';
import type { StreamDeps } from './StreamDeps.ts';
import { publisherAdmission, type StreamPublishers } from './StreamPublishers.ts';
import { viewerAdmission, type StreamViewers } from './StreamViewers.ts';

/** Decides what devices may send in a stream: its publisher may send any source, viewers none. */
export class StreamMedia implements MediaScope {
  readonly #deps: StreamDeps;
  readonly #publishers: StreamPublishers;
  readonly #viewers: StreamViewers;

  constructor(deps: StreamDeps, publishers: StreamPublishers, viewers: StreamViewers) {
    this.#deps = deps;
    this.#publishers = publishers;
    this.#viewers = viewers;
  }

  async admit(context: PartyContext, streamId: string): Promise<Admission> {
    const stream = await this.#deps.store.stream(streamId);
    if (stream.status === 'ended') throw over();
    if (stream.publisher && stream.publisherSocket === context.socketId) return publisherAdmission(stream);
    return viewerAdmission(await this.#viewers.on(streamId, context.socketId));
  }

  readonly multiparty: MultipartyRules = {
    mayProduce: async (context, streamId) => {
      await this.#mustPublish(context, streamId);
      return { paused: false };
    },
    onArriving: (streamId, publisherId, isArriving) => {
      this.#publishers
        .onArriving(streamId, publisherId, isArriving)
        .catch((err: unknown) =>
          this.#deps.log.warn({ err, streamId, isArriving }, 'arrival of stream’s media not stored'),
        );
    },
  };

  /** Pauses or resumes the publishing device's microphone or camera. */
  async setSending(
    context: PartyContext,
    streamId: string,
    source: Extract<Source, 'microphone' | 'camera'>,
    isSending: boolean,
  ): Promise<void> {
    await this.#mustPublish(context, streamId);
    await this.#deps.media.setPaused(context, streamId, { source, paused: !isSending });
  }

  async #mustPublish({ socketId }: PartyContext, streamId: string): Promise<void> {
    const stream = await this.#deps.store.stream(streamId);
    if (stream.status === 'ended') throw over();
    if (!stream.publisher || stream.publisherSocket !== socketId)
      throw denied('not_the_publisher', 'This device does not publish the stream: start publishing first.');
  }
}
