// The child process of proveWorker: a whole life of one worker, as the server would start it.
import process from 'node:process';
import { createWorker } from 'mediasoup';

const worker = await createWorker({ workerBin: String(process.argv[2]), logLevel: 'none' });
worker.close();
process.stdout.write('proven\n');
