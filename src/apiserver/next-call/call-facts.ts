import type { Facts } from '../../facts/snapshot.ts';
import type { ProbeFacts } from '../connection/observe.ts';
import type { EndpointFacts } from '../endpoint-answer.ts';

/** What the next call's fate looks at beside the callout, the routing mode and the version. */
export const callFacts = [
  'services',
  'endpointSlices',
  'pods',
  'endpointPods',
  'nodes',
  'probes',
  'clock',
] as const;

/** Without `probes` the objects alone decide. */
export type CallFacts = Pick<Facts, 'services' | 'endpointSlices' | 'routing'> & EndpointFacts & ProbeFacts;
