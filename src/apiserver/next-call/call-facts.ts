import type { World } from '../../facts/snapshot.ts';
import type { MatchFacts } from '../admission/match.ts';
import type { ConnectionFacts } from '../connection/probed-servers.ts';
import type { EndpointStateFacts } from '../routing/endpoint-state.ts';

/** The facts that decide the result of the next call, besides callout, routing mode and version. */
export const callFacts = [
  'services',
  'endpointSlices',
  'pods',
  'endpointPods',
  'nodes',
  'probes',
  'clock',
  'namespaces',
  'served',
] as const;

/** Facts for a prediction; without `probes`, objects alone decide. */
export type CallFacts = World<'version' | 'services' | 'endpointSlices' | 'routing'> &
  EndpointStateFacts &
  ConnectionFacts &
  MatchFacts;
