/** A tone that repeats every `everyMs`. Each note has a start (s), a frequency (Hz) and a length (s). */
interface Tone {
  everyMs: number;
  volume: number;
  notes: [at: number, frequency: number, length: number][];
}

const tones = {
  /** A soft rising chime, twice. */
  incoming: {
    everyMs: 2_800,
    volume: 0.16,
    notes: [
      [0, 659.3, 0.5],
      [0.18, 830.6, 0.5],
      [0.36, 987.8, 0.8],
      [1, 659.3, 0.5],
      [1.18, 987.8, 0.9],
    ],
  },
  /** The familiar ringback tone of telephones, at low volume. */
  outgoing: { everyMs: 4_000, volume: 0.05, notes: [[0, 425, 1]] },
  /** Two short notes, played once. */
  message: {
    everyMs: 0,
    volume: 0.1,
    notes: [
      [0, 784, 0.2],
      [0.12, 1_046.5, 0.3],
    ],
  },
} satisfies Record<string, Tone>;

let context: AudioContext | null = null;

/** Plays a tone once. */
export function playTone(name: 'message'): void {
  playRound(tones[name]);
}

/** Rings until it is stopped. @returns a function that stops it */
export function startTone(name: 'incoming' | 'outgoing'): () => void {
  const tone: Tone = tones[name];
  let stop = playRound(tone);
  const timer = setInterval(() => (stop = playRound(tone)), tone.everyMs);
  const buzz = name === 'incoming' ? setInterval(vibrate, tone.everyMs) : undefined;
  return () => {
    clearInterval(timer);
    clearInterval(buzz);
    stop();
  };
}

function playRound({ notes, volume }: Tone): () => void {
  const audio = usableContext();
  if (!audio) return () => undefined;
  const output = audio.createGain();
  output.gain.value = volume;
  output.connect(audio.destination);
  for (const note of notes) playNote(audio, output, note);
  return () => {
    // Fade out, because an abrupt end would click.
    output.gain.setTargetAtTime(0, audio.currentTime, 0.03);
  };
}

function playNote(
  audio: AudioContext,
  output: AudioNode,
  [at, frequency, length]: Tone['notes'][number],
): void {
  const begin = audio.currentTime + 0.02 + at;
  const oscillator = audio.createOscillator();
  const envelope = audio.createGain();
  oscillator.type = 'triangle';
  oscillator.frequency.value = frequency;
  envelope.gain.setValueAtTime(0, begin);
  envelope.gain.linearRampToValueAtTime(1, begin + 0.03);
  envelope.gain.exponentialRampToValueAtTime(0.001, begin + length);
  oscillator.connect(envelope).connect(output);
  oscillator.start(begin);
  oscillator.stop(begin + length);
}

/** Returns null before the first click on the page, because browsers play no sound until then. Only the page title shows such a call. */
function usableContext(): AudioContext | null {
  if (!navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  // After a phone call, iOS may leave it interrupted.
  if (context.state !== 'running') context.resume().catch(() => undefined);
  return context;
}

function vibrate(): void {
  if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.([220, 120, 220]);
}
