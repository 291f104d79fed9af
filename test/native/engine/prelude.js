/*
 * Runs first in Hermes. Replaces the globals of the Hermes shell by those that React Native's C++ code installs, and connects the native
 * modules with Node: what Hermes prints is a message to Node, and each line that Hermes reads is a call of `$fromNode`. This file is
 * written in the JavaScript that Hermes 0.12 understands without Babel.
 */
(function (global) {
  const { print } = global;
  for (const name of ['print', 'gc', 'quit', 'createHeapSnapshot', 'loadSegment', 'alert'])
    delete global[name];

  const send = (message) => print(String.fromCharCode(1) + JSON.stringify(message));

  // The clock. Node can advance it, as if the phone had slept.
  let sleptMs = 0;
  const HostDate = Date;
  const now = () => HostDate.now() + sleptMs;
  global.Date = function Date(...values) {
    if (!new.target) return new HostDate(now()).toString();
    return Reflect.construct(HostDate, values.length > 0 ? values : [now()], new.target);
  };
  for (const name of ['parse', 'UTC']) global.Date[name] = HostDate[name];
  global.Date.now = now;
  global.Date.prototype = HostDate.prototype;
  HostDate.prototype.constructor = global.Date;
  const startedAt = now();
  global.nativePerformanceNow = () => now() - startedAt;

  // Timers, which Node runs.
  let lastId = 0;
  const timers = new Map();
  const start = (run, delay, repeats) => {
    const id = ++lastId;
    const ms = Math.max(Number(delay) || 0, repeats ? 1 : 0);
    timers.set(id, { run, repeats });
    send({ timer: id, ms, repeats });
    return id;
  };
  const stop = (id) => {
    if (timers.delete(id)) send({ stopTimer: id });
  };
  global.setTimeout = (run, delay, ...values) => start(() => run(...values), delay, false);
  global.setInterval = (run, delay, ...values) => start(() => run(...values), delay, true);
  global.requestAnimationFrame = (run) => start(() => run(now()), 16, false);
  global.clearTimeout = global.clearInterval = global.cancelAnimationFrame = stop;
  delete global.setImmediate;

  const log =
    (level) =>
    (...values) =>
      send({ log: values.map((value) => textOf(value)).join(' '), level });
  const textOf = (value) => {
    if (value instanceof Error) return `${value.message}\n${value.stack}`;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  global.nativeLoggingHook = (message, level) => send({ log: message, level });

  // Native modules. Those that answer at once are written here; all other calls go to Node.
  global.RN$Bridgeless = true;
  const callable = {};
  global.RN$registerCallableModule = (name, create) => {
    callable[name] = create;
  };
  const pending = new Map();
  const toNode = (module, method, values) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      pending.set(id, { resolve, reject });
      send({ call: id, module, method, values });
    });
  const callNode = (module, method, values) => {
    // Old modules take callbacks, which are the last arguments.
    const callbacks = values.filter((value) => typeof value === 'function');
    const answer = toNode(
      module,
      method,
      values.filter((value) => typeof value !== 'function'),
    );
    if (callbacks.length === 0) return answer;
    answer.then(
      (result) => callbacks[0](...(Array.isArray(result) ? result : [result])),
      (error) => callbacks[1](error.name, error.message),
    );
    return undefined;
  };
  const moduleOf = (name) => {
    const here = global.$modules[name];
    if (!here) return null;
    const methods = {};
    Object.assign(methods, here);
    // Not a loop: in Hermes 0.12, all rounds of a loop share its constants.
    (here.$node || []).forEach((method) => {
      methods[method] = (...values) => callNode(name, method, values);
    });
    return methods;
  };
  const modules = {};
  global.__turboModuleProxy = (name) => {
    if (!(name in modules)) modules[name] = moduleOf(name);
    return modules[name];
  };
  global.nativeModuleProxy = new Proxy({}, { get: (_, name) => global.__turboModuleProxy(name) });
  global.$toNode = toNode;
  global.$send = send;

  const handlers = {
    slept: ({ ms }) => {
      sleptMs += ms;
    },
    timer: ({ id }) => {
      const timer = timers.get(id);
      if (!timer) return;
      if (!timer.repeats) timers.delete(id);
      timer.run();
    },
    answer: ({ id, result, error }) => {
      const { resolve, reject } = pending.get(id);
      pending.delete(id);
      if (error) reject(Object.assign(new Error(error.message), { name: error.name, code: error.name }));
      else resolve(result);
    },
    event: ({ name, payload }) => callable.RCTDeviceEventEmitter().emit(name, payload),
    // A step of a test: a function that the bundle has registered.
    step: ({ id, name, values }) => {
      Promise.resolve()
        .then(() => global.$steps[name](...values))
        .then(
          (result) => send({ step: id, result }),
          (error) =>
            send({
              step: id,
              error: { name: error.name, code: error.code, message: error.message, stack: error.stack },
            }),
        );
    },
  };
  global.$fromNode = (message) => {
    try {
      handlers[message.type](message);
    } catch (error) {
      send({ uncaught: textOf(error) });
    }
  };
  global.console = { log: log(0), info: log(0), debug: log(0), warn: log(1), error: log(2), trace: log(0) };
})(globalThis);
