import { guestsCannot, ParleyError } from '../../protocol/errors.ts';

/** The methods that need a wallet, in the namespaces that guests may use. */
const forWallets: Record<string, readonly string[]> = {
  conference: ['create', 'list', 'invite'],
  breakouts: [],
  streaming: ['create', 'list', 'resetKey', 'getViewerToken'],
  media: ['upload', 'test'],
};
/** Methods of the other namespaces that send nothing, and never reject. */
const local = ['voicemail.stop', 'notifications.requestPermissions'];

/** Whether a method refuses guests. The server refuses them too, but only after the SDK has opened a microphone or stored a message. */
const needsWallet = (name: string, method: string) =>
  forWallets[name]?.includes(method) ?? !local.includes(`${name}.${method}`);

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const kinds: Record<string, { is: (value: unknown) => boolean; description: string }> = {
  text: { is: (value) => typeof value === 'string', description: 'a string' },
  number: { is: (value) => typeof value === 'number', description: 'a number' },
  flag: { is: (value) => typeof value === 'boolean', description: 'true or false' },
  list: { is: (value) => Array.isArray(value), description: 'an array' },
  object: { is: isPlain, description: 'an object' },
  'object|null': { is: (value) => value === null || isPlain(value), description: 'an object or null' },
  track: {
    is: (value) => isPlain(value) && typeof (value as MediaStreamTrack).kind === 'string',
    description: 'a MediaStreamTrack',
  },
  data: { is: (value) => value !== undefined, description: 'a Uint8Array or a JSON value' },
  'text|object': {
    is: (value) => typeof value === 'string' || isPlain(value),
    description: 'a string or an object',
  },
  file: {
    // A Blob is recognised by its slice(), because a Blob of another frame is not an instance of this frame's Blob.
    is: (value) =>
      value instanceof Uint8Array ||
      (isPlain(value) &&
        (typeof (value as Blob).slice === 'function' ||
          typeof (value as { uri?: unknown }).uri === 'string')),
    description: 'a Blob, a File, a Uint8Array or the address of a file ({ uri })',
  },
};

type Method = (...given: unknown[]) => unknown;

/**
 * Makes the methods of a client's namespaces check their arguments, and refuse guests where they need a wallet. They return a rejected
 * promise instead of throwing.
 * @param parameters the parameters of the public methods in order, as `name:kind`, with `?` for optional ones. JavaScript code has no type
 * checks, so the arguments are checked at run time. The error names the invalid parameter
 */
export function guard<Name extends string>(
  client: NoInfer<Record<Name, object>>,
  parameters: Record<Name, Record<string, string>>,
  isGuest = false,
): void {
  for (const name of Object.keys(parameters) as Name[])
    guardNamespace(name, client[name], parameters[name], isGuest);
}

function guardNamespace(
  name: string,
  namespace: object,
  methods: Record<string, string>,
  isGuest: boolean,
): void {
  const target = namespace as Record<string, Method>;
  for (const [method, spec] of Object.entries(methods)) {
    const run = target[method];
    if (!run) throw new Error(`client.${name} has no ${method}`);
    if (isGuest && needsWallet(name, method)) {
      target[method] = () => Promise.reject(guestsCannot());
      continue;
    }
    const wanted = spec.split(' ').filter(Boolean);
    target[method] = (...given) => {
      const problem = problemOf(`${name}.${method}`, wanted, given);
      return problem ? Promise.reject(problem) : run.apply(namespace, given);
    };
  }
}

function problemOf(method: string, wanted: string[], given: unknown[]): ParleyError | null {
  for (const [at, one] of wanted.entries()) {
    const [field = '', kind = ''] = one.replace('?', '').split(':');
    const value = given[at];
    if (value === undefined && one.endsWith('?')) continue;
    const problem = mismatch(method, field, { kind, value });
    if (problem) return problem;
  }
  return null;
}

function mismatch(
  method: string,
  field: string,
  { kind, value }: { kind: string; value: unknown },
): ParleyError | null {
  const { is, description } = kinds[kind] as (typeof kinds)[string];
  if (is(value)) return null;
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value;
  return invalid(field, `${method}: ${field} must be ${description}, not ${found}.`);
}

/** Checks a file that a method gets in an object. @throws ParleyError VALIDATION_ERROR */
export function requireFile(method: string, field: string, value: unknown): void {
  const problem = mismatch(method, field, { kind: 'file', value });
  if (problem) throw problem;
}

/** The error for an invalid argument. */
export const invalid = (field: string, message: string) =>
  new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path: field, code: 'invalid_type', message }],
  });

/** @throws ParleyError VALIDATION_ERROR if the value is not a valid Date */
export function toIso(field: string, moment: unknown): string {
  if (moment instanceof Date && !Number.isNaN(moment.getTime())) return moment.toISOString();
  throw invalid(field, `${field} must be a valid Date.`);
}
