import { buildOutputs } from '../../../scripts/build.mjs';
import { createProgress } from '../../../platform/system/progress.mjs';
import { makeDatabaseTemplate } from '../nodes/databaseTemplate.ts';
import { writeToMemory } from './writeToMemory.ts';

/** Runs before all tests: builds the programs and browser files from the current sources, and creates the database template. */
export default async () => {
  await buildOutputs(createProgress());
  const removeWritten = await writeToMemory();
  const removeTemplate = await makeDatabaseTemplate();
  return async () => {
    await removeTemplate();
    await removeWritten();
  };
};
