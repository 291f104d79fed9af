import { buildOutputs } from '../../scripts/build.mjs';
import { createProgress } from '../../platform/system/progress.mjs';
import { makeDatabaseTemplate } from './databaseTemplate.ts';
import { writeToMemory } from './writeToMemory.ts';

/** Before any test: what runs and what browsers load is built from the sources as they are, and a database is made for all to copy. */
export default async () => {
  await buildOutputs(createProgress());
  const removeWritten = await writeToMemory();
  const removeTemplate = await makeDatabaseTemplate();
  return async () => {
    await removeTemplate();
    await removeWritten();
  };
};
