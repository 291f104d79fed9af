/** hls.js has types only for its main entry. Its light entry is the same, but without subtitles and alternate audio. */
declare module 'hls.js/light' {
  export { default } from 'hls.js';
}
