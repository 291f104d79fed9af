import type { PartRow } from '../../signaling/recordings/tables.ts';

/** The storage key of a chunk of a part. */
export const chunkKey = ({ recordingId, id }: Pick<PartRow, 'recordingId' | 'id'>, number: number): string =>
  `recordings/${recordingId}/${id}/${number}`;
