const checkMs = 250;

interface Work {
  input: MediaStreamTrack;
  output: MediaStreamTrack;
  /** Frees what the effect uses for this track. */
  free: () => void;
}

/** The tracks on which an effect is at work. It frees what it uses for a track when its input or output is stopped. */
export class Running {
  readonly #work = new Set<Work>();
  #timer: ReturnType<typeof setInterval> | null = null;

  /** @returns the output */
  add(work: Work): MediaStreamTrack {
    this.#work.add(work);
    // Tracks that a page stops emit no event.
    this.#timer ??= setInterval(() => this.#check(), checkMs);
    return work.output;
  }

  /** Reports that the effect on a track has failed. */
  fail(output: MediaStreamTrack): void {
    if (output.readyState === 'ended') return;
    output.stop();
    output.dispatchEvent(new Event('ended'));
    this.#check();
  }

  close(): void {
    for (const { output } of this.#work) output.stop();
    this.#check();
  }

  #check(): void {
    for (const work of this.#work) {
      const { input, output, free } = work;
      if (input.readyState === 'live' && output.readyState === 'live') continue;
      this.#work.delete(work);
      output.stop();
      free();
    }
    if (this.#work.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
