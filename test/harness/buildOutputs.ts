import { buildOutputs } from '../../scripts/build.mjs';
import { createProgress } from '../../scripts/setup/progress.mjs';

/** Before any test: what runs and what browsers load is built from the sources as they are. */
export default () => buildOutputs(createProgress());
