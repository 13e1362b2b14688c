import type { ServedResource } from '../../facts/served-resources.ts';
import type { Operation } from './admission-request.ts';

/** Subresources of the core group with operation CONNECT, for any method (apiserver rest.Connecter). */
const connecters = ['exec', 'attach', 'portforward', 'proxy'];

const verbsOf: Readonly<Record<Operation, readonly string[]>> = {
  CREATE: ['create'],
  UPDATE: ['update', 'patch'],
  DELETE: ['delete'],
  CONNECT: ['get', 'create'],
};

/** Whether a resource has an operation, by the verbs that discovery lists for it. */
export function serves({ group, resource, verbs }: ServedResource, operation: Operation): boolean {
  const [, subresource = ''] = resource.split('/');
  if (group === '' && connecters.includes(subresource) !== (operation === 'CONNECT')) return false;
  if (operation === 'CONNECT' && subresource === '') return false;
  return verbs.some((verb) => verbsOf[operation].includes(verb));
}
