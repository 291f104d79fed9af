import type { Figure } from './Figure.ts';

/** A benchmark: one section of the report. */
export interface Bench {
  /** The heading. */
  title: string;
  /** What is measured and how, and what the baseline is: a paragraph of Markdown. */
  about: string;
  /** Where the time goes, by a profile that it names: why goals are not met, or what limits the figures. Sentences of Markdown. */
  profile?: string;
  run: () => Promise<Figure[]>;
}

/** The result of a benchmark. */
export interface Section {
  name: string;
  title: string;
  about: string;
  /** When and on which commit it was measured. The date is in ISO 8601. */
  measuredAt: string;
  commit: string;
  machine: Machine;
  /** The load average of the last minute before the benchmark started. */
  loadBefore: number;
  /** How long it took. */
  seconds: number;
  figures: Figure[];
  /** Why there are no figures, if the benchmark failed. */
  error?: string;
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
}

/** All sections, in the order of the page. */
export interface Report {
  sections: Section[];
}
