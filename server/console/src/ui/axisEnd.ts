/**
 * The end of an axis: the smallest number not below the largest value that is 2, 4, 6 or 10 times a power of ten. It is always even,
 * because the axis is also labelled in the middle.
 */
export function axisEnd(largest: number): number {
  for (let power = 1; ; power *= 10) {
    const end = [2, 4, 6, 10].find((step) => step * power >= largest);
    if (end !== undefined) return end * power;
  }
}
