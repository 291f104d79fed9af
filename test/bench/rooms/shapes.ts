import { allForwardedUpTo, forwardedInMultiparty } from '../../../media/room/speakers.ts';

/**
 * A room as it is usual in its size, and how many of these there are at the same time: always as many people, so that what a server
 * does for itself weighs the same.
 */
export interface Shape {
  people: number;
  rooms: number;
  /** Of the layers a camera is offered in: the one everybody looks at. Those above it are not sent. */
  layer: number;
}

/** A layer of a picture. */
export interface LayerShape {
  kbit: number;
  framesPerSecond: number;
  width: number;
  height: number;
  /** Without temporal layers, as from Firefox: its frames have no TL0PICIDX. */
  isFlat?: boolean;
}

/** What the SDK's cameras send in conferences (sdk/src/media/encodings.ts), the smallest layer first. */
export const layers = [
  { kbit: 150, framesPerSecond: 18, width: 320, height: 180 },
  { kbit: 500, framesPerSecond: 25, width: 640, height: 360 },
  { kbit: 1_700, framesPerSecond: 25, width: 1280, height: 720 },
] as const satisfies LayerShape[];

export const audioKbit = 32;
export const audioPacketMs = 20;

/** The larger the room, the smaller its pictures: what a grid of so many shows. */
export const shapes: Shape[] = [
  { people: 4, rooms: 8, layer: 2 },
  { people: 8, rooms: 4, layer: 1 },
  { people: 16, rooms: 2, layer: 0 },
  { people: 32, rooms: 1, layer: 0 },
];

/** Whose sound the others get, by the order they came in; and the only ones who speak. */
export const receivedFrom = ({ people }: Shape): number =>
  people > allForwardedUpTo ? forwardedInMultiparty : people;

/** Consumers through which packets flow, in all rooms. */
export const consumersOf = (shape: Shape): number =>
  shape.rooms * (shape.people * (shape.people - 1) + receivedFrom(shape) * (shape.people - 1));
