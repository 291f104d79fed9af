import { describe, expect, it } from 'vitest';
import { DemandedLayers, layerFor, layersOf } from './layers.ts';

const encodings = (...scales: (number | undefined)[]) => ({
  codecs: [],
  encodings: scales.map((scale) => (scale === undefined ? {} : { scaleResolutionDownBy: scale })),
});

describe('the layers of a picture', () => {
  it.each([
    ['simulcast that says by how much', encodings(4, 2, 1), [4, 2, 1]],
    ['simulcast that does not say', encodings(undefined, undefined), [2, 1]],
    ['a screen in its own two', encodings(3, 1), [3, 1]],
    ['one picture', encodings(1), [1]],
    ['nothing said at all', { codecs: [] }, [1]],
    ['layers in one stream', { codecs: [], encodings: [{ scalabilityMode: 'L3T3_KEY' }] }, [4, 2, 1]],
    ['times only', { codecs: [], encodings: [{ scalabilityMode: 'L1T3' }] }, [1]],
  ])('%s', (_what, parameters, expected) => {
    expect(layersOf(parameters)).toEqual(expected);
  });
});

describe('the layer for a size', () => {
  const full = { width: 1280, height: 720 };
  it.each([
    ['a thumbnail', 160, 90, 0],
    ['as large as the smallest', 320, 180, 0],
    ['hardly larger than the smallest', 390, 220, 0],
    ['larger than that', 480, 270, 1],
    ['the middle', 640, 360, 1],
    ['most of the screen', 960, 540, 2],
    ['larger than the picture', 3840, 2160, 2],
    ['a narrow column, where the width decides', 300, 2000, 0],
    ['nothing', 0, 0, 0],
  ])('%s', (_what, width, height, expected) => {
    expect(layerFor({ width, height }, full, [4, 2, 1])).toBe(expected);
  });

  it('goes by the size of the picture', () => {
    expect(layerFor({ width: 640, height: 360 }, { width: 640, height: 360 }, [2, 1])).toBe(1);
    expect(layerFor({ width: 640, height: 360 }, full, [1])).toBe(0);
  });
});

describe('what a publisher is told to send', () => {
  it('is nothing, as long as all of it is looked at', () => {
    const demand = new DemandedLayers();
    expect(demand.want('p', 2, 2, 0)).toBeNull();
    expect(demand.next).toBeNull();
  });

  it('is less after a while, and more at once', () => {
    const demand = new DemandedLayers();
    expect(demand.want('p', 0, 2, 0)).toBeNull();
    expect(demand.due(3_999)).toEqual([]);
    expect(demand.due(demand.next ?? 0)).toEqual([{ producerId: 'p', layer: 0 }]);
    expect(demand.due(60_000)).toEqual([]);
    expect(demand.want('p', 1, 2, 60_000)).toBe(1);
    expect(demand.want('p', 1, 2, 60_001)).toBeNull();
  });

  it('does not change when somebody looks away and back', () => {
    const demand = new DemandedLayers();
    for (let second = 0; second < 20; second++) {
      expect(demand.want('p', second % 2 ? 2 : 0, 2, second * 1_000)).toBeNull();
    }
    expect(demand.next).toBeNull();
  });

  it('is what is wanted in the end, not what was on the way', () => {
    const demand = new DemandedLayers();
    demand.want('p', 1, 2, 0);
    demand.want('p', -1, 2, 1_000);
    expect(demand.due(4_000)).toEqual([{ producerId: 'p', layer: -1 }]);
    demand.forget('p');
    expect(demand.next).toBeNull();
  });
});
