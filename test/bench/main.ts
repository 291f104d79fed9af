import { benchCall, benchDispatcherOnly } from './call.ts';
import { benchConference } from './conference.ts';
import { benchData } from './data.ts';
import { benchHttp } from './http.ts';
import { benchJoin } from './join.ts';
import { benchMessages } from './messages.ts';
import { benchDraining, benchRecovery } from './recovery.ts';
import { benchRemoval } from './removal.ts';
import { benchRush } from './rush.ts';
import { benchStorm } from './storm.ts';
import { benchStream } from './stream.ts';
import { benchTexts } from './texts.ts';

/* `npm run bench -- <name>`: runs one benchmark. Most of them also measure a baseline in the same run. Exits with 1 if a goal is missed. */

const benches: Record<string, () => Promise<boolean>> = {
  call: benchCall,
  conference: benchConference,
  data: benchData,
  dispatcher: benchDispatcherOnly,
  drain: benchDraining,
  http: benchHttp,
  join: benchJoin,
  messages: benchMessages,
  recovery: benchRecovery,
  removal: benchRemoval,
  rush: benchRush,
  storm: benchStorm,
  stream: benchStream,
  texts: benchTexts,
};

const [name = ''] = process.argv.slice(2);
const bench = benches[name];
if (!bench) {
  console.error(`Unknown benchmark. Usage: npm run bench -- ${Object.keys(benches).join(' | ')}`);
  process.exit(2);
}
process.exit((await bench()) ? 0 : 1);
