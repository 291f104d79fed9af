import { age } from './age/age.ts';
import { start } from './age/start.ts';
import { bigRoom } from './bigRoom.ts';
import { call } from './call.ts';
import { data } from './data.ts';
import { dispatcher } from './dispatcher.ts';
import { ejabberd } from './ejabberd.ts';
import { http } from './http.ts';
import { idle } from './idle.ts';
import { join } from './join/join.ts';
import { messages } from './messages.ts';
import { deadNode, deadWorker, drain } from './recovery.ts';
import { removal } from './removal.ts';
import type { Bench } from './report/Report.ts';
import { rooms } from './rooms.ts';
import { rush } from './rush.ts';
import { footprint } from './simulation/footprint.ts';
import { simulation } from './simulation/simulation.ts';
import { storm } from './storm.ts';
import { bareOptions } from './stream/bareOptions.ts';
import { streamDelay } from './stream/delays.ts';
import { janus } from './stream/besideJanus.ts';
import { streamJoin } from './stream/joins.ts';
import { manyViewers } from './stream/manyViewers.ts';
import { viewers } from './stream/viewers.ts';
import { texts } from './texts.ts';
import { webhooks } from './webhooks.ts';

/** All benchmarks by name, in the order in which they run and stand in the report. */
export const benches: Record<string, Bench> = {
  viewers,
  bareOptions,
  manyViewers,
  janus,
  streamDelay,
  streamJoin,
  rooms,
  bigRoom,
  rush,
  join,
  call,
  removal,
  deadWorker,
  deadNode,
  drain,
  messages,
  ejabberd,
  data,
  dispatcher,
  http,
  texts,
  webhooks,
  idle,
  storm,
  start,
  age,
  simulation,
  footprint,
};
