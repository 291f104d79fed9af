import { z } from 'zod';
import { count, origin, seconds, text, webAddress, zeroOrMore } from '../settingKinds.ts';
import { setting } from './setting.ts';

/** Media files, their storage and transcription. */
export const fileSettings = {
  FILES_DRIVER: setting(
    z.enum(['folder', 's3']).optional(),
    'storage of media files: folder or s3; defaults to s3 if S3_BUCKET is set, else folder',
  ),
  FILES_DIR: setting(
    text.optional(),
    'folder of the media files, DATA_DIR/files by default; nodes of a cluster without S3 need a folder that all of them share',
  ),
  FILE_ADDRESS_SECONDS: setting(
    seconds,
    'shortest time for which the signed URL of a file is valid; the duration of audio and video is added',
    '3600',
  ),
  FILES_MEGABYTES_PER_WALLET: setting(
    count,
    'storage in megabytes for the message and voicemail files one wallet has uploaded; further uploads are refused when it is full',
    '2048',
  ),
  FILES_MEGABYTES: setting(
    zeroOrMore,
    'storage in megabytes for such files of all wallets; 0 means no limit',
    '0',
  ),
  FILE_UPLOAD_SECONDS: setting(seconds, 'how long an unfinished or unused upload is kept', '86400'),
  S3_ENDPOINT: setting(origin.optional(), 'S3-compatible server, if not Amazon S3'),
  S3_BUCKET: setting(z.string().min(3).max(63).optional(), 'bucket for files'),
  S3_REGION: setting(text, 'region of the bucket', 'us-east-1'),
  S3_ACCESS_KEY_ID: setting(
    text.optional(),
    'access key that may read, write, delete and list in the bucket',
  ),
  S3_SECRET_ACCESS_KEY: setting(text.optional(), 'secret of the access key'),
  FFMPEG_BIN: setting(
    text,
    'ffmpeg program for video and audio; ffprobe must be in the same folder',
    'ffmpeg',
  ),
  TRANSCRIPTION_URL: setting(
    webAddress.optional(),
    'OpenAI-compatible server that transcribes voicemail (https://api.openai.com); without it, voicemail is not transcribed',
  ),
  TRANSCRIPTION_KEY: setting(text.optional(), 'API key for the transcription server, if it requires one'),
  TRANSCRIPTION_MODEL: setting(text, 'transcription model', 'whisper-1'),
  TRANSCRIPTION_SECONDS: setting(seconds, 'how long the transcription of one voicemail may take', '60'),
};
