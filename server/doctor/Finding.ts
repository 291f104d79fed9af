/** What a check of `npm run doctor` found. */
export interface Finding {
  /** For example `TURN`. */
  check: string;
  level: 'ok' | 'warning' | 'error';
  /** What was found, and what to do about it. */
  message: string;
  /** The setting, or what else to change. Absent if nothing needs to change. */
  change?: string;
}

export type Level = Finding['level'];

/** The findings of one check. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #check: string;

  constructor(check: string) {
    this.#check = check;
  }

  ok(message: string): void {
    this.all.push({ check: this.#check, level: 'ok', message });
  }

  warning(change: string, message: string): void {
    this.all.push({ check: this.#check, level: 'warning', message, change });
  }

  error(change: string, message: string): void {
    this.all.push({ check: this.#check, level: 'error', message, change });
  }
}
