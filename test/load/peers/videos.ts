import { layers, type LayerShape } from '../../bench/rooms/shapes.ts';
import type { Options } from '../options.ts';

/** The index of the layer that --video names. */
const layerOf = ({ video }: Pick<Options, 'video'>): number =>
  layers.findIndex(({ height }) => height === video);

/** What people send and view in a conference: the layers of the SDK's cameras. */
export const conferenceVideo = (options: Options) => {
  const layer = layerOf(options);
  return { layers: layers.slice(0, layer + 1), layer, size: sizeOf(layers[layer] ?? layers[0]) };
};

/** What people send and view in calls and streams: one layer, without temporal layers. */
export const singleVideo = (options: Options) => {
  const video: LayerShape = layers[layerOf(options)] ?? layers[0];
  return { layers: [video], layer: 0, size: sizeOf(video) };
};

const sizeOf = ({ width, height }: LayerShape) => ({ width, height });
