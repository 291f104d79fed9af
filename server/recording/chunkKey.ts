import type { PartRow } from '../../signaling/recordings/tables.ts';

/** Where the bytes of a part lie in the storage of files. */
export const chunkKey = ({ recordingId, id }: Pick<PartRow, 'recordingId' | 'id'>, number: number): string =>
  `recordings/${recordingId}/${id}/${number}`;
