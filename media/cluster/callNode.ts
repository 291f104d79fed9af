import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { MediaLink } from './MediaLink.ts';
import type { RpcName, RpcRequest, RpcResponse } from './rpc.ts';

/** Fields that an earlier release may not have. A node that runs it refuses requests with them, and executes them without. */
const dispensable = ['revision', 'order', 'consents'];

/** Sends a request, and again without those of its fields that the node does not know, because it runs an earlier release. */
export async function callNode<Name extends RpcName>(
  link: MediaLink,
  name: Name,
  request: RpcRequest<Name>,
): Promise<RpcResponse<Name>> {
  try {
    return await link.call(name, request);
  } catch (error) {
    const refused = refusedFields(error);
    if (refused.length === 0) throw error;
    const fields = Object.entries(request as unknown as object);
    const known = Object.fromEntries(fields.filter(([field]) => !refused.includes(field)));
    return link.call(name, known as unknown as RpcRequest<Name>);
  }
}

function refusedFields(error: unknown): string[] {
  if (!(error instanceof ParleyError) || error.code !== 'VALIDATION_ERROR') return [];
  const [, named = ''] = /unrecognized keys?:(.*)/i.exec(error.message) ?? [];
  return dispensable.filter((field) => named.includes(`"${field}"`));
}
