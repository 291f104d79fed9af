/* Figures that other projects publish about forwarding media, for the end of the report. */

/** When we read them. */
export const readOn = '2026-11-28';

/** One published figure. */
export interface Published {
  server: string;
  load: string;
  machine: string;
  /** The cores that the server used up, by the published share. */
  cores: number;
  /** What it sent in this time, in Mbit/s. */
  megabits: number;
  source: string;
}

const srs = 'https://github.com/ossrs/srs/blob/develop/trunk/doc/PERFORMANCE.md';

export const published: readonly Published[] = [
  {
    server: 'LiveKit',
    load: '3,000 viewers of a stream in 720p',
    machine: '92 % of 16 cores (Google Cloud, c2-standard-16)',
    cores: 0.92 * 16,
    megabits: 531 * 8,
    source: 'https://docs.livekit.io/home/self-hosting/benchmark/',
  },
  {
    server: 'SRS 4.0.105',
    load: '1,000 WebRTC players of 600 kbit/s',
    machine: '90 % of a core (Skylake, 2.5 GHz)',
    cores: 0.9,
    megabits: 600,
    source: srs,
  },
  {
    server: 'SRS 4.0.105',
    load: '2,000 WebRTC players of 600 kbit/s',
    machine: '94 % of a core (Ice Lake, 2.7 GHz)',
    cores: 0.94,
    megabits: 1_200,
    source: srs,
  },
  {
    server: 'Janus 0.11.1, measured by the authors of SRS',
    load: '700 WebRTC players of 600 kbit/s',
    machine: '93 % of two cores (Skylake, 2.5 GHz)',
    cores: 0.93 * 2,
    megabits: 420,
    source: srs,
  },
  {
    server: 'Jitsi Videobridge',
    load: 'over 1,000 streams of a conference, 550 Mbit/s in and out',
    machine: '20 % of four cores (Xeon E5-1620 v2, 3.7 GHz)',
    cores: 0.2 * 4,
    megabits: 550,
    source: 'https://jitsi.org/jitsi-videobridge-performance-evaluation/',
  },
];
