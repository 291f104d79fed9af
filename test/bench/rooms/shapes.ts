import { allForwardedUpTo, forwardedInMultiparty } from '../../../media/room/speakers.ts';

/**
 * A typical room of a certain size, and how many such rooms there are at the same time. All shapes have the same total number of
 * participants, so that the server's fixed costs have the same weight.
 */
export interface Shape {
  people: number;
  rooms: number;
  /** The layer in which all participants view each camera. The layers above it are not sent. */
  layer: number;
}

/** A layer of a video. */
export interface LayerShape {
  kbit: number;
  framesPerSecond: number;
  width: number;
  height: number;
  /** Whether the video lacks temporal layers, like Firefox's, so that its frames have no TL0PICIDX. @default false */
  isFlat?: boolean;
}

/** The layers of the SDK's cameras in conferences (sdk/src/media/encodings.ts), the smallest first. */
export const layers = [
  { kbit: 150, framesPerSecond: 18, width: 320, height: 180 },
  { kbit: 500, framesPerSecond: 25, width: 640, height: 360 },
  { kbit: 1_700, framesPerSecond: 25, width: 1280, height: 720 },
] as const satisfies LayerShape[];

export const audioKbit = 32;
export const audioPacketMs = 20;

/** The shapes to measure. The larger the room, the smaller its videos are, as in a grid. */
export const shapes: Shape[] = [
  { people: 4, rooms: 8, layer: 2 },
  { people: 8, rooms: 4, layer: 1 },
  { people: 16, rooms: 2, layer: 0 },
  { people: 32, rooms: 1, layer: 0 },
];

/** The number of participants whose microphones are forwarded. They are the first to join, because only they speak. */
export const receivedFrom = ({ people }: Shape): number =>
  people > allForwardedUpTo ? forwardedInMultiparty : people;

/** The number of consumers that receive packets, in all rooms together. */
export const consumersOf = (shape: Shape): number =>
  shape.rooms * (shape.people * (shape.people - 1) + receivedFrom(shape) * (shape.people - 1));
