import type { Agent } from 'node:http';
import { agentFor } from './agent.ts';
import type { Connection } from './connection.ts';
import type { Credential } from './credential.ts';

/** The connections to one API server. They are made with one client certificate: a new one needs new connections. */
export interface AgentPool {
  /** Few connections, for requests that end soon. */
  shared(credential: Credential): Agent;
  /** As many as are asked for: what takes long holds nobody up. */
  aside(credential: Credential): Agent;
  close(): void;
}

/** Connects to nothing yet. Throws ConnectionProblem for a certificate that cannot be used. */
export function agentPool(connection: Connection, first: Credential): AgentPool {
  const made = ({ clientCertificate }: Credential) => ({
    shared: agentFor(connection, clientCertificate),
    // Made when first needed: most runs send nothing aside.
    aside: undefined as Agent | undefined,
    clientCertificate,
  });
  let agents = made(first);
  const close = (): void => {
    agents.shared.destroy();
    agents.aside?.destroy();
  };
  const current = (credential: Credential) => {
    if (agents.clientCertificate !== credential.clientCertificate) {
      close();
      agents = made(credential);
    }
    return agents;
  };
  return {
    shared: (credential) => current(credential).shared,
    aside(credential) {
      const { clientCertificate } = credential;
      const of = current(credential);
      of.aside ??= agentFor(connection, clientCertificate, Number.POSITIVE_INFINITY);
      return of.aside;
    },
    close,
  };
}
