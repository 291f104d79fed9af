import type { types } from 'mediasoup';

/**
 * How long a layer must lack frames before it is lowered. A new layer starts with its base frames only; mediasoup adds the other frames at
 * the next frame from which they can be decoded.
 */
const startMs = 1_000;
/** The interval at which a connection with capped videos is checked for enough bandwidth for the next larger layer. */
const checkMs = 2_000;
/** The free bandwidth required, relative to the additional bitrate of the larger layer. It is above 1 because bitrates vary. */
const margin = 1.15;

interface Preference {
  /** The layer that the room wants. */
  layer?: number;
  /** The highest layer whose frames all fit into the bandwidth. */
  cap?: number | undefined;
  /** The layer of the latest request to the worker. `consumer.preferredLayers` is that of the latest response. */
  requested?: number | undefined;
}

/**
 * Keeps the full frame rate of cameras at low bandwidth. Where the bandwidth is too low for a layer, mediasoup first drops every other
 * frame, and only then switches to the smaller layer. Smooth video is worth more than large video, so the smaller layer is preferred until
 * all frames of the larger one fit.
 *
 * Cameras in rooms have two temporal layers (sdk/src/media/encodings.ts). Screens have three. Their text has to stay readable, so they lose
 * frames instead.
 */
export class WholeFrames {
  readonly #transport: types.WebRtcTransport;
  readonly #producers = new Map<types.Consumer, types.Producer>();
  #timer: NodeJS.Timeout | null = null;

  constructor(transport: types.WebRtcTransport) {
    this.#transport = transport;
    transport.observer.once('close', () => this.#stop());
  }

  add(consumer: types.Consumer, producer: types.Producer): void {
    if (consumer.type !== 'simulcast' || temporalLayersOf(consumer) !== 2) return;
    this.#producers.set(consumer, producer);
    let timer: NodeJS.Timeout | undefined;
    consumer.on('layerschange', () => {
      clearTimeout(timer);
      if (isThin(consumer))
        timer = setTimeout(() => this.#run(() => this.#lower(consumer, producer)), startMs).unref();
    });
    consumer.observer.once('close', () => {
      clearTimeout(timer);
      this.#producers.delete(consumer);
    });
  }

  async #lower(consumer: types.Consumer, producer: types.Producer): Promise<void> {
    if (consumer.closed || producer.closed || !isThin(consumer)) return;
    const layer = consumer.currentLayers?.spatialLayer ?? 0;
    // Some browsers declare temporal layers but send none. All frames are base frames then.
    const { all, base } = (await bitratesOf(producer))[layer] ?? nothing;
    if (all === base || layer === 0) return;
    await setCap(consumer, layer - 1);
    this.#checkSoon();
  }

  #checkSoon(): void {
    this.#timer ??= setTimeout(() => this.#run(() => this.#check()), checkMs).unref();
  }

  /** Runs a task that fails if the transport closes in the meantime, for example because its worker has died. */
  #run(task: () => Promise<void>): void {
    void task().catch((error: unknown) => {
      if (!this.#transport.closed) throw error;
    });
  }

  /** Raises the cap of at most one video, so that its additional bitrate is included in the measurement of the next check. */
  async #check(): Promise<void> {
    this.#timer = null;
    const capped = [...this.#producers].filter(([consumer]) => preferenceOf(consumer).cap !== undefined);
    if (capped.length === 0 || this.#transport.closed) return;
    const [stats] = await this.#transport.getStats();
    const free = (stats?.availableOutgoingBitrate ?? 0) - (stats?.rtpSendBitrate ?? 0);
    for (const [consumer, producer] of capped) {
      const { cap = 0 } = preferenceOf(consumer);
      const bitrates = await bitratesOf(producer);
      const [smaller, larger] = [bitrates[cap] ?? nothing, bitrates[cap + 1] ?? nothing];
      if (margin * (larger.all - smaller.all) > free) continue;
      await setCap(consumer, cap + 1 < bitrates.length - 1 ? cap + 1 : undefined);
      break;
    }
    this.#checkSoon();
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

/** Prefers the layer that the room wants, as far as the bandwidth allows. */
export async function preferLayer(consumer: types.Consumer, layer: number): Promise<void> {
  const preference = preferenceOf(consumer);
  preference.layer = layer;
  const spatialLayer = Math.min(layer, preference.cap ?? layer);
  if ((preference.requested ?? consumer.preferredLayers?.spatialLayer) === spatialLayer) return;
  preference.requested = spatialLayer;
  try {
    await consumer.setPreferredLayers({ spatialLayer });
  } catch (error) {
    preference.requested = undefined;
    throw error;
  }
}

async function setCap(consumer: types.Consumer, cap: number | undefined): Promise<void> {
  const preference = preferenceOf(consumer);
  preference.layer ??= consumer.preferredLayers?.spatialLayer ?? 0;
  preference.cap = cap;
  try {
    await preferLayer(consumer, preference.layer);
  } catch (error) {
    // The consumer closed in the meantime.
    if (!consumer.closed) throw error;
  }
}

/** Whether the consumer receives a layer without every other frame, and there is a smaller layer. */
const isThin = ({ currentLayers, paused }: types.Consumer): boolean =>
  !paused &&
  currentLayers !== undefined &&
  currentLayers.spatialLayer > 0 &&
  currentLayers.temporalLayer === 0;

const temporalLayersOf = ({ rtpParameters }: types.Consumer): number =>
  Number(/T(\d)/.exec(rtpParameters.encodings?.[0]?.scalabilityMode ?? '')?.[1] ?? 1);

interface Bitrates {
  all: number;
  /** The bitrate of the base frames only. */
  base: number;
}

const nothing: Bitrates = { all: 0, base: 0 };

/** Incoming bits per second of each layer. */
async function bitratesOf(producer: types.Producer): Promise<Bitrates[]> {
  const streams = producer.closed ? [] : await producer.getStats();
  return (producer.rtpParameters.encodings ?? []).map(({ rid, ssrc }) => {
    const stream = streams.find((each) => (rid === undefined ? each.ssrc === ssrc : each.rid === rid));
    const { '0.0': base = 0, '0.1': all = 0 } = stream?.bitrateByLayer ?? {};
    return { all, base };
  });
}

const preferenceOf = (consumer: types.Consumer) => consumer.appData as Preference;
