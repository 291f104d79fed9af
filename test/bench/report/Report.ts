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

/** When and where a section was measured. */
export interface Origin {
  /** In ISO 8601. */
  measuredAt: string;
  commit: string;
  machine: Machine;
}

/** The result of a benchmark. */
export interface Section extends Origin {
  name: string;
  title: string;
  about: string;
  /** The load average of the last minute before the benchmark started. */
  loadBefore: number;
  /** How long it took. */
  seconds: number;
  figures: Figure[];
  /** Why there are no figures, if the benchmark failed. */
  error?: string;
  /** The origin of the figures with which these are compared. */
  before?: Origin;
}

export interface Machine {
  processor: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  /** The other programs that take part, with their versions. Missing in reports from before 2026-11-28. */
  programs?: string;
  /** The time until 8 kB are on the disk that has the databases, in milliseconds. Missing in reports from before 2026-11-28. */
  fsyncMs?: number;
}

/** All sections, in the order of the page. */
export interface Report {
  sections: Section[];
}
