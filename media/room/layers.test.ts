import { describe, expect, it } from 'vitest';
import { DemandedLayers, layerFor, layersOf } from './layers.ts';

const encodings = (...scales: (number | undefined)[]) => ({
  codecs: [],
  encodings: scales.map((scale) => (scale === undefined ? {} : { scaleResolutionDownBy: scale })),
});

describe('layersOf', () => {
  it.each([
    ['simulcast with scale factors', encodings(4, 2, 1), [4, 2, 1]],
    ['simulcast without scale factors', encodings(undefined, undefined), [2, 1]],
    ['the two layers of a screen', encodings(3, 1), [3, 1]],
    ['one encoding', encodings(1), [1]],
    ['no encodings', { codecs: [] }, [1]],
    ['spatial layers in one stream', { codecs: [], encodings: [{ scalabilityMode: 'L3T3_KEY' }] }, [4, 2, 1]],
    ['only temporal layers', { codecs: [], encodings: [{ scalabilityMode: 'L1T3' }] }, [1]],
  ])('%s', (_what, parameters, expected) => {
    expect(layersOf(parameters)).toEqual(expected);
  });
});

describe('layerFor', () => {
  const full = { width: 1280, height: 720 };
  it.each([
    ['a thumbnail', 160, 90, 0],
    ['as large as the smallest', 320, 180, 0],
    ['slightly larger than the smallest', 390, 220, 0],
    ['clearly larger than the smallest', 480, 270, 1],
    ['the size of the middle layer', 640, 360, 1],
    ['most of the screen', 960, 540, 2],
    ['larger than the video', 3840, 2160, 2],
    ['a narrow column, limited by its width', 300, 2000, 0],
    ['an empty size', 0, 0, 0],
  ])('%s', (_what, width, height, expected) => {
    expect(layerFor({ width, height }, full, [4, 2, 1])).toBe(expected);
  });

  it('depends on the size of the video', () => {
    expect(layerFor({ width: 640, height: 360 }, { width: 640, height: 360 }, [2, 1])).toBe(1);
    expect(layerFor({ width: 640, height: 360 }, full, [1])).toBe(0);
  });
});

describe('DemandedLayers', () => {
  it('reports nothing while the highest layer is needed', () => {
    const demand = new DemandedLayers();
    expect(demand.want('p', 2, 2, 0)).toBeNull();
    expect(demand.next).toBeNull();
  });

  it('reports lower demand after four seconds, and higher demand immediately', () => {
    const demand = new DemandedLayers();
    expect(demand.want('p', 0, 2, 0)).toBeNull();
    expect(demand.due(3_999)).toEqual([]);
    expect(demand.due(demand.next ?? 0)).toEqual([{ producerId: 'p', layer: 0 }]);
    expect(demand.due(60_000)).toEqual([]);
    expect(demand.want('p', 1, 2, 60_000)).toBe(1);
    expect(demand.want('p', 1, 2, 60_001)).toBeNull();
  });

  it('reports nothing when a viewer hides the video briefly', () => {
    const demand = new DemandedLayers();
    for (let second = 0; second < 20; second++) {
      expect(demand.want('p', second % 2 ? 2 : 0, 2, second * 1_000)).toBeNull();
    }
    expect(demand.next).toBeNull();
  });

  it('reports the latest demand, without intermediate values', () => {
    const demand = new DemandedLayers();
    demand.want('p', 1, 2, 0);
    demand.want('p', -1, 2, 1_000);
    expect(demand.due(4_000)).toEqual([{ producerId: 'p', layer: -1 }]);
    demand.forget('p');
    expect(demand.next).toBeNull();
  });
});
