import { z } from 'zod';
import { nothing } from './common.ts';
import {
  consumer,
  dtlsParameters,
  iceServers,
  mediaId,
  rtpCapabilities,
  rtpParameters,
  transport,
} from './media.ts';

const test = { testId: z.string().regex(/^test_[0-9a-f-]{36}$/) };

/** The longest time that a test may take, in seconds. The server then ends it. */
export const mediaTestSeconds = 90;

/** A device tests its way to the media server: it sends a video to itself. */
export const mediaTestRequests = {
  /** Opens a test, in place of this device's previous one. */
  'mediaTest.open': {
    request: z.strictObject({ rtpCapabilities }),
    response: z.object({
      ...test,
      /** The transport for sending the video. */
      sendTransport: transport,
      /** The transport for receiving it. */
      recvTransport: transport,
      /** A transport that is only tried: its address answers STUN, over UDP and TCP. */
      probeTransport: transport,
      iceServers,
    }),
  },
  'mediaTest.connect': {
    request: z.strictObject({ ...test, transportId: mediaId, dtlsParameters }),
    response: nothing,
  },
  /** Sends the video. It arrives through the consumer. */
  'mediaTest.produce': {
    request: z.strictObject({ ...test, rtpParameters }),
    response: z.object({ producerId: mediaId, consumer: consumer.omit({ participant: true }) }),
  },
  /** Lets the video arrive, once the device is ready to receive it. */
  'mediaTest.receive': { request: z.strictObject({ ...test, consumerId: mediaId }), response: nothing },
  'mediaTest.close': { request: z.strictObject(test), response: nothing },
} as const;
