/** The package has types only for its main entry. This entry is the same without subtitles and alternate audio. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
