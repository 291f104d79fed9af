import fc from 'fast-check';
import { seeded } from '../harness/random.ts';

/* Mutations that turn valid inputs into invalid ones. The same seed always gives the same mutations. */

export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** An integer from 0 up to, but not including, `end`. */
  int(end: number): number {
    return Math.floor(this.#next() * end);
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.int(256)));
  }
}

/** Texts that often break databases, parsers and type checks. */
const hostileTexts = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    'a\ud83db',
    '\u202e',
    '%00',
    '%',
    '../../etc/passwd',
    '__proto__',
    'constructor',
  ],
  ...[
    "'; DROP TABLE accounts; --",
    '{{7*7}}',
    '<script>',
    '-1',
    '1e999',
    '0x',
    'null',
    'NaN',
    '9'.repeat(40),
  ],
  ...['a'.repeat(300), 'a'.repeat(20_000), '👍'.repeat(200), '\r\nX-Injected: 1', '2026-13-45T99:99:99Z'],
];
const hostileNumbers = [
  ...[
    0,
    -0,
    -1,
    1,
    0.5,
    127,
    128,
    255,
    256,
    65_535,
    65_536,
    2 ** 31 - 1,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    -(2 ** 63),
  ],
  ...[1e308, Number.MIN_VALUE, NaN, Infinity],
];
const hostileValues: unknown[] = [
  ...[null, undefined, true, false, [], {}, [[]], [null], { length: { toString: 1, valueOf: 2 } }],
  ...[JSON.parse('{"__proto__":{"admin":true}}') as object, { toJSON: 1 }, { type: 'Buffer', data: [1] }],
  ...[Array.from({ length: 2_000 }, () => 0), Buffer.from([0, 255, 1]), { _placeholder: true, num: 0 }],
  ...fc.sample(fc.anything({ withNullPrototype: true }), { seed: 1, numRuns: 300 }).filter(isPlain),
  ...fc.sample(fc.string({ unit: 'binary' }), { seed: 1, numRuns: 100 }),
];

/** Whether a value can be written as JSON. Cycles and big integers cannot. */
function isPlain(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

export const hostileText = (random: Random): string => random.pick(hostileTexts);
const hostileValue = (random: Random): unknown =>
  structuredClone(random.pick([...hostileValues, hostileText(random), random.pick(hostileNumbers)]));

/** Changes a value in a few places: removes, adds, repeats, swaps or replaces fields and items, and changes texts and numbers. */
export function mutateValue(random: Random, value: unknown): unknown {
  let changed = structuredClone(value);
  for (let count = random.pick([1, 1, 1, 2, 4]); count > 0; count--) changed = changeOnce(random, changed);
  return changed;
}

function changeOnce(random: Random, value: unknown): unknown {
  const isBranch = typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
  const keys = isBranch ? Object.keys(value) : [];
  // Most changes are deep inside the value, because the server rejects a value that is invalid at the top before it reads further.
  if (!isBranch || keys.length === 0 || random.chance(0.02)) return changeLeaf(random, value);
  const branch = value as Record<string, unknown>;
  const key = random.pick(keys);
  if (random.chance(0.75)) branch[key] = changeOnce(random, branch[key]);
  else if (random.chance(0.3)) Reflect.deleteProperty(branch, key);
  else if (Array.isArray(value))
    value.push(...Array.from({ length: random.pick([1, 20, 300]) }, () => structuredClone(branch[key])));
  else if (random.chance(0.5)) branch[random.pick([...keys, hostileText(random)])] = hostileValue(random);
  else branch[key] = structuredClone(branch[random.pick(keys)]);
  return value;
}

function changeLeaf(random: Random, value: unknown): unknown {
  if (random.chance(0.3)) return hostileValue(random);
  if (typeof value === 'number')
    return random.chance(0.5) ? value + random.pick([-1, 1, 0.5]) : random.pick(hostileNumbers);
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string') return mutateText(random, value);
  return hostileValue(random);
}

/** Changes, repeats, removes or inserts a few characters of a text. */
export function mutateText(random: Random, text: string): string {
  const at = random.int(text.length + 1);
  const end = at + 1 + random.int(8);
  const [before, between, after] = [text.slice(0, at), text.slice(at, end), text.slice(end)];
  return random.pick([
    () => before + after,
    () => before + between.repeat(2 + random.int(30)) + after,
    () => before + hostileText(random) + after,
    () => before + String.fromCharCode(random.int(random.chance(0.7) ? 128 : 65_536)) + after,
    () => text.replace(/\d+/, () => String(random.pick(hostileNumbers))),
    () => hostileText(random),
    () => (random.chance(0.5) ? text.toUpperCase() : text.toLowerCase()),
    () => before,
  ])();
}

/** Removes, repeats, moves or changes some lines of a text. */
export function mutateLines(random: Random, text: string, end = '\r\n'): string {
  const lines = text.split(end);
  for (let count = 1 + random.int(4); count > 0; count--) {
    const [at, other] = [random.int(lines.length), random.int(lines.length)];
    const line = lines[at] ?? '';
    random.pick([
      () => lines.splice(at, 1),
      () => lines.splice(at, 0, ...Array.from({ length: random.pick([1, 1, 40]) }, () => line)),
      () => lines.splice(other, 0, line),
      () => (lines[at] = lines[other] ?? ''),
      () => (lines[at] = mutateText(random, line)),
      () => (lines[at] = mutateText(random, line)),
      // Replaces the last field of the line with the first field of another line.
      () =>
        (lines[at] = line.replace(
          /[^ :=;/,]+(?=[^ :=;/,]*$)/,
          /[^ :=;/,]+/.exec(lines[other] ?? '')?.[0] ?? '',
        )),
    ])();
  }
  return lines.join(random.chance(0.05) ? random.pick(['\n', '\r', '']) : end);
}

/** Flips bits, and removes, repeats or replaces ranges of bytes. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let count = 1 + random.int(4); count > 0; count--) {
    const at = random.int(changed.length + 1);
    const end = at + 1 + random.int(random.pick([4, 64, 1_024]));
    const [before, between, after] = [
      changed.subarray(0, at),
      changed.subarray(at, end),
      changed.subarray(end),
    ];
    changed = random.pick([
      () => Buffer.concat([before, between.map((byte) => byte ^ (1 << random.int(8))), after]),
      () => Buffer.concat([before, random.bytes(Math.min(between.length, 16)), after]),
      () => Buffer.concat([before, Buffer.alloc(between.length, random.pick([0, 1, 127, 255])), after]),
      () => Buffer.concat([before, between, between, after]),
      () => Buffer.concat([before, after]),
      () => (random.chance(0.3) ? before : changed),
    ])();
  }
  return changed;
}
