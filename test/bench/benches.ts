import { age } from './age/age.ts';
import { start } from './age/start.ts';
import { call } from './call.ts';
import { join } from './join/join.ts';
import { deadNode, deadWorker, drain } from './recovery.ts';
import { removal } from './removal.ts';
import { data } from './data.ts';
import { dispatcher } from './dispatcher.ts';
import { ejabberd } from './ejabberd.ts';
import { messages } from './messages.ts';
import type { Bench } from './report/Report.ts';
import { bigRoom } from './bigRoom.ts';
import { rooms } from './rooms.ts';
import { rush } from './rush.ts';
import { bareOptions } from './stream/bareOptions.ts';
import { streamDelay } from './stream/delays.ts';
import { streamJoin } from './stream/joins.ts';
import { manyViewers } from './stream/manyViewers.ts';
import { viewers } from './stream/viewers.ts';
import { http } from './http.ts';
import { rush } from './rush.ts';
import { texts } from './texts.ts';
import { webhooks } from './webhooks.ts';
import { footprint } from './simulation/footprint.ts';
import { simulation } from './simulation/simulation.ts';

/** All benchmarks by name, in the order in which they run and stand in the report. */
export const benches: Record<string, Bench> = {
  viewers,
  bareOptions,
  manyViewers,
  streamDelay,
  streamJoin,
  rooms,
  bigRoom,
  rush,
  start,
  age,
  join,
  call,
  deadWorker,
  deadNode,
  drain,
  removal,
  http,
  texts,
  webhooks,
import { idle } from './idle.ts';
import { rush } from './rush.ts';
import { storm } from './storm.ts';

/** All benchmarks by name, in the order in which they run and stand in the report. */
export const benches: Record<string, Bench> = {
  idle,
  rush,
  start,
  age,
  storm,
  messages,
  ejabberd,
  data,
  dispatcher,
  simulation,
  footprint,
};
