// The child process of proveWorker(): starts and closes one worker, as the server would.
import process from 'node:process';
import { createWorker } from 'mediasoup';

const worker = await createWorker({ workerBin: String(process.argv[2]), logLevel: 'none' });
worker.close();
process.stdout.write('proven\n');
