/** The package has types for its main entry alone; this one is the same without subtitles and several soundtracks. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
